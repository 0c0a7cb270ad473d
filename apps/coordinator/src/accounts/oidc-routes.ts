/** Log-ins by an OpenID Connect issuer, over HTTP. */
import type { Account } from '@minga/fleet'
import type { IdentityView } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { AccountContext } from './account-context.ts'
import { originOf } from '../station/station-origin.ts'
import { idParams, passwordField } from './fields.ts'
import type { BegunLogIn } from './oidc.ts'
import { openInBrowser } from './session-cookie.ts'

const PUBLIC = { config: { isPublic: true } }
const CHANGING = 'Changing how you log in'
const answerBody = z.object({
  flow: z.string().min(1).max(4_000),
  /** Of the address that the issuer sent the browser to, as in `?code=…&state=…`. */
  query: z.string().max(8_000),
})
const linkBody = z.object({ password: passwordField })

export function oidcRoutes(app: FastifyInstance, context: AccountContext): void {
  const { access, accounts, oidc } = context

  app.post('/sessions/oidc-begin', PUBLIC, (request): Promise<BegunLogIn> =>
    oidc.begin(originOf(request, context)),
  )
  app.post(
    '/sessions/by-oidc',
    PUBLIC,
    async (request, reply): Promise<{ account: Account; expiresAt: number; pageToken: string }> => {
      const answered = answerBody.parse(request.body)
      const client = request.headers['user-agent']
      const opened = await oidc.logIn({ ...answered, address: request.ip, client })
      return openInBrowser({ request, reply, context }, opened)
    },
  )
  app.get('/me/identities', (request): Promise<IdentityView[]> => {
    const { accountId } = access.requireSession(request, 'Seeing how you log in')
    return context.store.call('listIdentities', { accountId })
  })
  app.post('/me/identities/begin', async (request): Promise<BegunLogIn> => {
    const caller = access.requireSession(request, CHANGING)
    await accounts.requirePassword(caller, linkBody.parse(request.body).password)
    return oidc.beginLink(caller, originOf(request, context))
  })
  app.post('/me/identities', async (request) => {
    const caller = access.requireSession(request, CHANGING)
    await oidc.link(caller, answerBody.parse(request.body))
    return {}
  })
  app.delete('/me/identities/:id', async (request) => {
    const caller = access.requireSession(request, CHANGING)
    await oidc.unlink(caller, idParams.parse(request.params).id)
    return {}
  })
}
