/** Whether a request comes from this machine itself or through a proxy that stands on it. */
import type { FastifyRequest } from 'fastify'

/** What proxies add. A browser or program that calls a station directly sends none of them. */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
]

/**
 * Anyone may have sent it, whatever its address says. The `proxy_pass` of nginx adds no header by default, and
 * gives our own address as the host; but it speaks HTTP/1.0, as no browser has done for decades.
 */
export function isForwarded({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): boolean {
  return raw.httpVersion === '1.0' || FORWARDING_HEADERS.some((name) => headers[name] !== undefined)
}

/** Whether the caller's browser speaks TLS: with us, with a proxy that says so, or because our public address does. */
export function isHttps(request: FastifyRequest, publicUrl: string | null): boolean {
  if (request.protocol === 'https') return true
  const said = String(request.headers['x-forwarded-proto'] ?? '').split(',')
  const own = publicUrl === null ? null : new URL(publicUrl)
  return (
    said.at(-1)!.trim() === 'https' || (own?.protocol === 'https:' && own.host === request.host)
  )
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

export const isLoopback = (address: string): boolean => LOOPBACK.test(address)

export function isFromThisMachine(
  request: Pick<FastifyRequest, 'headers' | 'ip' | 'raw'>,
): boolean {
  return isLoopback(request.ip) && !isForwarded(request)
}
