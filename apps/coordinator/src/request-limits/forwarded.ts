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

/** Anyone may have sent it, whatever its address says. */
export function isForwarded({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return FORWARDING_HEADERS.some((name) => headers[name] !== undefined)
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

export function isFromThisMachine(request: Pick<FastifyRequest, 'headers' | 'ip'>): boolean {
  return LOOPBACK.test(request.ip) && !isForwarded(request)
}
