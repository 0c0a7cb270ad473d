/** Addresses as people type them, made whole and judged before anything is opened or started for them. */
import { withScheme } from '@minga/protocol'
import { isIP } from 'node:net'
import { findStation } from './api.ts'
import { AddressRefused, BadOption, type RefusedAddress } from './errors.ts'

/** Each is an http or https address; `example.org` is `https://example.org/`. */
export function typedAddresses(command: string, typed: readonly string[]): string[] {
  return typed.map((text) => {
    const url = URL.parse(withScheme(text.trim()))
    if (url !== null && /^https?:$/.test(url.protocol)) return url.href
    throw new BadOption(command, 'addresses such as https://example.org/', text)
  })
}

/** A batch has a result for each of its lines, also for those that are no address; it needs one that is. */
export function typedBatch(command: string, typed: readonly string[]): string[] {
  const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
  const whole = typed.map((text) => withScheme(text.trim()))
  if (!whole.some(isAddress) || whole.includes('')) typedAddresses(command, typed)
  return whole
}

export interface AddressReach {
  data: string
  station?: string
  allowPrivateAddresses?: boolean
}

/** The first that a station of our own would refuse. One that runs judges by its own rules: then null. */
export async function findRefused(
  urls: readonly string[],
  reach: AddressReach,
): Promise<RefusedAddress | null> {
  if (reach.station !== undefined) return null
  const refused = await judge(urls, reach.allowPrivateAddresses ?? false)
  return refused === null || (await findStation(reach.data)) !== null ? null : refused
}

/** Before the folder is made, which would stay behind. */
export async function requireAllowed(urls: readonly string[], reach: AddressReach): Promise<void> {
  const refused = await findRefused(urls, reach)
  if (refused !== null) throw new AddressRefused(refused)
}

async function judge(
  urls: readonly string[],
  allowPrivateAddresses: boolean,
): Promise<RefusedAddress | null> {
  const doubtful = urls.filter((url) => !isPlain(url))
  if (doubtful.length === 0) return null
  // The package is large, and most commands name only ordinary sites.
  const { guardUrl } = await import('@minga/net/guard')
  for (const url of doubtful) {
    const refusal = guardUrl(url, { allowPrivateAddresses })
    if (refusal === null) continue
    const isPrivate = guardUrl(url, { allowPrivateAddresses: true }) === null
    return { url, reason: refusal.reason, isPrivate }
  }
  return null
}

const INSIDE = /(^|\.)(localhost|local|internal|onion)$/

/** A name of the public web at its usual port, which the guard never refuses by its text. */
export function isPlain(url: string): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false
  const host = parsed.hostname.replace(/\.$/, '')
  const isBare = parsed.port === '' && parsed.username === '' && parsed.password === ''
  return isBare && isIP(host) === 0 && !host.startsWith('[') && !INSIDE.test(host)
}
