/** E-mail addresses of accounts, and new passwords by mail. */
import { ALERT_LANGUAGES } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { AccountContext } from './account-context.ts'
import { originOf } from '../station/station-origin.ts'
import { passwordField } from './fields.ts'

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
