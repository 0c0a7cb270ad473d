/** Who may do what: agents show the join token, writers the API key. */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { NotAllowed } from './errors.ts'

export function requireToken(request: FastifyRequest, token: string, what: string): void {
  const header = request.headers.authorization ?? ''
  const given = Buffer.from(header.replace(/^Bearer /, ''))
  const wanted = Buffer.from(token)
  // Compared in constant time: the length of a match must not be measurable.
  const isRight = given.length === wanted.length && timingSafeEqual(given, wanted)
  if (!isRight) throw new NotAllowed(what)
}
