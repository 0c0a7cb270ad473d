/** Policies that need no model: fixed, random, uniform, and the adaptive schedule of Nutch. */
import { DAY_MS } from '../estimate/grid.ts'
import { HOUR_MS, ruleOnly, withinFloor, type Policy } from './policy.ts'

/** Every so many hours, whatever happens; the first visit is one period after the start. */
export function fixedPolicy(name: string, hours: number): Policy {
  const periodMs = hours * HOUR_MS
  const why = ruleOnly(name, `every ${hours} h`)
  return {
    name,
    usesBudget: false,
    firstVisitAfterMs: periodMs,
    next: (_known, seen) => ({ at: seen.at + periodMs, state: null, why }),
  }
}

/** The budget shared evenly: every URL at the same gap. */
export const uniformPolicy: Policy = {
  name: 'uniform',
  usesBudget: true,
  next: (known, seen, { budgetPerUrlPerDay }) => {
    const at = withinFloor(seen.at + DAY_MS / budgetPerUrlPerDay, known, seen.at)
    return { at, state: null, why: ruleOnly('uniform', 'the same gap for all') }
  },
}

/**
 * The honest baseline: one visit at a random moment of every period of the budget, so that it makes
 * exactly as many visits as `uniform`.
 */
export const randomPolicy: Policy = {
  name: 'random',
  usesBudget: true,
  next: (known, seen, { budgetPerUrlPerDay, random }) => {
    const periodMs = DAY_MS / budgetPerUrlPerDay
    const period = Math.floor((seen.at - known.firstVisitAt) / periodMs + 1e-9) + 1
    const at = known.firstVisitAt + (period + random()) * periodMs
    return { at: withinFloor(at, known, seen.at), state: null, why: ruleOnly('random', 'by lot') }
  },
}

/** Nutch's AdaptiveFetchSchedule as shipped: a fifth less after a change, two fifths more without. */
const NUTCH_LESS = 0.2
const NUTCH_MORE = 0.4
const NUTCH_LEAST_MS = 60_000
const NUTCH_MOST_MS = 365 * DAY_MS
/** Nutch starts from 30 days; a day lets it adapt within the weeks of a comparison. */
const NUTCH_FIRST_MS = DAY_MS

export const nutchPolicy: Policy = {
  name: 'nutch',
  usesBudget: false,
  next: (known, seen) => {
    const before = (known.state as number | null) ?? NUTCH_FIRST_MS
    const factor = seen.changed ? 1 - NUTCH_LESS : 1 + NUTCH_MORE
    const gapMs =
      seen.sinceMs === null
        ? before
        : Math.max(NUTCH_LEAST_MS, Math.min(NUTCH_MOST_MS, before * factor))
    const rule = `gap × ${factor} after a visit ${seen.changed ? 'with' : 'without'} change`
    const at = withinFloor(seen.at + gapMs, known, seen.at)
    return { at, state: gapMs, why: ruleOnly('nutch', rule) }
  },
}
