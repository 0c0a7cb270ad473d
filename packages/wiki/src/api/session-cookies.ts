/**
 * The cookies of one session with one wiki, by RFC 6265: who set them, for which paths, until when. In memory
 * alone, and given back to the host alone that set them.
 */
import { isIP } from 'node:net'
import { headerValues, type HeaderList } from '@minga/net'

interface Cookie {
  name: string
  value: string
  host: string
  /** Hosts below it may have it, too. */
  domain: string | null
  path: string
  isSecure: boolean
  /** Null: as long as the session. */
  expiresAt: number | null
}

/** A wiki sets a handful; more is no session. */
const COOKIES_MAX = 50
const COOKIE_CHARS_MAX = 4_096
const SENDABLE = /^[\x20-\x7e\x80-\xff]*$/

export class SessionCookies {
  readonly #cookies = new Map<string, Cookie>()

  /** Takes what an answer sets, and forgets what it takes back. */
  keep(url: string, headers: HeaderList, now: number): void {
    for (const line of headerValues({ headers }, 'set-cookie')) {
      const cookie = readCookie(line, new URL(url), now)
      if (cookie === null) continue
      const key = [cookie.domain ?? cookie.host, cookie.path, cookie.name].join(' ')
      const isOver = cookie.expiresAt !== null && cookie.expiresAt <= now
      if (isOver) this.#cookies.delete(key)
      else if (this.#cookies.has(key) || this.#cookies.size < COOKIES_MAX) {
        this.#cookies.set(key, cookie)
      }
    }
  }

  /** The field `Cookie` for a request; null: there is nothing to tell. */
  header(url: string, now: number): string | null {
    const to = new URL(url)
    const sent = [...this.#cookies.values()].filter((cookie) => isFor(cookie, to, now))
    // Longer paths first, as servers expect it.
    const inOrder = sent.toSorted((a, b) => b.path.length - a.path.length)
    const pairs = inOrder.map(({ name, value }) => `${name}=${value}`)
    return pairs.length === 0 ? null : pairs.join('; ')
  }
}

function readCookie(line: string, from: URL, now: number): Cookie | null {
  const [pair = '', ...rest] = line.split(';')
  const at = pair.indexOf('=')
  const name = pair.slice(0, at).trim()
  const isReadable = at > 0 && line.length <= COOKIE_CHARS_MAX && SENDABLE.test(pair)
  if (!isReadable || name === '') return null
  const attributes = attributesIn(rest)
  const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase() || null
  if (domain !== null && !isWithin(from.hostname, domain)) return null
  const isSecure = attributes.has('secure')
  if (isSecure && from.protocol !== 'https:') return null
  const path = attributes.get('path') ?? ''
  return {
    name,
    value: pair.slice(at + 1).trim(),
    host: from.hostname,
    domain,
    path: path.startsWith('/') ? path : folderOf(from.pathname),
    isSecure,
    expiresAt: expiryOf(attributes, now),
  }
}

/** The last of several counts. */
function attributesIn(parts: readonly string[]): Map<string, string> {
  return new Map(
    parts.map((part) => {
      const [name = '', ...value] = part.split('=')
      return [name.trim().toLowerCase(), value.join('=').trim()]
    }),
  )
}

/** `Max-Age` wins; what cannot be read is not there. */
function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number | null {
  const maxAge = attributes.get('max-age') ?? ''
  if (/^-?\d{1,12}$/.test(maxAge)) return now + Number(maxAge) * 1_000
  const at = Date.parse(attributes.get('expires') ?? '')
  return Number.isNaN(at) ? null : at
}

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 1))

function isFor(cookie: Cookie, to: URL, now: number): boolean {
  const { host, domain, path, isSecure, expiresAt } = cookie
  const isOver = expiresAt !== null && expiresAt <= now
  if (isOver || (isSecure && to.protocol !== 'https:')) return false
  const isThere = domain === null ? to.hostname === host : isWithin(to.hostname, domain)
  const isBelow = to.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
  return isThere && (to.pathname === path || isBelow)
}

/** Addresses have nothing below them. */
function isWithin(host: string, domain: string): boolean {
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`))
}
