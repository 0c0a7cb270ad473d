/**
 * Why a device does nothing, as one word that never changes its meaning: the page has a sentence for each in
 * every language. What stops it for longest comes first, as in the list of what devices do.
 */
import type { Doing } from '@minga/fleet'
import type { IdleReason } from '@minga/protocol'

/** What there is to do at the station, for anyone. */
export interface WorkThere {
  /** Collections that run. */
  running: number
  /** URLs that wait in them, and those of wikis among them that only proven devices may ask for. */
  queued: number
  queuedForTrusted: number
  /** Some host with waiting URLs is leased to no agent. */
  hasFreeHost: boolean
}

export interface IdleFacts {
  doing: Doing
  standing: 'active' | 'blocked' | 'quarantined' | 'expelled'
  isTrusted: boolean
  /** Why its last hello came to nothing. */
  refused: string | null
  /** Why it rests, as it said itself. */
  rest: string | null
  /** Whether it may be given anything at all: one that straggles waits for a while. */
  isReady: boolean
  /** Turns of hosts that are meant for it already. */
  due: number
}

/** Agents' own words for why they rest. */
const RESTS: Readonly<Record<string, IdleReason>> = {
  'paused-by-owner': 'paused-at-machine',
  'outside-hours': 'outside-hours',
  'month-used-up': 'month-used-up',
  'on-battery': 'on-battery',
  'on-metered-line': 'on-metered-line',
}

const STOPPED: Readonly<Partial<Record<Doing, IdleReason>>> = {
  revoked: 'revoked',
  blocked: 'blocked',
  drained: 'drained',
  paused: 'paused-by-owner',
}

/** Null while it works. */
export function whyIdle(facts: IdleFacts, work: WorkThere): IdleReason | null {
  if (facts.doing === 'working') return null
  if (facts.doing === 'stopped') {
    return facts.standing === 'quarantined' ? 'quarantined' : 'expelled'
  }
  const stopped = STOPPED[facts.doing]
  if (stopped !== undefined) return stopped
  if (facts.doing === 'away') return facts.refused === null ? 'not-connected' : 'too-old'
  if (facts.doing === 'resting') return RESTS[facts.rest ?? ''] ?? 'resting'
  return wantOfWork(facts, work)
}

function wantOfWork({ isReady, isTrusted, due }: IdleFacts, work: WorkThere): IdleReason {
  if (work.running === 0) return 'no-collection'
  if (work.queued === 0) return 'no-work'
  if (!isTrusted && work.queued === work.queuedForTrusted) return 'waits-for-trust'
  if (!isReady) return 'straggles'
  if (due > 0 || work.hasFreeHost) return 'waits-for-clocks'
  return 'others-have-it'
}
