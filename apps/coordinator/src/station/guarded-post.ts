/**
 * POSTs to servers that users name (webhooks, hubs), guarded so that the station cannot be used to
 * reach what is inside our network. The address that was checked is the address that is dialled:
 * names change in between.
 */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { guardAddress, guardUrl } from '@minga/net'
import type { Station } from './station.ts'

/** What decides which addresses may be called. */
export type GuardedStation = Pick<Station, 'resolver' | 'guard'>

export interface GuardedPost {
  headers: Record<string, string>
  body: string
  /**
   * True for content that must not be readable on the way: it is sent over http to this machine
   * only.
   */
  isSecret?: boolean
}

export type PostAnswer =
  | { type: 'refused' }
  | { type: 'silent'; message: string }
  /** Of a body that says what was wrong, its beginning. */
  | { type: 'answered'; status: number; text: string }

const CALL_MS = 10_000
/** A server that complains with a book is not listened to. */
const ANSWER_BYTES_MAX = 500

export const isTaken = ({ status }: { status: number }): boolean => status >= 200 && status < 300

export async function guardedPost(
  parts: GuardedStation,
  url: URL,
  what: GuardedPost,
): Promise<PostAnswer> {
  const address = await permittedAddress(parts, url)
  if (address === null) return { type: 'refused' }
  const isRead = url.protocol !== 'https:' && !/^(127\.|::1$)/.test(address)
  if (what.isSecret && isRead)
    return { type: 'silent', message: 'it is plain http, where others could read the secret' }
  return post(url, address, what)
}

export async function permittedAddress(
  { resolver, guard }: GuardedStation,
  url: URL,
): Promise<string | null> {
  if (guardUrl(url, guard) !== null) return null
  const resolution = await resolver.resolve(url.hostname.replace(/^\[|\]$/g, ''))
  if (!resolution.ok) return null
  const isSafe = resolution.addresses.every((ip) => guardAddress(ip, guard) === null)
  return isSafe ? (resolution.addresses[0] ?? null) : null
}

function post(url: URL, address: string, { headers, body }: GuardedPost): Promise<PostAnswer> {
  const family = address.includes(':') ? 6 : 4
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const call = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: (_name, options, done) =>
        options.all ? done(null, [{ address, family }]) : done(null, address, family),
      signal: AbortSignal.timeout(CALL_MS),
    })
    call.once('error', ({ message }) => resolve({ type: 'silent', message }))
    call.once('response', (response) => {
      const status = response.statusCode ?? 0
      let text = ''
      const end = (): void =>
        resolve({ type: 'answered', status, text: text.slice(0, ANSWER_BYTES_MAX).trim() })
      response.on('data', (chunk: Buffer) => {
        if (text.length < ANSWER_BYTES_MAX) text += chunk.toString('latin1')
      })
      response.once('error', end)
      // Who took it has said all that counts.
      if (isTaken({ status })) end()
      else response.once('end', end)
    })
    call.end(body)
  })
}
