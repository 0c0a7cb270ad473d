/**
 * Whether a device may work, and if not, why and until when.
 *
 *   active ──poor service──▶ blocked ──time──▶ active
 *   active, blocked ──proven lie──▶ quarantined ──operator──▶ active
 *   any ──second proven lie, or operator──▶ expelled ──operator──▶ active
 *
 * A single proven lie is not the end: a page that changed in an unlucky moment can look like one.
 */

export type StandingState = 'active' | 'blocked' | 'quarantined' | 'expelled'

/** Stable codes: shown to the volunteer, counted, translated. */
export type StandingReason =
  | 'failing'
  | 'timing-out'
  | 'slow'
  | 'lie'
  | 'lies'
  | 'owner'
  | 'operator'
  | 'abuse'

export interface Standing {
  readonly state: StandingState
  readonly reason: StandingReason | null
  /** Only while blocked. */
  readonly blockedUntil: number | null
  /** Blocks so far; each is longer than the last. */
  readonly blocks: number
  readonly agreements: number
  readonly lies: number
  /** The host of the first proven forgery. */
  readonly liedHostId: number | null
  /** When an operator last released it; 0 for never. */
  readonly releasedAt: number
}

export const NEW_STANDING: Standing = {
  state: 'active',
  reason: null,
  blockedUntil: null,
  blocks: 0,
  agreements: 0,
  lies: 0,
  liedHostId: null,
  releasedAt: 0,
}

/** What a device did since `startedAt`. */
export interface ServiceWindow {
  readonly startedAt: number
  /** Requests that came back in any way or were lost with a lease. */
  readonly served: number
  /** Results whose records did not hold when the station checked them. */
  readonly failed: number
  /** Requests lost because their lease ended unfinished. */
  readonly timedOut: number
  /** Requests that took several times the fleet's usual time. */
  readonly slow: number
}

export const emptyWindow = (startedAt: number): ServiceWindow => ({
  startedAt,
  served: 0,
  failed: 0,
  timedOut: 0,
  slow: 0,
})

/** Long enough to see a pattern, short enough that yesterday's outage is forgotten. */
export const WINDOW_MS = 3_600_000
/** Below this a few dead sites look like a bad device. */
const SERVED_MIN = 50
/** Lost leases delay others most, so they weigh most; slowness alone harms little. Set too low
 * they block honest machines on bad lines; too high only wastes some turns. */
const THRESHOLDS: readonly { reason: StandingReason; count: keyof ServiceWindow; share: number }[] =
  [
    { reason: 'timing-out', count: 'timedOut', share: 0.3 },
    { reason: 'failing', count: 'failed', share: 0.6 },
    { reason: 'slow', count: 'slow', share: 0.8 },
  ]
const FIRST_BLOCK_MS = 900_000
const BLOCK_MAX_MS = 86_400_000

export function withService(
  window: ServiceWindow,
  more: Omit<ServiceWindow, 'startedAt'>,
  now: number,
): ServiceWindow {
  const base = now - window.startedAt < WINDOW_MS ? window : emptyWindow(now)
  return {
    startedAt: base.startedAt,
    served: base.served + more.served,
    failed: base.failed + more.failed,
    timedOut: base.timedOut + more.timedOut,
    slow: base.slow + more.slow,
  }
}

/** The reason to block the device, or null when it serves well enough. */
export function poorService(window: ServiceWindow): StandingReason | null {
  if (window.served < SERVED_MIN) return null
  const broken = THRESHOLDS.find(({ count, share }) => window[count] >= share * window.served)
  return broken?.reason ?? null
}

export function afterBlock(
  standing: Standing,
  block: { reason: StandingReason; now: number; durationMs?: number },
): Standing {
  if (standing.state === 'quarantined' || standing.state === 'expelled') return standing
  const usualMs = Math.min(BLOCK_MAX_MS, FIRST_BLOCK_MS * 2 ** Math.min(standing.blocks, 10))
  return {
    ...standing,
    state: 'blocked',
    reason: block.reason,
    blockedUntil: block.now + (block.durationMs ?? usualMs),
    blocks: standing.blocks + 1,
  }
}

export function afterTime(standing: Standing, now: number): Standing {
  const isOver = standing.state === 'blocked' && (standing.blockedUntil ?? 0) <= now
  return isOver ? { ...standing, state: 'active', reason: null, blockedUntil: null } : standing
}

/**
 * A proven forgery takes all trust away. The second one expels, if it is independent of the first:
 * on another host, or after a release. One odd site must not count as two forgeries.
 */
export function afterLie(
  standing: Standing,
  lie: { hostId: number; receivedAt: number },
): Standing {
  const isFirst = standing.lies === 0
  const isIndependent =
    standing.liedHostId !== lie.hostId ||
    (standing.releasedAt > 0 && lie.receivedAt > standing.releasedAt)
  const isExpelled = standing.state === 'expelled' || (!isFirst && isIndependent)
  return {
    ...standing,
    state: isExpelled ? 'expelled' : 'quarantined',
    reason: isExpelled ? 'lies' : 'lie',
    blockedUntil: null,
    agreements: 0,
    lies: standing.lies + 1,
    liedHostId: standing.liedHostId ?? lie.hostId,
  }
}

export function afterAgreement(standing: Standing): Standing {
  // In quarantine an older result that proves true changes nothing: trust is earned from the start.
  const counts = standing.state === 'active' || standing.state === 'blocked'
  return counts ? { ...standing, agreements: standing.agreements + 1 } : standing
}

export function afterQuarantine(standing: Standing, reason: StandingReason): Standing {
  if (standing.state === 'expelled') return standing
  return { ...standing, state: 'quarantined', reason, blockedUntil: null, agreements: 0 }
}

export function afterExpulsion(standing: Standing, reason: StandingReason): Standing {
  return { ...standing, state: 'expelled', reason, blockedUntil: null, agreements: 0 }
}

/** With `isForgiven` the operator found that there was no lie. */
export function afterRelease(
  standing: Standing,
  release: { now: number; isForgiven: boolean },
): Standing {
  const past = release.isForgiven ? { lies: 0, liedHostId: null } : {}
  return {
    ...standing,
    ...past,
    state: 'active',
    reason: null,
    blockedUntil: null,
    releasedAt: release.now,
  }
}

const SENTENCES: Record<StandingReason, string> = {
  failing:
    'Most of the records that it sent failed the checks of the station (is its clock right?).',
  'timing-out': 'It took requests and did not answer in time.',
  slow: 'It was several times slower than the other devices.',
  lie: 'One of its results was not what the site sent, as two other fetches showed.',
  lies: 'Several of its results were not what the sites sent, as other fetches showed.',
  owner: 'Another device of its owner was expelled.',
  operator: 'An operator of the station decided so.',
  abuse: 'It broke the rules of the protocol.',
}

/** Why the device may not work, in words for its owner. */
export function sentenceOf(reason: StandingReason): string {
  return SENTENCES[reason]
}
