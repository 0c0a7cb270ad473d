/** Gives a station that does not run new secrets, keys and tokens; its devices keep their own keys and come back. */
import { secretHash } from '@minga/fleet'
import type { Clock } from '@minga/protocol'
import { openStore } from '@minga/store'
import {
  newStationTokens,
  readStationFile,
  STOPPED_PID,
  writeStationFile,
} from './station/station-file.ts'
import { rotateSecrets } from './open-secrets.ts'
import type { SecretsPlace } from './station/secrets/secrets-file.ts'
import type { Operations } from './station/station-operations.ts'

export interface RotateOptions extends SecretsPlace {
  postgresUrl?: string
  clock: Clock
  /** How long what was made with the former secrets is still accepted. */
  graceMs: number
}

export interface Rotated {
  /** Until when the former secrets are accepted. */
  formerUntil: number
  /** Whether station.json has new keys; a folder that was never served has none. */
  hasNewKeys: boolean
}

/** Fails while another process has the folder: it would go on with the secrets that it has read. */
export async function rotateStation(options: RotateOptions): Promise<Rotated> {
  const { data, postgresUrl, clock, graceMs } = options
  const operations = new URL('./operations.ts', import.meta.url).href
  const postgres = postgresUrl === undefined ? {} : { postgresUrl }
  const now = clock.now()
  const store = await openStore<Operations>({ data, writer: 'main', operations, ...postgres })
  try {
    const { until } = await rotateSecrets(store, options, { now, graceMs })
    const former = await readStationFile(data)
    if (former === null) return { formerUntil: until, hasNewKeys: false }
    const { url, apiKey, joinToken } = former
    const hashes = { keyHash: secretHash(apiKey), joinHash: secretHash(joinToken) }
    await store.call('retireTokens', { ...hashes, until, now })
    await writeStationFile(data, { url, pid: STOPPED_PID, ...newStationTokens() })
    return { formerUntil: until, hasNewKeys: true }
  } finally {
    await store.close()
  }
}
