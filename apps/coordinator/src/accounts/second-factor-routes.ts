/** The second factor of an account, over HTTP. */
import type { SecondFactorView } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from './access.ts'
import type { AccountContext } from './account-context.ts'
import { originOf } from '../station/station-origin.ts'
import { codeField, idParams, passwordField } from './fields.ts'

const beginBody = z.object({ password: passwordField })
const confirmBody = z.object({ code: codeField })
const removeBody = z.object({ password: passwordField, code: codeField })
const CHANGING = 'Changing your second factor'

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
    const { code } = confirmBody.parse(request.body)
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
