/**
 * Tells a client's own server that a batch has ended. The call is signed, so that the server can
 * know us, and guarded, so that nobody can use us to reach what is inside our network.
 */
import { createHmac } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { guardAddress, guardUrl, type GuardPolicy, type Resolver } from '@minga/net'
import type { BatchView } from '@minga/protocol'

export interface WebhookParts {
  resolver: Resolver
  guard: GuardPolicy
  /** Known to this station only; each batch's own secret is made from it. */
  secret: string
}

const CALL_MS = 10_000

/** What the client needs to check our signature; told once, when the batch is submitted. */
export function webhookSecret(secret: string, batchId: string): string {
  return createHmac('sha256', secret).update(`webhook ${batchId}`).digest('hex')
}

/** `t` is inside what is signed, so that an old call cannot be played again later. */
function signatureOf(args: { secret: string; body: string; atMs: number }): string {
  const signed = createHmac('sha256', args.secret).update(`${args.atMs}.${args.body}`)
  return `t=${args.atMs},v1=${signed.digest('hex')}`
}

/** Whether the server took it (any 2xx). What may never be called counts as not taken. */
export async function callWebhook(
  parts: WebhookParts,
  args: { url: string; batch: BatchView; atMs: number },
): Promise<boolean> {
  const { url, batch, atMs } = args
  const body = JSON.stringify({ event: 'batch.ended', batch })
  return callSigned(parts, { url, body, secret: webhookSecret(parts.secret, batch.id), atMs })
}

export async function callSigned(
  parts: Pick<WebhookParts, 'resolver' | 'guard'>,
  args: SignedCall,
): Promise<boolean> {
  return (await sendSigned(parts, args)) === null
}

interface SignedCall {
  url: string
  body: string
  secret: string
  atMs: number
}

/** Why the server did not take it, in words; null when it did. */
export async function sendSigned(
  parts: Pick<WebhookParts, 'resolver' | 'guard'>,
  args: SignedCall,
): Promise<string | null> {
  const url = new URL(args.url)
  const address = await permittedAddress(parts, url)
  if (address === null) return 'its name is unknown, or leads to an address that is not called'
  return post({ url, address, body: args.body, signature: signatureOf(args) })
}

/** The address that was checked is the address that is dialled: names change in between. */
export async function permittedAddress(
  { resolver, guard }: Pick<WebhookParts, 'resolver' | 'guard'>,
  url: URL,
): Promise<string | null> {
  if (guardUrl(url, guard) !== null) return null
  const resolution = await resolver.resolve(url.hostname.replace(/^\[|\]$/g, ''))
  if (!resolution.ok) return null
  const isSafe = resolution.addresses.every((ip) => guardAddress(ip, guard) === null)
  return isSafe ? (resolution.addresses[0] ?? null) : null
}

function post(args: {
  url: URL
  address: string
  body: string
  signature: string
}): Promise<string | null> {
  const { url, address, body, signature } = args
  const family = address.includes(':') ? 6 : 4
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const call = send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'minga-signature': signature,
      },
      lookup: (_name, options, done) =>
        options.all ? done(null, [{ address, family }]) : done(null, address, family),
      signal: AbortSignal.timeout(CALL_MS),
    })
    call.once('error', ({ message }) => resolve(message))
    call.once('response', (response) => {
      response.resume()
      const { statusCode = 0 } = response
      resolve(statusCode >= 200 && statusCode < 300 ? null : `it answered ${statusCode}`)
    })
    call.end(body)
  })
}
