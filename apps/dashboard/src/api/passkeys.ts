/** Passkeys: what the station asks goes to the browser's own WebAuthn, and its answer back. */
import type { PasskeyView } from '@minga/protocol'
import { forgetKey, keepPageToken } from './key.ts'
import type { Operations } from './station-api.ts'
import { station } from './station.ts'

/** Browsers that cannot read the options of a server, from before 2025, are left with passwords. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential
  )
}

type Registration = Operations['POST /me/passkeys']['body']['credential']
type LogIn = Operations['POST /sessions/by-passkey']['body']['credential']

export async function addPasskey(wanted: { name: string; password: string }): Promise<PasskeyView> {
  const { name, password } = wanted
  const { options } = await station('POST /me/passkeys/options', { body: { password } })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  const made = answerOf(await navigator.credentials.create({ publicKey }))
  return station('POST /me/passkeys', { body: { name, credential: made as Registration } })
}

export async function logInByPasskey(): Promise<void> {
  const { options } = await station('POST /sessions/passkey-options', { body: {} })
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  )
  const shown = answerOf(await navigator.credentials.get({ publicKey }))
  const body = { credential: shown as LogIn }
  const { pageToken } = await station('POST /sessions/by-passkey', { body })
  forgetKey()
  keepPageToken(pageToken)
}

function answerOf(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser made no passkey.')
  return credential.toJSON()
}
