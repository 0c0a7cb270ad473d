/** Passkeys over HTTP: options go to the browser's own WebAuthn, and what that answers comes back. */
import type { Account } from '@minga/fleet'
import type { PasskeyView } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { AccountContext } from './account-context.ts'
import { originOf } from '../station/station-origin.ts'
import { passwordField, titleField } from './fields.ts'
import { openInBrowser } from './session-cookie.ts'

const PUBLIC = { config: { isPublic: true } }
const CHANGING = 'Changing your passkeys'

/** Base64url; the longest part, the attestation, has a few kilobytes. */
const bytesField = z
  .string()
  .max(20_000)
  .regex(/^[\w-]*$/, 'must be base64url')
const credentialId = z
  .string()
  .min(1)
  .max(1_400)
  .regex(/^[\w-]+$/, 'must be base64url')
const typeField = z.literal('public-key')
const optionsBody = z.object({ password: passwordField })
const registerBody = z.object({
  name: titleField,
  credential: z.object({
    id: credentialId,
    type: typeField,
    response: z.object({
      clientDataJSON: bytesField,
      attestationObject: bytesField,
      transports: z.array(z.string().max(50)).max(20).default([]),
    }),
  }),
})
const logInBody = z.object({
  credential: z.object({
    id: credentialId,
    type: typeField,
    response: z.object({
      clientDataJSON: bytesField,
      authenticatorData: bytesField,
      signature: bytesField,
    }),
  }),
})
const passkeyParams = z.object({ id: credentialId })

/** As the browser's parse…OptionsFromJSON takes them. */
interface PasskeyOptions {
  options: object
}

export function passkeyRoutes(app: FastifyInstance, context: AccountContext): void {
  const { access, accounts, passkeys } = context

  app.get('/me/passkeys', (request): Promise<PasskeyView[]> => {
    const { accountId } = access.requireSession(request, 'Seeing your passkeys')
    return context.store.call('listPasskeys', { accountId })
  })
  app.post('/me/passkeys/options', async (request): Promise<PasskeyOptions> => {
    const caller = access.requireSession(request, CHANGING)
    await accounts.requirePassword(caller, optionsBody.parse(request.body).password)
    return { options: await passkeys.registrationOptions(caller, originOf(request, context)) }
  })
  app.post('/me/passkeys', (request): Promise<PasskeyView> => {
    const caller = access.requireSession(request, CHANGING)
    const { name, credential } = registerBody.parse(request.body)
    const response = { ...credential, rawId: credential.id, clientExtensionResults: {} }
    return passkeys.register(caller, { name, response }, originOf(request, context))
  })
  app.delete('/me/passkeys/:id', async (request) => {
    const caller = access.requireSession(request, CHANGING)
    await passkeys.remove(caller, passkeyParams.parse(request.params).id)
    return {}
  })

  app.post('/sessions/passkey-options', PUBLIC, async (request): Promise<PasskeyOptions> => {
    return { options: await passkeys.logInOptions(originOf(request, context)) }
  })
  app.post(
    '/sessions/by-passkey',
    PUBLIC,
    async (request, reply): Promise<{ account: Account; expiresAt: number; pageToken: string }> => {
      const { credential } = logInBody.parse(request.body)
      const opened = await passkeys.logIn({
        response: { ...credential, rawId: credential.id, clientExtensionResults: {} },
        origin: originOf(request, context),
        address: request.ip,
        client: request.headers['user-agent'],
      })
      return openInBrowser({ request, reply, context }, opened)
    },
  )
}
