/**
 * One HTTP call whose answer is read whole. On `node:http` rather than `fetch`: a command that makes
 * three calls would spend more time on loading the latter than on everything else.
 */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'

export interface HttpCall {
  url: string
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** An answer with a longer body fails; without it any length is read. */
  bodyBytesMax?: number
  /** Ends the call, also while its answer is being read. */
  signal?: AbortSignal
}

export interface HttpAnswer {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
}

/** Fails when no whole answer came; any status is an answer. Redirects are not followed. */
export async function callHttp(call: HttpCall): Promise<HttpAnswer> {
  const { url, body, bodyBytesMax = Infinity, ...options } = call
  const { request } = url.startsWith('https:') ? https : http
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = request(url, { ...options, headers: { ...length, ...options.headers } })
  // `once` reports an error until the answer begins, its reader afterwards.
  sent.on('error', () => {})
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Leaving the loop destroys the response, and so closes the connection.
    if (bytes > bodyBytesMax) throw new Error(`The answer has more than ${bodyBytesMax} bytes.`)
    chunks.push(chunk)
  }
  const { statusCode: status = 0, headers } = response
  return { status, headers, body: Buffer.concat(chunks) }
}
