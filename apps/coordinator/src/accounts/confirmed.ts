/**
 * What gives lasting power over a station takes the password again. A session that was found open, or stolen from a
 * browser, lives for days: it must not become a key or an operator of its own.
 */
import { OPERATOR, type Role } from '@minga/fleet'
import type { FastifyRequest } from 'fastify'
import type { RouteContext } from './access.ts'
import { ConfirmPassword } from '../station/errors.ts'

/** Enough for a few acts in a row. */
const CONFIRMED_FOR_MS = 600_000

/** A key is sent complete with every call and is never typed. */
export async function requireConfirmed(
  { access, store, clock }: RouteContext,
  request: FastifyRequest,
  what: string,
): Promise<void> {
  const { via } = access.requireCaller(request, what)
  if (via.kind !== 'session') return
  const at = await store.call('sessionConfirmedAt', { hash: via.hash })
  if (at === null || clock.now() - at > CONFIRMED_FOR_MS) throw new ConfirmPassword(what)
}

export function isOperator({ roles }: { roles: readonly Role[] }): boolean {
  return roles.includes(OPERATOR)
}
