/** Links that sign in one browser, over HTTP. */
import type { LogInOptions } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { AccountContext } from './account-context.ts'
import { NotAllowed } from '../station/errors.ts'
import { originOf } from '../station/station-origin.ts'
import { Passkeys } from './passkeys.ts'
import { openInBrowser } from './session-cookie.ts'
import { newSignIn } from './sign-in-links.ts'

const linkBody = z.object({ token: z.string().min(1).max(200) })
const PUBLIC = { config: { isPublic: true } }

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
