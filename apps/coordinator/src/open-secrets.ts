/** Opens what only this station knows: makes it at the first start, and encrypts what an older version left in the open. */
import type { Store } from '@minga/store'
import { renewedHubSecrets } from './watch/signals/websub-rows.ts'
import { SecretsMissing } from './station/errors.ts'
import {
  newSecret,
  newSecretsFile,
  readSecretsFile,
  rotatedFile,
  writeSecretsFile,
  type SecretsFile,
  type SecretsPlace,
} from './station/secrets/secrets-file.ts'
import { StationSecrets } from './station/secrets/station-secrets.ts'
import type { Operations } from './station/station-operations.ts'

export async function openSecrets(
  store: Store<Operations>,
  place: SecretsPlace,
  now: number,
): Promise<StationSecrets> {
  const file = (await readSecretsFile(place)) ?? (await makeFile(store, place))
  return sealAll(store, new StationSecrets(file), { now, hubsUntil: null })
}

/** To be done while no other process has the station open. Answers until when what is former is accepted. */
export async function rotateSecrets(
  store: Store<Operations>,
  place: SecretsPlace,
  { now, graceMs }: { now: number; graceMs: number },
): Promise<{ until: number; secrets: StationSecrets }> {
  const file = (await readSecretsFile(place)) ?? (await makeFile(store, place))
  const until = now + graceMs
  const rotated = rotatedFile(file, { now, until })
  // Before anything is encrypted with its new key; the former key stays until nothing needs it.
  await writeSecretsFile(place, rotated)
  const secrets = await sealAll(store, new StationSecrets(rotated), { now, hubsUntil: until })
  await writeSecretsFile(place, { ...rotated, database: rotated.database.slice(0, 1) })
  return { until, secrets }
}

async function makeFile(store: Store<Operations>, place: SecretsPlace): Promise<SecretsFile> {
  const { keyId, formerSecret } = await store.call('listSecretRows', { keyId: null })
  if (keyId !== null) throw new SecretsMissing(place.data)
  const file = newSecretsFile(formerSecret)
  await writeSecretsFile(place, file)
  return file
}

interface Sealing {
  now: number
  /** Until when hubs may sign with what they have; null: they get no other secrets. */
  hubsUntil: number | null
}

/** By whatever key it was encrypted before, if by any. */
async function sealAll(
  store: Store<Operations>,
  secrets: StationSecrets,
  { now, hubsUntil }: Sealing,
): Promise<StationSecrets> {
  const { keyId } = secrets
  const rows = await store.call('listSecretRows', { keyId })
  if (rows.keyId === keyId) return secrets
  const again = (text: string): string => secrets.seal(secrets.open(text))
  const ofHub = (text: string): string => {
    if (hubsUntil === null) return again(text)
    const renewing = { fresh: newSecret(), now, until: hubsUntil }
    return secrets.seal(renewedHubSecrets(secrets.open(text), renewing))
  }
  await store.call('writeSecretRows', {
    keyId,
    now,
    facts: rows.facts.map(({ name, value }) => ({ name, value: sealedFact(name, value, again) })),
    subscriptions: rows.subscriptions.map(({ token, secret }) => ({
      token,
      secret: ofHub(secret),
    })),
    hubsAskedAt: hubsUntil === null ? null : now,
    factors: rows.factors.map(({ account, secret }) => ({ account, secret: again(secret) })),
  })
  return secrets
}

/** Of a log-in only the password is a secret: operations read and change the rest. */
function sealedFact(name: string, value: string, again: (text: string) => string): string {
  if (!name.startsWith('wiki-log-in ')) return again(value)
  const logIn = JSON.parse(value) as { password: string }
  return JSON.stringify({ ...logIn, password: again(logIn.password) })
}
