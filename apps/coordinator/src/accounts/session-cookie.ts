/** The cookie by which a browser shows its session: no script reads it, no other site sends it. */
import type { Account } from '@minga/fleet'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isHttps } from '../http/request-limits/forwarded.ts'
import type { LiveSettings } from '../station/settings/live-settings.ts'
import type { OpenedSession } from './accounts.ts'
import type { AccountContext } from './account-context.ts'
import { KNOWN_FOR_MS } from './password-tries.ts'

export interface SessionCookie {
  name: string
  isSecure: boolean
}

const SECOND_MS = 1_000

/**
 * Browsers share cookies between the ports of a machine: the name tells stations apart. Over TLS
 * the prefix makes browsers refuse one that a plain page or a subdomain has set.
 */
export function sessionCookie(tag: string, isTls: boolean): SessionCookie {
  const name = `minga_${tag}`
  return { name: isTls ? `__Host-${name}` : name, isSecure: isTls }
}

/** For https only also where a proxy speaks TLS for the station. */
export function cookieFor(
  request: FastifyRequest,
  { cookie, publicUrl }: { cookie: SessionCookie; publicUrl: string | null },
): SessionCookie {
  return { ...cookie, isSecure: cookie.isSecure || isHttps(request, publicUrl) }
}

export function cookieHeader(cookie: SessionCookie, token: string, maxAgeS: number): string {
  const secure = cookie.isSecure ? '; Secure' : ''
  return `${cookie.name}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`
}

export function clearingHeader(cookie: SessionCookie): string {
  return cookieHeader(cookie, '', 0)
}

/** Null when it is not there or empty. */
export function readCookie(header: string | undefined, name: string): string | null {
  return readCookies(header, name)[0] ?? null
}

/** All of this name: a page on another port can plant one of a narrower path, which comes first. */
export function readCookies(header: string | undefined, name: string): string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    const isIt = at > 0 && pair.slice(0, at).trim() === name
    return isIt ? [pair.slice(at + 1).trim()].filter((value) => value !== '') : []
  })
}

interface BrowserCall {
  request: FastifyRequest
  reply: FastifyReply
  context: Pick<AccountContext, 'cookie' | 'publicUrl' | 'clock' | 'pageTokens'>
}

/** The cookie of a browser in which a password was right; it outlives the session. */
export const knownName = ({ name }: SessionCookie): string => `${name}_known`

/** The session as a page takes it: a cookie that no script can read, and the token that the page shows with it. */
export function openInBrowser(
  { request, reply, context }: BrowserCall,
  { token, account, expiresAt, device }: OpenedSession & { device?: string },
): { account: Account; expiresAt: number; pageToken: string } {
  const maxAgeS = Math.floor((expiresAt - context.clock.now()) / SECOND_MS)
  const cookie = cookieFor(request, context)
  const headers = [cookieHeader(cookie, token, maxAgeS)]
  if (device !== undefined) {
    const known = { ...cookie, name: knownName(cookie) }
    headers.push(cookieHeader(known, device, KNOWN_FOR_MS / SECOND_MS))
  }
  void reply.header('set-cookie', headers)
  return { account, expiresAt, pageToken: context.pageTokens.of(token) }
}

const HOUR_MS = 3_600_000

/** Null: until the session expires. */
export function sessionIdleMs(settings: Pick<LiveSettings, 'current'>): number | null {
  const { sessionIdleHours } = settings.current()
  return sessionIdleHours === null ? null : sessionIdleHours * HOUR_MS
}
