/**
 * What is believed of a page's change rate: a weight for every rate of the grid (Bayes's rule), its
 * weekly rhythm, and whether it has changed its ways. Visits, which only tell whether anything
 * changed, and exact observations (feeds, sitemaps, revision dates) enter the same posterior:
 *   visit after t days      changed 1 − e^{−λt}     unchanged e^{−λt}
 *   k changes in T days     λᵏ e^{−λT}
 * (of a span that is partly unsure, T is the rest: the date of the latest change alone says that there
 * was one, and none since) where t and T are days of average activity (`integratedSeason`). Changes are taken for a Poisson
 * process whose rate drifts. Times in milliseconds, rates per day. A visit costs a few
 * microseconds and next to no memory.
 *
 * Rules for bad input: a span below a millisecond, negative (a clock went back) or not a number
 * carries no information and is ignored; a span beyond ten years counts as ten.
 */
import {
  BROAD,
  DAY_MS,
  GRID_POINTS,
  isUsable,
  LOG_RATES,
  LONGEST_DAYS,
  normalise,
  RATES,
} from './grid.ts'
import { clear, newClimb, startAgain, weigh, type Climb, type Evidence } from './regime.ts'
import { integratedSeason, newSeason, tallyMoments, tallySpan, type Season } from './season.ts'
import { quantileIn, rateIn, type Rate } from './packed.ts'

/** Weights on the grid to start from, and in words where they come from. */
export interface Prior {
  readonly weights: ArrayLike<number>
  readonly source: string
}

export interface Belief {
  /** One per rate of the grid, one in sum. May be a window into a packed array. */
  readonly weights: Float32Array
  readonly season: Season
  readonly faster: Climb
  readonly slower: Climb
  visits: number
  /** Visits that found a change, and changes observed exactly. */
  changes: number
  /** When anything was last observed, and when a change was; 0: never. */
  lastSeenAt: number
  lastChangeAt: number
  /** How often the page changed its ways, the last time in which direction, and visits since then. */
  regimes: number
  lastRegime: 'none' | 'faster' | 'slower'
  visitsInRegime: number
  /** How many observations still count after forgetting: Σφⁿ, and Σφ²ⁿ for the intervals. */
  evidence: number
  squares: number
}

/**
 * Forgetting: before each observation the belief is drawn towards the broad prior by a power, so
 * that evidence loses half its weight in this many visits, and again in this many days. About 115
 * visits then count, enough for ±10 %; a slow tenfold drift is followed, and sudden ones are the
 * business of `regime.ts`.
 */
const HALF_LIFE_VISITS = 80
const HALF_LIFE_DAYS = 365

/** A visit that surely finds a change teaches nothing about when in the week it happened. */
const SATURATED = 0.98
/** A page is said to be in a burst for so many visits after it became faster. */
const BURST_VISITS = 20

const LOG_BROAD = BROAD.map((weight) => Math.log(weight))
/** Reused by every update: they are synchronous and never nest. */
const likelihood = new Float64Array(GRID_POINTS)
const scratch = new Float64Array(GRID_POINTS)

export function newBelief(prior?: Prior, utcOffsetMs = 0): Belief {
  const weights = Float32Array.from(prior?.weights ?? BROAD)
  normalise(weights)
  return {
    weights,
    season: newSeason(utcOffsetMs),
    faster: newClimb(),
    slower: newClimb(),
    visits: 0,
    changes: 0,
    lastSeenAt: 0,
    lastChangeAt: 0,
    regimes: 0,
    lastRegime: 'none',
    visitsInRegime: 0,
    evidence: 0,
    squares: 0,
  }
}

export interface VisitSeen {
  at: number
  /** Since the visit before. */
  sinceMs: number
  changed: boolean
}

export function observeVisit(belief: Belief, { at, sinceMs, changed }: VisitSeen): void {
  const days = activeDays(belief, at, sinceMs)
  if (days === null) return
  const perDay = rateIn(belief.weights)
  forget(belief, 1, sinceMs / DAY_MS)
  for (let i = 0; i < GRID_POINTS; i++) {
    likelihood[i] = changed ? -Math.expm1(-RATES[i]! * days) : Math.exp(-RATES[i]! * days)
  }
  tallyVisit(belief, { from: at - sinceMs, to: at, changed, expected: perDay * days, perDay })
  const evidence = changed
    ? { changed: 1, changedDays: days, exact: 0, otherDays: 0 }
    : { changed: 0, changedDays: 0, exact: 0, otherDays: days }
  takeIn(belief, evidence)
  note(belief, { at, visits: 1, changes: changed ? 1 : 0, changedAt: at })
}

export interface ChangesSeen {
  /** End of the span in which every change was seen. */
  at: number
  count: number
  spanMs: number
  /** The moments of the changes where they are known: they teach the rhythm of the week. */
  times?: readonly number[]
  /** Part of the span in which others may have gone untold: a list that shows the latest date only. */
  unsureMs?: number
  /** The span ended with a visit that confirmed them. */
  isVisit?: boolean
}

