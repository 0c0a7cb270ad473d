/** Links that sign in one browser, over HTTP. */
import type { LogInOptions } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ApiParts } from '../api-routes.ts'
import { NotAllowed } from '../errors.ts'
import { cookieFor, cookieHeader } from './session-cookie.ts'
import { newSignIn } from './sign-in-links.ts'

const linkBody = z.object({ token: z.string().min(1).max(200) })
const PUBLIC = { config: { isPublic: true } }
const SECOND_MS = 1_000

export function signInRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { access, accounts, accountMail, clock, store, pageTokens } = parts

  app.get('/log-in-options', PUBLIC, async (): Promise<LogInOptions> => {
    return { resetsByMail: accountMail.isOn }
  })
  app.post('/sessions/by-link', PUBLIC, async (request, reply) => {
    const { token: link } = linkBody.parse(request.body)
    const client = request.headers['user-agent']
    const opened = await accounts.signInByLink({ link, address: request.ip, client })
    const { token, account, expiresAt } = opened
    const maxAgeS = Math.floor((expiresAt - clock.now()) / SECOND_MS)
    void reply.header('set-cookie', cookieHeader(cookieFor(request, parts), token, maxAgeS))
    return { account, expiresAt, pageToken: pageTokens.of(token) }
  })
  app.post('/sign-in-links', async (request): Promise<{ token: string; expiresAt: number }> => {
    const credential = access.requireCredential(request, 'Making a sign-in link')
    const { via, scopes } = access.requireCaller(request, 'Making a sign-in link')
    if (via.kind !== 'key' || scopes !== null) throw new NotAllowed('Making a sign-in link')
    const { token, expiresAt, ticket } = newSignIn(credential, clock.now())
    await store.call('keepTicket', ticket)
    return { token, expiresAt }
  })
}
