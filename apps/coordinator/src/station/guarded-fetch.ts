/**
 * Fetches for a library that calls a server which the operator named: guarded, and at the address that was checked, as
 * guarded-post.ts does. Redirects are not followed, and a long answer is none.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { PermanentError } from '@minga/protocol'
import { permittedAddress, type GuardedStation } from './guarded-post.ts'

const CALL_MS = 10_000
const ANSWER_BYTES_MAX = 1024 * 1024

class GuardedAddress extends PermanentError {
  readonly code = 'MINGA_GUARDED_ADDRESS'
  constructor(host: string) {
    super(
      `${host} has no address, or no public one, so it is not called. --allow-private-addresses permits private ones.`,
    )
  }
}

export interface GuardedRequest {
  method: string
  headers: Record<string, string>
  body: string | null
}

export async function guardedFetch(
  parts: GuardedStation,
  text: string,
  { method, headers, body }: GuardedRequest,
): Promise<Response> {
  const url = new URL(text)
  const address = await permittedAddress(parts, url)
  if (address === null) throw new GuardedAddress(url.host)
  const family = address.includes(':') ? 6 : 4
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
    const call = send(url, {
      method,
      headers: { ...headers, ...length },
      lookup: (_name, options, done) =>
        options.all ? done(null, [{ address, family }]) : done(null, address, family),
      signal: AbortSignal.timeout(CALL_MS),
    })
    call.once('error', reject)
    call.once('response', resolve)
    call.end(body ?? undefined)
  })
  const type = response.headers['content-type'] ?? 'application/octet-stream'
  const bytes = await readWhole(response)
  return new Response(bytes, {
    status: response.statusCode ?? 0,
    headers: { 'content-type': type },
  })
}

async function readWhole(response: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > ANSWER_BYTES_MAX)
      throw new Error(`The answer is longer than ${ANSWER_BYTES_MAX} bytes.`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
