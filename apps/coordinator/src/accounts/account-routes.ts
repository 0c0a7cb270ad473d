/** Registering, and what operators do with accounts. */
import { createHash } from 'node:crypto'
import { ACCOUNT_ORDERS, ROLES, SELF_ROLES, newId, type Account } from '@minga/fleet'
import { ALERT_LANGUAGES, type SortedPage } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isForwarded } from '../http/request-limits/forwarded.ts'
import { SETTING_DEFAULTS } from '../station/settings/registry.ts'
import { LISTING, SPAN, sortsOf, toPageArgs, toSortedPage } from '../station/sorted-lists.ts'
import { originOf } from '../station/station-origin.ts'
import { may } from './access.ts'
import type { AccountContext } from './account-context.ts'
import { isOperator, requireConfirmed } from './confirmed.ts'
import { codeField, idParams, nameField, passwordField, rolesField, titleField } from './fields.ts'
import type { ExportedTable } from './account-ends.ts'

const deletionBody = z.object({
  password: passwordField,
  /** Where the account has a second factor. */
  code: codeField.nullable().default(null),
})

/** Times are milliseconds since 1970. */
interface AccountExport {
  account: string
  name: string
  at: number
  tables: ExportedTable[]
}

type EndingContext = AccountContext & {
  requests: { cancel(client: string | null, id: string): Promise<unknown> }
}

/** The export and the deletion of an account: by its owner, or by an operator for who cannot log in. */
export function accountEndRoutes(app: FastifyInstance, context: EndingContext): void {
  const { access, accounts, secondFactors } = context

  app.get('/me/export', async (request, reply): Promise<AccountExport> => {
    const { accountId } = access.requireSession(request, 'Exporting your account')
    void reply.header('content-disposition', 'attachment; filename="minga-account.json"')
    return exportOf(context, accountId)
  })
  app.post('/me/deletion', async (request) => {
    const caller = access.requireSession(request, 'Deleting your account')
    const { password, code } = deletionBody.parse(request.body)
    await accounts.requirePassword(caller, password)
    await secondFactors.require(caller, code)
    await deleteWhole(context, caller.accountId, null)
    return {}
  })
  app.get('/accounts/:id/export', may('accounts:write'), async (request) => {
    const { accountId: by } = access.requireAction(request, 'accounts:write')
    const { id: account } = idParams.parse(request.params)
    const { id } = await context.store.call('findNamedAccount', { account })
    return exportOf(context, id, by)
  })
  app.delete('/accounts/:id', may('accounts:write'), async (request): Promise<Account> => {
    const { accountId: by } = access.requireAction(request, 'accounts:write')
    const { id: account } = idParams.parse(request.params)
    const { id } = await context.store.call('findNamedAccount', { account })
    return deleteWhole(context, id, by)
  })
}

/** `by`: an operator who exports the account of another. */
async function exportOf(
  { store, clock }: EndingContext,
  id: string,
  by?: string,
): Promise<AccountExport> {
  const { name } = await store.call('findAccount', { id })
  const at = clock.now()
  const tables = await store.call('exportAccount', { id, by, now: at })
  return { account: id, name, at, tables }
}

/** `by`: an operator; null: its owner. Whatever was open is ended first; what fails there can be tried again. */
async function deleteWhole(
  context: EndingContext,
  id: string,
  by: string | null,
): Promise<Account> {
  const { access, store, clock, requests, work, eventLog } = context
  for (const batch of await store.call('listOpenBatches', { client: id })) {
    await requests.cancel(null, batch)
  }
  const args = { id, by: by ?? id, now: clock.now() }
  const deleted = await store.call('deleteAccount', args)
  access.forget()
  // What its devices had leased may be another's work now.
  work.notifyAll()
  const { name } = deleted
  const sentence = `An account was deleted; it is ${name} from now on.`
  const noted = { subject: id, sentence, details: { name }, by: by ?? id }
  eventLog.note({ code: 'account:deleted', ...noted })
  return deleted
}

const languageField = z.enum(ALERT_LANGUAGES).nullable().default(null)
const emailBody = z.object({
  email: z.email().max(254),
  /** Without it a session that was left open would be enough to take the account over. */
  password: passwordField,
  language: languageField,
})
const confirmBody = z.object({ token: z.string().min(1).max(200) })
const resetBody = z.object({
  /** Its name, or its confirmed e-mail address. */
  account: z.string().min(1).max(254),
  language: languageField,
})
const PUBLIC = { config: { isPublic: true } }
const CHANGING = 'Changing your e-mail address'

/** E-mail addresses of accounts, and new passwords by mail. */
export function emailRoutes(app: FastifyInstance, context: AccountContext): void {
  const { access, accountMail, store, clock } = context

  app.post('/me/email', async (request) => {
    const { language, ...wanted } = emailBody.parse(request.body)
    const caller = access.requireSession(request, CHANGING)
    const origin = originOf(request, context)
    await accountMail.requestEmail(caller, wanted, { origin, language })
    return {}
  })
  app.delete('/me/email', async (request) => {
    const { accountId } = access.requireSession(request, CHANGING)
    await store.call('removeEmail', { accountId, now: clock.now() })
    return {}
  })
  app.post('/email/confirm', PUBLIC, async (request): Promise<{ name: string; email: string }> => {
    const { token } = confirmBody.parse(request.body)
    const { name, email } = await accountMail.confirmEmail({ token, address: request.ip })
    return { name, email }
  })
  app.post('/resets/by-mail', PUBLIC, async (request) => {
    const { account, language } = resetBody.parse(request.body)
    const origin = originOf(request, context)
    accountMail.requestReset({ account, address: request.ip }, { origin, language })
    return {}
  })
}

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
