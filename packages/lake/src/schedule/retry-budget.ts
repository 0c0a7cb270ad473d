/**
 * How often a task may be tried. A failure that a task reports is its own; a lease that ends
 * without a message may be the task's fault (it used up all memory) or not (the machine was
 * switched off), so it costs too, but less: counting it like a failure would end queries because of
 * the weather, not counting it would let a task that kills its workers do so for ever. What is
 * given back in order costs nothing.
 */
import type { Retry } from '@minga/protocol'

export interface Budget {
  attemptsMost: number
  deathsMost: number
}

export interface Tries {
  /** Failures that were reported, this one included. */
  attempts: number
  /** Leases that ended silently, this one included. */
  deaths: number
}

const FIRST_REST_MS = 500
/** A full disk or a missing file needs a moment; longer than this only delays the answer. */
const LONGEST_REST_MS = 30_000

/** After a reported failure: null when the task is not to be tried again. */
export function restAfterFailure(tries: Tries, retry: Retry, budget: Budget): number | null {
  if (retry === 'never' || tries.attempts >= budget.attemptsMost) return null
  return retry === 'now' ? 0 : restMs(tries.attempts)
}

/** After a silent end. The first two are tried again at once: recovery must not wait for suspicion. */
export function restAfterDeath(tries: Tries, budget: Budget): number | null {
  if (tries.deaths >= budget.deathsMost) return null
  return tries.deaths <= 2 ? 0 : restMs(tries.deaths - 2)
}

function restMs(times: number): number {
  return Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (times - 1))
}
