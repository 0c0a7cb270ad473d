/**
 * Many pages contain the address of their visitor. On a lent machine that is its owner's address,
 * which readers of the archive must not learn: it is overwritten with zeros before anything is
 * recorded. As many zeros as it had characters, so that lengths stay true; and zeros, since audits
 * take whatever contains digits for noise: two honest machines then differ in nothing that counts.
 *
 * What is found is what a server writes by itself: IPv4 with dots, with hyphens and in reverse
 * (names of lines contain it so), IPv6 in every spelling, and both within an escaped URL. A page
 * that hides the address on purpose (in base64, say) is not detected.
 */
import {
  addressBytes,
  decodeContent,
  headerValues,
  type FetchAnswer,
  type HeaderList,
} from '@minga/net'

/** Overwrites the addresses of one machine. */
export interface AddressMask {
  /** Null when none occurs in these characters. */
  text(text: string): string | null
  /** The same for the bytes of a text in any encoding that contains ASCII; the bytes stay as they are. */
  bytes(bytes: Buffer): Buffer | null
}

/** Null without addresses: then there is nothing to look for. */
export function maskOf(addresses: readonly string[]): AddressMask | null {
  const known = addresses.map((address) => ({ address, bytes: addressBytes(address) }))
  const homes = new Set<string>()
  const patterns = new Set<string>()
  for (const { bytes } of known) {
    if (bytes?.length === 4) patterns.add(ipv4Pattern([...bytes]))
    if (bytes?.length !== 16) continue
    homes.add(homeOf(bytes))
    patterns.add(ipv6Pattern(bytes))
  }
  if (patterns.size === 0) return null
  const pattern = new RegExp([...patterns].join('|'), 'gi')
  const find = (text: string): Iterable<Span> => findSpans(text, pattern, homes)
  return { text: (text) => maskText(text, find), bytes: (bytes) => maskBytes(bytes, find) }
}

/** A digit in front would make it another address, unless it ends an escaped character such as `%20`. */
const NOT_AFTER_DIGIT = String.raw`(?<!\d(?<!%[\da-f]{2}))`
const NOT_AFTER_HEX = String.raw`(?<![\da-f](?<!%[\da-f]{2}))`

function ipv4Pattern(bytes: readonly number[]): string {
  const written = [bytes, bytes.toReversed()].map((parts) => parts.join('[.-]'))
  return String.raw`${NOT_AFTER_DIGIT}(?:${written.join('|')})(?!\d)`
}

/** Everything that begins like it and could be an IPv6 address; which one it is, is read afterwards. */
function ipv6Pattern(bytes: Uint8Array): string {
  const first = ((bytes[0]! << 8) | bytes[1]!).toString(16)
  return String.raw`${NOT_AFTER_HEX}0{0,3}${first}(?:(?::|%3a)[\da-f]{0,4}){2,7}(?![\da-f])`
}

/** The network of a household's machine is as telling as the machine; the rest changes every day. */
const HOME_BYTES = 8
const homeOf = (bytes: Uint8Array): string => bytes.slice(0, HOME_BYTES).join('.')

type Span = readonly [from: number, to: number]

/** A page with more is full of them, and reading each would take longer than a page may: then whatever
 * begins like ours counts as ours. */
const READ_MAX = 10_000

/** One after the other, and never all at once: a page may consist of nothing else. */
function* findSpans(text: string, pattern: RegExp, homes: ReadonlySet<string>): Generator<Span> {
  let found = 0
  for (const match of text.matchAll(pattern)) {
    const length = found++ < READ_MAX ? lengthOf(match[0], homes) : match[0].length
    if (length > 0) yield [match.index, match.index + length]
  }
}

/** How much of what was found is an address of ours. */
function lengthOf(found: string, homes: ReadonlySet<string>): number {
  if (/^[\d.-]+$/.test(found)) return found.length
  // A colon behind an address may belong to the sentence.
  const shorter = found.replace(/(?::|%3a)$/i, '')
  for (const written of [found, shorter]) {
    const bytes = addressBytes(written.replace(/%3a/gi, ':'))
    if (bytes !== null) return homes.has(homeOf(bytes)) ? written.length : 0
  }
  return 0
}

type Find = (text: string) => Iterable<Span>

function maskText(text: string, find: Find): string | null {
  let masked = ''
  let at = 0
  for (const [from, to] of find(text)) {
    masked += text.slice(at, from) + '0'.repeat(to - from)
    at = to
  }
  return at === 0 ? null : masked + text.slice(at)
}

function maskBytes(bytes: Buffer, find: Find): Buffer | null {
  let masked: Buffer | null = null
  for (const [from, to] of find(bytes.toString('latin1'))) {
    masked ??= Buffer.from(bytes)
    masked.fill('0', from, to)
  }
  return masked
}

/** What is shown as text, or has no type; in pictures and archives a changed byte is damage. */
const TEXT_TYPE = /^\s*(?:text\/|[\w.+/-]*(?:html|xml|json|javascript|urlencoded)\b)/i

/**
 * Null where the address does not occur. A packed body cannot be changed in place, and packed again it
 * would be neither what was sent nor what was read. So it is recorded unpacked, if the address is in
 * it, and its Content-Encoding is kept as a header that replay tools pass over; the length is put
 * right where records are written.
 */
export function maskAnswer(answer: FetchAnswer, mask: AddressMask): FetchAnswer | null {
  const rawHeaders = maskHeaders(answer.rawHeaders, mask)
  const body = maskBody(answer, mask)
  if (rawHeaders === null && body === null) return null
  const headers = rawHeaders ?? answer.rawHeaders
  const { isUnpacked = false, ...text } = body ?? {}
  return { ...answer, ...text, rawHeaders: isUnpacked ? headers.map(withoutEncoding) : headers }
}

function maskHeaders(headers: HeaderList, mask: AddressMask): HeaderList | null {
  const masked = headers.map(([, value]) => mask.text(value))
  if (masked.every((value) => value === null)) return null
  return headers.map(([name, value], i) => [name, masked[i] ?? value])
}

type Masked = Pick<FetchAnswer, 'body' | 'truncated'> & { isUnpacked: boolean }

function maskBody(answer: FetchAnswer, mask: AddressMask): Masked | null {
  const { body, truncated, rawHeaders: headers } = answer
  const type = headerValues({ headers }, 'content-type')[0]?.trim() ?? ''
  if (body.length === 0 || (type !== '' && !TEXT_TYPE.test(type))) return null
  const encoding = headerValues({ headers }, 'content-encoding').join(',') || undefined
  const { bytes, problem } = decodeContent(body, encoding, UNPACKED)
  const masked = mask.bytes(bytes)
  if (masked === null) return null
  // Not packed at all, or in an unknown way: these are the bytes as they were sent.
  if (bytes === body) return { body: masked, truncated, isUnpacked: false }
  const cut = problem === null ? null : 'length'
  return { body: masked, truncated: truncated ?? cut, isUnpacked: true }
}

/** As much as a machine takes in; more than readers of pages unpack. */
const UNPACKED = { bytesMax: 64 * 1024 * 1024, ratioMax: 200 }

function withoutEncoding([name, value]: [string, string]): [string, string] {
  const isEncoding = name.toLowerCase() === 'content-encoding'
  return [isEncoding ? `X-Archive-Orig-${name}` : name, value]
}
