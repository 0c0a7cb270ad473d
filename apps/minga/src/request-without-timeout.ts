/** Requests whose answers may take hours to begin or to continue; `fetch` gives up after five silent minutes. */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'

/** A machine that is gone is noticed; one that is busy is waited for. */
const LIFE_SIGN_MS = 60_000

export async function requestWithoutTimeout(
  url: string,
  headers: Record<string, string>,
): Promise<http.IncomingMessage> {
  const { request } = url.startsWith('https:') ? https : http
  const sent = request(url, { headers })
  // Until the answer comes `once` hears of trouble, afterwards the reader of the answer does.
  sent.on('error', () => {})
  sent.setSocketKeepAlive(true, LIFE_SIGN_MS)
  sent.end()
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  return response
}
