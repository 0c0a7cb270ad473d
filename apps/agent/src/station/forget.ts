/** A device that leaves for good: the station refuses its key from now on, and the key is deleted. */
import { privateKeyOf } from '@minga/protocol'
import { randomUUID } from 'node:crypto'
import { deviceFacts } from './device-facts.ts'
import { readDeviceFile, removeDeviceFile } from './device-file.ts'
import { StationRefused } from '../errors.ts'
import { removeSigningKey } from './signing-key.ts'
import { StationClient } from './station-client.ts'

/** Answers the station that forgot it; null when no station knew it. Stays as it is while that is away. */
export async function forgetDevice(data: string): Promise<string | null> {
  const file = await readDeviceFile(data)
  const url = file?.station ?? null
  if (file !== null && url !== null && file.device !== null) {
    const own = { id: file.device, key: privateKeyOf(file) }
    const station = new StationClient({
      url,
      device: own,
      boot: randomUUID(),
      facts: deviceFacts(),
    })
    try {
      await station.hello()
      await station.revoke()
    } catch (error) {
      // What the station has forgotten or revoked already needs no second time.
      if (!(error instanceof StationRefused && GONE.test(error.reason))) throw error
    }
  }
  await removeDeviceFile(data)
  await removeSigningKey(data)
  return url
}

const GONE = /\bMINGA_(UNKNOWN_DEVICE|DEVICE_REVOKED)\b/