/** Exact observation: the source names every change of the span. */
export function observeChanges(belief: Belief, seen: ChangesSeen): void {
  const whole = activeDays(belief, seen.at, seen.spanMs)
  if (whole === null || !(seen.count >= 0)) return
  const days = whole * (1 - (seen.unsureMs ?? 0) / seen.spanMs)
  // Within a long list the older changes are forgotten as they would have been one by one.
  const fresh = seen.count > 1 ? freshShare(seen.count, 1) : 1
  const exact = seen.count * fresh
  const perDay = rateIn(belief.weights)
  forget(belief, seen.count, seen.spanMs / DAY_MS)
  let highest = -Infinity
  for (let i = 0; i < GRID_POINTS; i++) {
    likelihood[i] = exact * LOG_RATES[i]! - RATES[i]! * days * fresh
    highest = Math.max(highest, likelihood[i]!)
  }
  for (let i = 0; i < GRID_POINTS; i++) likelihood[i] = Math.exp(likelihood[i]! - highest)
  tallyExact(belief, seen, perDay)
  takeIn(belief, { changed: 0, changedDays: 0, exact, otherDays: days * fresh })
  const changedAt = seen.times?.at(-1) ?? seen.at
  const visits = seen.isVisit === true ? 1 : 0
  note(belief, { at: seen.at, visits, changes: seen.count, changedAt })
}

/** Days of average activity in a span, or null where it says nothing. */
function activeDays(belief: Belief, at: number, spanMs: number): number | null {
  if (!isUsable(spanMs) || !Number.isFinite(at)) return null
  const days = integratedSeason(belief.season, at - Math.min(spanMs, LONGEST_DAYS * DAY_MS), at)
  return days > 0 ? days : null
}

/**
 * Draws the weights towards the broad prior, w ← w^φ · broad^(1−φ), and makes room for the new.
 * Bayes's rule normalises their sum afterwards.
 */
function forget(belief: Belief, observations: number, days: number): void {
  const { weights } = belief
  const kept = 2 ** -(observations / HALF_LIFE_VISITS + days / HALF_LIFE_DAYS)
  for (let i = 0; i < GRID_POINTS; i++) {
    weights[i] = Math.exp(kept * Math.log(weights[i]!) + (1 - kept) * LOG_BROAD[i]!)
  }
  const added = Math.max(1, observations)
  belief.evidence = belief.evidence * kept + added * freshShare(added, 1)
  belief.squares = belief.squares * kept * kept + added * freshShare(added, 2)
}

/** What forgetting leaves of a list of observations made at once, per observation. */
function freshShare(count: number, power: 1 | 2): number {
  if (count === 1) return 1
  const each = 2 ** (-power / HALF_LIFE_VISITS)
  return (1 - each ** count) / (1 - each) / count
}

/** Bayes's rule, after asking whether the old regime still explains what was seen. */
function takeIn(belief: Belief, evidence: Evidence): void {
  const { weights } = belief
  const regime = weigh(weights, likelihood, evidence, belief)
  if (regime !== 'steady') {
    normalise(weights)
    const seen = belief[regime]
    startAgain(belief, regime, scratch)
    belief.evidence = belief.squares = Math.max(1, seen.changed + seen.exact)
    clear(belief.faster)
    clear(belief.slower)
    belief.regimes += 1
    belief.lastRegime = regime
    belief.visitsInRegime = 0
    return
  }
  for (let i = 0; i < GRID_POINTS; i++) weights[i]! *= likelihood[i]!
  normalise(weights)
}

interface VisitSpan {
  from: number
  to: number
  changed: boolean
  /** Changes that the rate lets expect in the span. */
  expected: number
  perDay: number
}

function tallyVisit(belief: Belief, { from, to, changed, expected, perDay }: VisitSpan): void {
  const chance = -Math.expm1(-expected)
  if (chance > SATURATED) return
  const found = changed ? expected / chance : 0
  tallySpan(belief.season, { from, to, found, variance: found * found * (1 - chance), perDay })
}

function tallyExact(belief: Belief, seen: ChangesSeen, perDay: number): void {
  const { at, spanMs, count, times } = seen
  const span = { from: at - spanMs, to: at, perDay }
  if (times !== undefined || count === 0) tallyMoments(belief.season, span, times ?? [])
  else tallySpan(belief.season, { ...span, found: count, variance: count })
}

interface Noted {
  at: number
  visits: number
  changes: number
  changedAt: number
}

function note(belief: Belief, { at, visits, changes, changedAt }: Noted): void {
  belief.visits += visits
  belief.visitsInRegime += 1
  belief.changes += changes
  belief.lastSeenAt = Math.max(belief.lastSeenAt, at)
  if (changes > 0) belief.lastChangeAt = Math.max(belief.lastChangeAt, changedAt)
}

/**
 * Posterior mean and credible interval, per day of average activity.
 * Forgetting by powers leaves a posterior as wide as `evidence` full observations would, but the
 * faded ones still steady its centre: the true variance is smaller by Σφ²ⁿ / Σφⁿ. The interval is
 * read from the posterior raised to the inverse, else 90 % intervals would cover 98 %.
 */
export function rateOf(belief: Belief, level = 0.9): Rate {
  const { weights, evidence, squares } = belief
  const sharpness = evidence > 0 ? evidence / squares : 1
  for (let i = 0; i < GRID_POINTS; i++) scratch[i] = weights[i]! ** sharpness
  normalise(scratch)
  const tail = (1 - level) / 2
  return {
    perDay: rateIn(weights),
    low: quantileIn(scratch, tail),
    high: quantileIn(scratch, 1 - tail),
  }
}

/** How likely the page changes at least once between two moments, its rhythm included. */
export function chanceOfChange(belief: Belief, from: number, to: number): number {
  if (!(to > from)) return 0
  const days = integratedSeason(belief.season, from, to)
  let unchanged = 0
  for (let i = 0; i < GRID_POINTS; i++)
    unchanged += belief.weights[i]! * Math.exp(-RATES[i]! * days)
  return Math.min(1, Math.max(0, 1 - unchanged))
}

/** Has the page lately become faster? */
export function isBursting(belief: Belief): boolean {
  return belief.lastRegime === 'faster' && belief.visitsInRegime <= BURST_VISITS
}
