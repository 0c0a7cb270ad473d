/** Asks a hub to tell us of a topic. Only public addresses are called, as with webhooks. */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { GuardPolicy, Resolver } from '@minga/net'
import { permittedAddress } from '../../requests/webhooks.ts'

export interface HubParts {
  resolver: Resolver
  guard: GuardPolicy
  userAgent: string
}

const CALL_MS = 10_000
const ANSWER_BYTES_MAX = 500

/** Null when the hub took it (any 2xx), else what was wrong. */
export async function callHub(
  parts: HubParts,
  args: { hub: string; form: Record<string, string> },
): Promise<string | null> {
  const url = URL.parse(args.hub)
  if (url === null) return 'the address of the hub cannot be read'
  const address = await permittedAddress(parts, url)
  if (address === null) return 'the hub has no address that may be called'
  return post({ url, address, body: String(new URLSearchParams(args.form)), parts })
}

function post(args: {
  url: URL
  address: string
  body: string
  parts: HubParts
}): Promise<string | null> {
  const { url, address, body } = args
  const family = address.includes(':') ? 6 : 4
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const call = send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
        'user-agent': args.parts.userAgent,
      },
      lookup: (_name, options, done) =>
        options.all ? done(null, [{ address, family }]) : done(null, address, family),
      signal: AbortSignal.timeout(CALL_MS),
    })
    call.once('error', ({ message }) => resolve(`the hub could not be asked: ${message}`))
    call.once('response', (response) => {
      const { statusCode = 0 } = response
      if (statusCode >= 200 && statusCode < 300) {
        response.resume()
        return resolve(null)
      }
      let said = ''
      response.on('data', (chunk: Buffer) => {
        if (said.length < ANSWER_BYTES_MAX) said += chunk.toString('latin1')
      })
      const end = (): void =>
        resolve(`the hub answered ${statusCode}: ${said.slice(0, ANSWER_BYTES_MAX).trim()}`)
      response.once('end', end)
      response.once('error', end)
    })
    call.end(body)
  })
}
