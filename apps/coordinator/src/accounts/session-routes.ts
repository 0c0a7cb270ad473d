/** Logging in and out, one's own password, and links to get back in. */
import { actionsOf, type Caller } from '@minga/fleet'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { LogInOptions, SecondFactorView } from '@minga/protocol'
import { Forbidden, NotAllowed } from '../station/errors.ts'
import { originOf } from '../station/station-origin.ts'
import { may, type RouteContext } from './access.ts'
import type { AccountContext } from './account-context.ts'
import {
  clearingHeader,
  cookieFor,
  knownName,
  openInBrowser,
  readCookie,
  sessionIdleMs,
} from './session-cookie.ts'
import { requireConfirmed } from './confirmed.ts'
import { codeField, idParams, nameField, passwordField } from './fields.ts'
import { Passkeys } from './passkeys.ts'
import { newSignIn } from './sign-in-links.ts'
import { TICKET_MS, newTicket } from './download-tickets.ts'

const linkBody = z.object({ token: z.string().min(1).max(200) })

/** Links that sign in one browser, over HTTP. */
export function signInRoutes(app: FastifyInstance, context: AccountContext): void {
  const { access, accounts, accountMail, clock, oidc, store } = context

  app.get('/log-in-options', PUBLIC, async (request): Promise<LogInOptions> => {
    const passkeys = Passkeys.isPossibleAt(originOf(request, context))
    return { resetsByMail: accountMail.isOn, passkeys, oidc: oidc.label }
  })
  app.post('/sessions/by-link', PUBLIC, async (request, reply) => {
    const { token: link } = linkBody.parse(request.body)
    const client = request.headers['user-agent']
    const opened = await accounts.signInByLink({ link, address: request.ip, client })
    return openInBrowser({ request, reply, context }, opened)
  })
  app.post('/sign-in-links', async (request): Promise<{ token: string; expiresAt: number }> => {
    const credential = access.requireCredential(request, 'Making a sign-in link')
    const { accountId: by, via, scopes } = access.requireCaller(request, 'Making a sign-in link')
    if (via.kind !== 'key' || scopes !== null) throw new NotAllowed('Making a sign-in link')
    const { token, expiresAt, ticket } = newSignIn(credential, clock.now())
    await store.call('keepTicket', { ...ticket, by })
    return { token, expiresAt }
  })
}

const logInBody = z.object({
  name: nameField,
  password: passwordField,
  /** Of the authenticator app, or a recovery code, where the account has a second factor. */
  code: codeField.nullable().default(null),
  /** A page takes the cookie, which no script of it can read, and shows a token with it; a program takes one token. */
  as: z.enum(['cookie', 'token']).default('cookie'),
})
const logOutQuery = z.object({
  everywhere: z.stringbool().default(false),
  /** All but the one that asks. */
  others: z.stringbool().default(false),
})
const passwordBody = z.object({ current: passwordField, next: passwordField })
const confirmBody = z.object({ password: passwordField })
const resetBody = z.object({ account: z.string().min(1).max(100) })
const resetUse = z.object({ token: z.string().min(1).max(200), password: passwordField })
const PUBLIC = { config: { isPublic: true } }
const SEEING = 'Seeing your sessions'
const ENDING = 'Ending a session'

/** A key for some purpose has nothing to do with where its owner is logged in. */
function requireWhole(caller: Caller, what: string): Caller {
  if (caller.scopes !== null) throw Forbidden.byKey(what)
  return caller
}

export function sessionRoutes(app: FastifyInstance, context: AccountContext): void {
  const { access, accounts, clock, store } = context

  app.post('/sessions', PUBLIC, (request, reply) => logIn(context, request, reply))
  app.post('/sessions/confirm', async (request) => {
    const caller = access.requireCaller(request, 'Confirming your password')
    await accounts.confirm(caller, confirmBody.parse(request.body).password)
    return {}
  })
  app.get('/sessions', (request) => {
    const { accountId, via } = requireWhole(access.requireCaller(request, SEEING), SEEING)
    const own = via.kind === 'session' ? via.hash : null
    const idleMs = sessionIdleMs(context.settings)
    return store.call('listSessions', { accountId, own, now: clock.now(), idleMs })
  })
  app.delete('/sessions', async (request, reply) => {
    const { everywhere, others } = logOutQuery.parse(request.query)
    const which = others ? 'others' : everywhere ? 'all' : 'this'
    await accounts.logOut(requireWhole(access.requireCaller(request, ENDING), ENDING), which)
    access.forget()
    if (!others) void reply.header('set-cookie', clearingHeader(cookieFor(request, context)))
    return {}
  })
  app.delete('/sessions/:id', async (request) => {
    const { accountId } = requireWhole(access.requireCaller(request, ENDING), ENDING)
    await store.call('closeSessionNamed', { accountId, id: idParams.parse(request.params).id })
    access.forget()
    return {}
  })

  app.get('/me', async (request) => {
    const { accountId, roles, scopes, via } = access.requireCaller(request, 'Seeing your account')
    const account = await store.call('findAccount', { id: accountId })
    const actions = actionsOf(roles).filter((action) => scopes?.includes(action) ?? true)
    const boardName = await store.call('boardNameOf', { accountId })
    const email = await store.call('readEmail', { accountId })
    return { account, via: via.kind, actions, boardName, email }
  })
  app.post('/me/password', async (request) => {
    const caller = access.requireCaller(request, 'Changing your password')
    await accounts.changePassword(caller, passwordBody.parse(request.body))
    access.forget()
    return {}
  })

  app.post('/resets', may('resets:make'), async (request) => {
    const { accountId: madeBy } = access.requireAction(request, 'resets:make')
    // It may be an operator's: who has the link has the account.
    await requireConfirmed(context, request, 'Making a link to a new password')
    const reset = await accounts.makeReset(resetBody.parse(request.body).account, madeBy)
    return { ...reset, link: linkOf(originOf(request, context), reset.token) }
  })
  app.post('/resets/use', PUBLIC, async (request) => {
    await accounts.useReset({ ...resetUse.parse(request.body), address: request.ip })
    access.forget()
    return {}
  })
}

