/** Registering, and what operators do with accounts. */
import { createHash } from 'node:crypto'
import { ACCOUNT_ORDERS, newId, ROLES, SELF_ROLES, type Account } from '@minga/fleet'
import type { SortedPage } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from './access.ts'
import type { AccountContext } from './account-context.ts'
import { isForwarded } from '../http/request-limits/forwarded.ts'
import { SETTING_DEFAULTS } from '../station/settings/registry.ts'
import { LISTING, toPageArgs, toSortedPage, sortsOf, SPAN } from '../station/sorted-lists.ts'
import { isOperator, requireConfirmed } from './confirmed.ts'
import { idParams, nameField, passwordField, rolesField, titleField } from './fields.ts'

const registerBody = z.object({
  name: nameField,
  password: passwordField.nullable().default(null),
  roles: rolesField.optional(),
})
const listQuery = z.object({
  after: z.string().max(100).nullable().default(null),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const pageQuery = z.object({
  ...LISTING,
  ...SPAN,
  role: z.enum(ROLES).optional(),
  sort: z.enum(sortsOf(ACCOUNT_ORDERS)).default('createdAt'),
})
const countField = z.number().int().min(0).nullable()
const quotaBody = z.object({ openMax: countField, dayMax: countField })
const topUpBody = z.object({
  micros: z.number().int().min(1),
  note: titleField.nullable().default(null),
})

export function accountRoutes(app: FastifyInstance, context: AccountContext): void {
  const { access, store, clock, eventLog } = context

  app.post('/accounts', { config: { isPublic: true } }, (request) => register(context, request))
  app.get('/accounts', may('accounts:read'), (request) =>
    store.call('listAccounts', listQuery.parse(request.query)),
  )
  app.get('/accounts/page', may('accounts:read'), async (request): Promise<SortedPage<Account>> => {
    const args = toPageArgs(pageQuery.parse(request.query))
    return toSortedPage(await store.call('findAccounts', args))
  })
  app.post('/accounts/:id/roles', may('accounts:write'), async (request) => {
    const { roles } = z.object({ roles: rolesField }).parse(request.body)
    const { id } = idParams.parse(request.params)
    if (isOperator({ roles })) await requireConfirmed(context, request, MAKING_OPERATOR)
    const { accountId: by } = access.requireAction(request, 'accounts:write')
    const account = await store.call('setRoles', { id, roles, by, now: clock.now() })
    access.forget()
    const sentence = `The roles of ${account.name} are ${roles.join(', ') || 'none'} from now on.`
    const given = roles.length === 0 ? {} : { roles: roles.join(', ') }
    const details = { name: account.name, ...given }
    eventLog.note({ code: 'account:roles', subject: id, sentence, details, by })
    return account
  })
  app.post('/accounts/:id/quota', may('budgets:write'), async (request) => {
    const quota = quotaBody.parse(request.body)
    const { id: client } = await namedAccount(context, request)
    const { accountId: by } = access.requireAction(request, 'budgets:write')
    await store.call('setQuota', { client, ...quota, by, now: clock.now() })
    return { account: client, ...quota }
  })
  app.post('/accounts/:id/top-up', may('budgets:write'), async (request) => {
    const amount = topUpBody.parse(request.body)
    const { id: client } = await namedAccount(context, request)
    const id = postingId(request, client)
    const { accountId: by } = access.requireAction(request, 'budgets:write')
    return store.call('topUp', { id, client, ...amount, by, at: clock.now() })
  })
}

const MAKING_OPERATOR = 'Making an operator'

async function register(context: AccountContext, request: FastifyRequest): Promise<Account> {
  const { access, accounts } = context
  const { roles, ...wanted } = registerBody.parse(request.body)
  const mayAppoint = access.hasRight(request, 'accounts:write')
  const isAlone =
    registrationFor(context, request) === 'open' && roles === undefined && wanted.password !== null
  if (!mayAppoint && !isAlone) access.requireAction(request, 'accounts:write')
  if (isOperator({ roles: roles ?? [] })) await requireConfirmed(context, request, MAKING_OPERATOR)
  return accounts.register(
    { ...wanted, roles: roles ?? SELF_ROLES },
    { address: mayAppoint ? null : request.ip, by: access.callerOf(request)?.accountId ?? null },
  )
}

/** A station of this machine is open by default, which is not meant for those who come through a proxy on it. */
function registrationFor({ settings }: AccountContext, request: FastifyRequest): string {
  const isMeant = settings.isChosen('registration') || !isForwarded(request)
  return (isMeant ? settings.current() : SETTING_DEFAULTS).registration
}

function namedAccount({ store }: AccountContext, request: FastifyRequest): Promise<Account> {
  return store.call('findAccount', { id: idParams.parse(request.params).id })
}

/** A top-up that is sent again with the same key, because its answer was lost, counts once. */
function postingId(request: FastifyRequest, client: string): string {
  const key = request.headers['idempotency-key']
  if (key === undefined) return newId('topup')
  return `topup_${createHash('sha256')
    .update(`${client} ${String(key)}`)
    .digest('hex')}`
}
