/** API keys for programs and join tokens for devices: made, shown once, revoked. */
import {
  ACTIONS,
  actionsOf,
  newId,
  newSecret,
  requireWithin,
  secretHash,
  type Action,
  type ApiKey,
  type Caller,
} from '@minga/fleet'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from './access.ts'
import { Forbidden } from '../station/errors.ts'
import { isOperator, requireConfirmed } from './confirmed.ts'
import { idParams, titleField } from './fields.ts'

const DAY_S = 86_400
const SECOND_MS = 1_000
/** Ten years. */
const LIFETIME_MOST_S = 3_650 * DAY_S
const lifetimeField = z.number().int().min(1).max(LIFETIME_MOST_S)

const listQuery = z.object({ everybody: z.stringbool().default(false) })
const keyBody = z.object({
  name: titleField,
  /** Without it: all that the caller may do. */
  scopes: z.array(z.enum(ACTIONS)).max(ACTIONS.length).nullable().default(null),
  lifetimeS: lifetimeField.nullable().default(null),
})
/** A day by default: time to change the programs that use the old one. */
const rotateBody = z.object({
  graceS: z
    .number()
    .int()
    .min(0)
    .max(30 * DAY_S)
    .default(DAY_S),
})
const joinBody = z.object({
  isReusable: z.boolean().default(false),
  isTrusted: z.boolean().default(false),
  lifetimeS: lifetimeField.default(7 * DAY_S),
})
const LISTED_MOST = 1_000

export function keyRoutes(app: FastifyInstance, context: RouteContext): void {
  const { access, store, clock, eventLog } = context

  app.get('/keys', may('keys:read'), (request) => {
    const caller = access.requireCaller(request, 'Seeing API keys')
    const { everybody } = listQuery.parse(request.query)
    const owner = everybody ? access.ownerFor(request, 'keys:read') : caller.accountId
    return store.call('listKeys', { owner, limit: LISTED_MOST })
  })
  app.post('/keys', may('keys:write'), (request) => makeKey(context, request))
  app.post('/keys/:id/rotate', may('keys:write'), async (request) => {
    const caller = access.requireCaller(request, 'Rotating API keys')
    const { graceS } = rotateBody.parse(request.body ?? {})
    if (isOperator(caller)) await requireConfirmed(context, request, "Rotating an operator's key")
    const secret = newSecret('key')
    const key = await store.call('rotateKey', {
      id: idParams.parse(request.params).id,
      // Not an operator's either: the answer is a secret, and that is its owner's alone.
      owner: caller.accountId,
      newId: newId('key'),
      newHash: secretHash(secret),
      graceMs: graceS * SECOND_MS,
      scopesWithin: caller.scopes,
      shownKey: caller.via.kind === 'key' ? caller.via.id : null,
      notAfter: caller.via.kind === 'key' ? caller.expiresAt : Number.MAX_SAFE_INTEGER,
      now: clock.now(),
    })
    access.forget()
    const by = caller.accountId
    const sentence = `The key ${key.name} was replaced.`
    const details = { name: key.name }
    eventLog.note({ code: 'account:key-replaced', subject: key.id, sentence, details, by })
    return { key, secret }
  })
  app.delete('/keys/:id', may('keys:write'), async (request) => {
    const { id } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'keys:write')
    const by = access.requireCaller(request, 'Revoking API keys').accountId
    const key = await store.call('revokeKey', { id, owner, by, now: clock.now() })
    access.forget()
    const sentence = `The key ${key.name} was revoked.`
    const details = { name: key.name }
    eventLog.note({ code: 'account:key-revoked', subject: id, sentence, details, by })
    return key
  })
  joinTokenRoutes(app, context)
}

async function makeKey(
  context: RouteContext,
  request: FastifyRequest,
): Promise<{ key: ApiKey; secret: string }> {
  const { access, store, clock, eventLog } = context
  const caller = access.requireCaller(request, 'Making API keys')
  if (isOperator(caller)) await requireConfirmed(context, request, "Making an operator's key")
  const { name, scopes, lifetimeS } = keyBody.parse(request.body)
  const secret = newSecret('key')
  const now = clock.now()
  const key = await store.call('createKey', {
    id: newId('key'),
    hash: secretHash(secret),
    accountId: caller.accountId,
    name,
    scopes: scopesFor(caller, scopes),
    expiresAt: expiryFor(caller, lifetimeS === null ? null : now + lifetimeS * SECOND_MS),
    parentId: caller.via.kind === 'key' ? caller.via.id : null,
    now,
  })
  const details = { name, scopes: key.scopes?.join(', ') }
  const sentence = `The key ${name} was made (${details.scopes ?? 'all rights of its account'}).`
  const by = caller.accountId
  eventLog.note({ code: 'account:key-made', subject: key.id, sentence, details, by })
  return { key, secret }
}

/** A key that ends makes none that lasts longer: who stole it would have it for ever. */
function expiryFor({ via, expiresAt }: Caller, wanted: number | null): number | null {
  if (via.kind !== 'key' || expiresAt === Number.MAX_SAFE_INTEGER) return wanted
  return Math.min(wanted ?? expiresAt, expiresAt)
}

/** They give their holder every right in a roundabout way, which no scope should look like. */
const NO_SCOPES: ReadonlySet<Action> = new Set(['accounts:write', 'resets:make'])

/** A key cannot have more rights than the user who creates it. */
function scopesFor(caller: Caller, wanted: readonly Action[] | null): readonly Action[] | null {
  if (wanted === null) return caller.scopes
  requireWithin(
    wanted,
    actionsOf(caller.roles).filter((action) => !NO_SCOPES.has(action)),
  )
  requireWithin(wanted, caller.scopes)
  return wanted
}

function joinTokenRoutes(
  app: FastifyInstance,
  { access, store, clock, settings }: RouteContext,
): void {
  app.post('/join-tokens', may('join-tokens:write'), async (request) => {
    const { accountId, reach } = access.requireAction(request, 'join-tokens:write')
    const { lifetimeS, ...kind } = joinBody.parse(request.body ?? {})
    // A reusable or trusted one would let strangers in, unaudited.
    if ((kind.isReusable || kind.isTrusted) && reach !== 'all') {
      throw Forbidden.byRole('Inviting trusted or many devices', 'join-tokens:write')
    }
    const token = newSecret('join')
    const now = clock.now()
    const row = {
      id: newId('join'),
      owner: accountId,
      ...kind,
      expiresAt: now + lifetimeS * SECOND_MS,
    }
    const { joinTokensOpenMax: openMax } = settings.current()
    await store.call('createJoinToken', { hash: secretHash(token), ...row, openMax, now })
    return { ...row, token }
  })
  app.get('/join-tokens', may('join-tokens:read'), (request) =>
    store.call('listJoinTokens', { owner: access.ownerFor(request, 'join-tokens:read') }),
  )
  app.delete('/join-tokens/:id', may('join-tokens:write'), async (request) => {
    const { id } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'join-tokens:write')
    const { accountId: by } = access.requireAction(request, 'join-tokens:write')
    await store.call('revokeJoinToken', { id, owner, by, now: clock.now() })
    return {}
  })
}
