import type { MingaError } from '@minga/protocol'
import { DeviceBlocked, DeviceExpelled, DeviceQuarantined } from '../errors.ts'
import { afterTime, sentenceOf, type Standing } from './standing.ts'

/** The refusal for a device that asks for work or sends results; null when it may continue. */
export function refusalOf(standing: Standing, now: number): MingaError | null {
  const { state, reason, blockedUntil } = afterTime(standing, now)
  const why = sentenceOf(reason ?? 'operator')
  if (state === 'blocked') return new DeviceBlocked(why, blockedUntil ?? now)
  if (state === 'quarantined') return new DeviceQuarantined(why)
  return state === 'expelled' ? new DeviceExpelled(why) : null
}
