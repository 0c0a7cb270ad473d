/**
 * The address at which a caller reaches this station, for links that others follow: never from an
 * unchecked header.
 */
import type { FastifyRequest } from 'fastify'
import type { Station } from './station.ts'

/** The public address, else the name in the request if the guard of browsers knows it, else the address that was dialled. */
export function originOf(
  request: FastifyRequest,
  { publicUrl, hostNames }: Pick<Station, 'publicUrl' | 'hostNames'>,
): string {
  if (publicUrl !== null) return publicUrl
  const { protocol, host, raw } = request
  if (!hostNames.has('*')) return `${protocol}://${host}`
  const { localAddress = '127.0.0.1', localPort } = raw.socket
  const plain = localAddress.replace(/^::ffff:(?=\d)/i, '')
  const name = plain.includes(':') ? `[${plain}]` : plain
  return `${protocol}://${name}${localPort === undefined ? '' : `:${localPort}`}`
}
