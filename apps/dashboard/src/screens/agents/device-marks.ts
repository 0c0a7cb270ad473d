/** What is said of a device in one word, and in which colour. */
import type { DeviceRow, DeviceTrustView } from '../../api/api-types.ts'
import type { MarkKind } from '../../parts/mark.tsx'

export interface DeviceMark {
  kind: MarkKind
  /** Under `device.state` in the catalogues. */
  word: 'working' | 'away' | 'paused' | 'revoked'
}

export function stateOf({ state, isConnected }: DeviceRow): DeviceMark {
  if (state === 'revoked') return { kind: 'bad', word: 'revoked' }
  if (state === 'paused') return { kind: 'warn', word: 'paused' }
  return isConnected ? { kind: 'good', word: 'working' } : { kind: 'quiet', word: 'away' }
}

export interface TrustMark {
  kind: MarkKind
  /** Under `trust.state` in the catalogues. */
  word: 'own' | 'proven' | 'unproven' | 'blocked' | 'quarantined' | 'expelled'
}

/** Whether it may work comes before how far it is believed. */
export function trustMarkOf(trust: DeviceTrustView | null): TrustMark {
  const state = trust?.standing.state ?? 'active'
  if (state === 'blocked') return { kind: 'warn', word: 'blocked' }
  if (state !== 'active') return { kind: 'bad', word: state }
  if (trust?.isTrusted) return { kind: 'info', word: 'own' }
  return trust?.isProven ? { kind: 'good', word: 'proven' } : { kind: 'quiet', word: 'unproven' }
}

/** Requests that brought no answer. */
export function errorsOfDevice({ counters }: DeviceRow): number {
  return counters.network_errors + counters.timeouts
}

/** The one line that a volunteer copies. */
export function joinCommand(station: string, token: string): string {
  return `minga agent join ${station} --token ${token}`
}
