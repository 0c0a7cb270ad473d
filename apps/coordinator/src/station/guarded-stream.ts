/**
 * A long answer of a server that the station listens to (events as they happen), guarded like
 * everything it dials itself: the address that was checked is the address that is dialled.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { permittedAddress, type GuardedStation } from './guarded-post.ts'

export interface GuardedListening {
  headers: Record<string, string>
  signal: AbortSignal
}

export type StreamAnswer =
  | { type: 'refused' }
  | { type: 'silent'; message: string }
  | { type: 'answered'; status: number; chunks: AsyncIterable<Uint8Array> }

export async function guardedStream(
  parts: GuardedStation,
  url: URL,
  listening: GuardedListening,
): Promise<StreamAnswer> {
  const address = await permittedAddress(parts, url)
  return address === null ? { type: 'refused' } : streamFrom(url, address, listening)
}

/** From exactly this address, which the caller has checked, under the name of the URL. */
export function streamFrom(
  url: URL,
  address: string,
  { headers, signal }: GuardedListening,
): Promise<StreamAnswer> {
  const family = address.includes(':') ? 6 : 4
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const call = send(url, {
      headers,
      // A connection that was kept is known by its name, and may lead to another address.
      agent: false,
      lookup: (_name, options, done) =>
        options.all ? done(null, [{ address, family }]) : done(null, address, family),
      signal,
    })
    call.once('error', ({ message }) => resolve({ type: 'silent', message }))
    call.once('response', (chunks: IncomingMessage) =>
      resolve({ type: 'answered', status: chunks.statusCode ?? 0, chunks }),
    )
    call.end()
  })
}
