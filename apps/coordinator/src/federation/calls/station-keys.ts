/** The key by which a station shows others that it is itself; made when it first federates, and kept. */
import {
  newDeviceKeys,
  privateKeyOf,
  signProof,
  stationIdOf,
  type DeviceKeys,
} from '@minga/protocol'
import type { Store } from '@minga/store'
import type { StationSecrets } from '../../station/secrets/station-secrets.ts'
import type { Operations } from '../../station/station-operations.ts'

export interface StationIdentity {
  id: string
  publicKey: string
  /** Of a text that begins with what it is for. */
  sign(proof: Buffer): string
}

const FACT = 'federation.keys'

export async function stationIdentity(
  store: Store<Operations>,
  secrets: StationSecrets,
): Promise<StationIdentity> {
  const known = await store.call('readFact', { name: FACT })
  if (known !== null) return identityOf(JSON.parse(secrets.open(known)) as DeviceKeys)
  const keys = newDeviceKeys()
  await store.call('writeFact', { name: FACT, value: secrets.seal(JSON.stringify(keys)) })
  return identityOf(keys)
}

export function identityOf(keys: DeviceKeys): StationIdentity {
  const key = privateKeyOf(keys)
  const { publicKey } = keys
  return { id: stationIdOf(publicKey), publicKey, sign: (proof) => signProof(key, proof) }
}