/** A browser is known from then on, whatever becomes of its session. */
async function logIn(context: AccountContext, request: FastifyRequest, reply: FastifyReply) {
  const { as, ...login } = logInBody.parse(request.body)
  const opened = await context.accounts.logIn({
    ...login,
    address: request.ip,
    device: readCookie(request.headers.cookie, knownName(context.cookie)),
    client: request.headers['user-agent'],
  })
  const { token, account, expiresAt } = opened
  if (as === 'token') return { account, expiresAt, token }
  return openInBrowser({ request, reply, context }, opened)
}

/** Behind the #, which browsers keep to themselves: the token is in no log on the way. */
function linkOf(origin: string, token: string): string {
  return `${origin}/reset#${token}`
}

/** Below /api, as a browser would ask for it: nothing that leads elsewhere. */
const ticketBody = z.object({
  path: z
    .string()
    .max(16_384)
    .regex(/^\/[\w-][!-~]*$/, 'must be an address below /api, as it is sent')
    .refine((path) => !/[#\\]|[?&]ticket=/.test(path), 'must be a plain address below /api'),
})

/** Tickets for downloads over HTTP. */
export function ticketRoutes(app: FastifyInstance, { access, store, clock }: RouteContext): void {
  app.post('/download-tickets', async (request): Promise<{ link: string; expiresAt: number }> => {
    const credential = access.requireCredential(request, 'Taking a file along')
    const { path } = ticketBody.parse(request.body)
    const address = `/api${path}`
    const { hash, link } = newTicket(address)
    const now = clock.now()
    await store.call('keepTicket', { hash, credential, address, now })
    return { link, expiresAt: now + TICKET_MS }
  })
}

const beginBody = z.object({ password: passwordField })
const codeBody = z.object({ code: codeField })
const removeBody = z.object({ password: passwordField, code: codeField })
const CHANGING = 'Changing your second factor'

/** The second factor of an account, over HTTP. */
export function secondFactorRoutes(app: FastifyInstance, context: AccountContext): void {
  const { access, accounts, secondFactors, store } = context

  app.get('/me/second-factor', (request): Promise<SecondFactorView> => {
    const { accountId } = access.requireSession(request, 'Seeing your second factor')
    return store.call('readSecondFactor', { accountId })
  })
  app.post('/me/second-factor', async (request): Promise<{ secret: string; uri: string }> => {
    const caller = access.requireSession(request, CHANGING)
    await accounts.requirePassword(caller, beginBody.parse(request.body).password)
    return secondFactors.begin(caller, new URL(originOf(request, context)).host)
  })
  app.post('/me/second-factor/confirm', async (request): Promise<{ recoveryCodes: string[] }> => {
    const caller = access.requireSession(request, CHANGING)
    const { code } = codeBody.parse(request.body)
    return { recoveryCodes: await secondFactors.confirm(caller, code) }
  })
  app.post('/me/second-factor/remove', async (request) => {
    const caller = access.requireSession(request, CHANGING)
    const { password, code } = removeBody.parse(request.body)
    await accounts.requirePassword(caller, password)
    await secondFactors.require(caller, code)
    await secondFactors.remove(caller, caller.accountId)
    return {}
  })
  app.delete('/accounts/:id/second-factor', may('accounts:write'), async (request) => {
    const { accountId: by } = access.requireAction(request, 'accounts:write')
    const { id: account } = idParams.parse(request.params)
    const { id: accountId, name } = await store.call('findNamedAccount', { account })
    await secondFactors.remove({ accountId, name }, by)
    return { id: accountId, name }
  })
}
