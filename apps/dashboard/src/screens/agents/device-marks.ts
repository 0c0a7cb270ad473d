/** What is said of a device in one word, and in which colour. */
import type { StatusKind } from '../../components/status-badge.tsx'
import type { SeenDevice, TrustView } from '../../api/station-api.ts'

/** The words are under `device.state` in the catalogues. */
const DOINGS: Readonly<Record<SeenDevice['doing'], StatusKind>> = {
  working: 'good',
  idle: 'info',
  resting: 'warn',
  away: 'quiet',
  paused: 'warn',
  drained: 'warn',
  blocked: 'warn',
  stopped: 'bad',
  revoked: 'bad',
}

/** In the order of how much they help. */
export const DOING_WORDS = Object.keys(DOINGS) as SeenDevice['doing'][]

export const kindOfDoing = (doing: SeenDevice['doing']): StatusKind => DOINGS[doing]

export interface TrustMark {
  kind: StatusKind
  /** Under `trust.state` in the catalogues. */
  word: 'own' | 'proven' | 'unproven' | 'blocked' | 'quarantined' | 'expelled'
}

/** Whether it may work comes before how far it is believed. */
export function trustMarkOf(trust: TrustView | null): TrustMark {
  const state = trust?.standing.state ?? 'active'
  if (state === 'blocked') return { kind: 'warn', word: 'blocked' }
  if (state !== 'active') return { kind: 'bad', word: state }
  if (trust?.isTrusted) return { kind: 'info', word: 'own' }
  return trust?.isProven ? { kind: 'good', word: 'proven' } : { kind: 'quiet', word: 'unproven' }
}

/** Requests that brought no answer. */
export function errorsOfDevice({ counters }: SeenDevice): number {
  return counters.network_errors + counters.timeouts
}

/** Answers of sites, whatever they said. */
export function answersOf({ counters }: SeenDevice): number {
  return counters.n_2xx + counters.n_3xx + counters.n_4xx + counters.n_5xx
}
