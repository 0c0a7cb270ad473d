/** Whether a move pays: what it saves until the next plan, against what it costs once. */
import type { Plan } from './plan.ts'

export interface Bargain {
  pays: boolean
  savedMs: number
  migrationMs: number
  why: string
}

/** How often all pages will be fetched within the horizon; at least once, or no plan would ever pay. */
export function passesWithin(
  horizonMs: number,
  { pagesPerSecond, pages }: { pagesPerSecond: number; pages: number },
): number {
  return Math.max(1, (pagesPerSecond * horizonMs) / 1_000 / Math.max(1, pages))
}

/**
 * The best that moves anything against keeping what can stay; forced moves cost both the same. A plan is the
 * cheapest of its ways, so it keeps exactly when this does not pay.
 */
export function breakEven({ compared }: Plan): Bargain {
  const { kept, ...others } = compared
  if (kept === undefined) {
    return { pays: true, savedMs: 0, migrationMs: 0, why: 'There was no placement to keep.' }
  }
  const bargains = Object.values(others).map(({ runningMs, migrationMs }) => ({
    savedMs: kept.runningMs - runningMs,
    migrationMs: migrationMs - kept.migrationMs,
  }))
  const best = bargains.reduce((one, other) => (netOf(other) > netOf(one) ? other : one))
  const sums = `${seconds(best.savedMs)} of waiting saved, ${seconds(best.migrationMs)} of moving spent`
  const pays = netOf(best) > 0
  return { pays, ...best, why: `${pays ? 'Moving pays' : 'Moving more would not pay'}: ${sums}.` }
}

function netOf({ savedMs, migrationMs }: { savedMs: number; migrationMs: number }): number {
  return savedMs - migrationMs
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
