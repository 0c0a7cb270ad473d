/**
 * Has the page changed its ways? Page's cumulative sum ("Continuous inspection schemes", Biometrika
 * 1954), twice: each outcome is weighed against what the belief would say if all its rates were
 * four times higher, or four times lower. A sum of log likelihood ratios that climbs past the alarm
 * ends the old regime: the belief starts again from what was seen since the climb began, with a share of the old belief in case the alarm was false. So a burst is
 * followed within a few visits while a steady page keeps its long memory.
 *
 * Chosen over Bayesian online change points (Adams and MacKay 2007), which keep a posterior for
 * every run length: this is ten numbers per page and two sums over the grid per visit.
 */
import { BROAD, GRID_POINTS, LOG_RATES, LOG_STEP, normalise, RATES } from './grid.ts'

/** Grid steps between the regimes compared: 1.32⁵ ≈ 4. Smaller shifts are left to forgetting. */
const SHIFT = 5
/**
 * Nats. Lower catches bursts a visit or two sooner; each nat less brings about three times as many
 * false alarms, and a false alarm costs a page most of its precision.
 */
const ALARM = 7
/** No single outcome counts for more: a detector errs now and then. */
const MOST_PER_OUTCOME = 3
/** Spread of the logarithm of the rate around the shift that was tested for: a factor of three. */
const NEW_SPREAD = 1.1
/** How much of the old belief survives an alarm. */
const DOUBT = 0.25

/** What was seen since one sum last stood at zero; spans in days of average activity. */
export interface Climb {
  score: number
  /** Visits that found a change, and the days before them. */
  changed: number
  changedDays: number
  /** Changes observed exactly, and days without change or observed exactly. */
  exact: number
  otherDays: number
}

export type Regime = 'steady' | 'faster' | 'slower'

export const newClimb = (): Climb => ({
  score: 0,
  changed: 0,
  changedDays: 0,
  exact: 0,
  otherDays: 0,
})

/** One observation, as far as a climb remembers it. */
export interface Evidence {
  changed: number
  changedDays: number
  exact: number
  otherDays: number
}

/** `likelihood[i]`: of the observation at rate i, on any scale. Returns what the sums say now. */
export function weigh(
  weights: Float32Array,
  likelihood: Float64Array,
  evidence: Evidence,
  climbs: { faster: Climb; slower: Climb },
): Regime {
  let [asBelieved, ifFaster, ifSlower] = [0, 0, 0]
  for (let i = 0; i < GRID_POINTS; i++) {
    const weight = weights[i]!
    asBelieved += weight * likelihood[i]!
    ifFaster += weight * likelihood[i + SHIFT < GRID_POINTS ? i + SHIFT : GRID_POINTS - 1]!
    ifSlower += weight * likelihood[i > SHIFT ? i - SHIFT : 0]!
  }
  climb(climbs.faster, ifFaster / asBelieved, evidence)
  climb(climbs.slower, ifSlower / asBelieved, evidence)
  if (climbs.faster.score > ALARM) return 'faster'
  return climbs.slower.score > ALARM ? 'slower' : 'steady'
}

function climb(sum: Climb, ratio: number, evidence: Evidence): void {
  const gain = Math.log(Math.max(ratio, Number.MIN_VALUE))
  sum.score += Math.min(MOST_PER_OUTCOME, gain)
  if (sum.score <= 0) {
    clear(sum)
    return
  }
  sum.changed += evidence.changed
  sum.changedDays += evidence.changedDays
  sum.exact += evidence.exact
  sum.otherDays += evidence.otherDays
}

export function clear(sum: Climb): void {
  sum.score = 0
  sum.changed = 0
  sum.changedDays = 0
  sum.exact = 0
  sum.otherDays = 0
}

/**
 * In place: the belief after a regime ended, from the climb that showed it. A climb is a chosen run
 * of luck and exaggerates, so the new regime is first sought around the shift that was tested for.
 */
export function startAgain(
  belief: { readonly weights: Float32Array; readonly faster: Climb; readonly slower: Climb },
  regime: 'faster' | 'slower',
  scratch: Float64Array,
): void {
  const { weights } = belief
  const centre = meanLog(weights) + (regime === 'faster' ? SHIFT : -SHIFT) * LOG_STEP
  let highest = -Infinity
  for (let i = 0; i < GRID_POINTS; i++) {
    const near = Math.exp(-0.5 * ((LOG_RATES[i]! - centre) / NEW_SPREAD) ** 2)
    scratch[i] = Math.log(near + BROAD[i]!) + logLikelihood(belief[regime], i)
    highest = Math.max(highest, scratch[i]!)
  }
  for (let i = 0; i < GRID_POINTS; i++) scratch[i] = Math.exp(scratch[i]! - highest)
  normalise(scratch)
  for (let i = 0; i < GRID_POINTS; i++) {
    weights[i] = (1 - DOUBT) * scratch[i]! + DOUBT * weights[i]!
  }
}

function meanLog(weights: Float32Array): number {
  let mean = 0
  for (let i = 0; i < GRID_POINTS; i++) mean += weights[i]! * LOG_RATES[i]!
  return mean
}

/** Of what a climb remembers; the days before changes were found are taken as equal. */
function logLikelihood(seen: Climb, i: number): number {
  const rate = RATES[i]!
  const exact = seen.exact * LOG_RATES[i]! - rate * seen.otherDays
  if (seen.changed === 0) return exact
  return exact + seen.changed * Math.log(-Math.expm1((-rate * seen.changedDays) / seen.changed))
}
