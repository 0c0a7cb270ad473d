/**
 * Minga's own policy, by default for an archive: the most expected distinct versions, each counted
 * with its importance and the usual magnitude of the page's changes. `minga:freshness` maximises the
 * share of time that the newest copy is current.
 *
 * Threshold form (in the spirit of Olston and Pandey, WWW 2008): a visit is due when waiting longer
 * would gain less than the price Λ. For a known rate λ and a gap τ that is
 *   w·g(λτ) = Λ·cost             (versions; g of `gain.ts`)
 *   w·g(λτ)/λ = Λ·cost           (freshness)
 * and for a belief the left side is averaged over its posterior, which is what makes a page of which
 * little is known be looked at sooner than its mean rate would ask for: no other exploration paid in
 * simulation. Posteriors are sharpened by what the whole set teaches (`populationOf`). The gap is
 * counted in days of average activity, so that visits keep away from nights and weekends.
 *
 * Rates and gaps lie on one logarithmic grid: λᵢτⱼ is entry i + j of a table, and a gap is found in
 * a microsecond.
 */
import { rateOf, type Belief } from '../estimate/belief.ts'
import {
  BROAD,
  DAY_MS,
  GRID_POINTS,
  LOG_RATES,
  LOG_STEP,
  RATES,
  SLOWEST_PER_DAY,
} from '../estimate/grid.ts'
import { integratedSeason } from '../estimate/season.ts'
import { gain } from './gain.ts'
import {
  VERSIONS_A_DAY,
  dailyVersionsAt,
  dayValue,
  freshnessAt,
  type VisitsAt,
} from './objectives.ts'
import {
  HOUR_MS,
  NEVER_MS,
  withinFloor,
  type Known,
  type LeastShown,
  type Plan,
  type PlanContext,
  type Policy,
  type Price,
  type RateSet,
} from './policy.ts'
import { later, typicalRate } from './priced.ts'
import { priceWhere, solvePrice, visitsOf } from './solve.ts'

const ROUNDS = 20
/** Pages of the prior's own spread that are imagined besides, so that a few real ones cannot mislead. */
const IMAGINED = 1
/** Of the log rate; under two steps of the grid single points of it would matter. */
const LEAST_SPREAD = 0.4

interface Spread {
  mean: number
  variance: number
}

/**
 * What the whole set teaches about each of its pages (empirical Bayes). Beliefs start from a broad
 * prior; how the rates of this set are really spread is seen in the mean of their posteriors. A
 * log-normal spread is fitted by expectation–maximisation: each round weighs every posterior by the
 * spread found so far and computes mean and variance of the log rates again. The answer is a factor
 * per rate of the grid by which posteriors are multiplied. O(rounds · sample), no memory between
 * calls.
 */
function populationOf(
  posteriors: Float32Array,
  picked: Int32Array,
  prior: ArrayLike<number> = BROAD,
): Float64Array {
  const broad = momentsOf(prior, 0, null)
  const factors = new Float64Array(GRID_POINTS).fill(1)
  for (let round = 0; round < ROUNDS; round++) {
    let sum = IMAGINED * broad.mean
    let squares = IMAGINED * squareOf(broad)
    for (const url of picked) {
      const page = momentsOf(posteriors, url * GRID_POINTS, factors)
      sum += page.mean
      squares += squareOf(page)
    }
    const count = picked.length + IMAGINED
    const mean = sum / count
    setFactors(factors, { mean, variance: squares / count - mean * mean }, prior)
  }
  return factors
}

const squareOf = ({ mean, variance }: Spread): number => variance + mean * mean

/** Mean and variance of the log rate under weights, times factors. */
function momentsOf(
  weights: ArrayLike<number>,
  start: number,
  factors: Float64Array | null,
): Spread {
  let [whole, sum, squares] = [0, 0, 0]
  for (let i = 0; i < GRID_POINTS; i++) {
    const weight = weights[start + i]! * (factors?.[i] ?? 1)
    const log = LOG_RATES[i]!
    whole += weight
    sum += weight * log
    squares += weight * log * log
  }
  const mean = sum / whole
  return { mean, variance: squares / whole - mean * mean }
}

function setFactors(factors: Float64Array, spread: Spread, prior: ArrayLike<number>): void {
  const variance = Math.max(spread.variance, LEAST_SPREAD * LEAST_SPREAD)
  for (let i = 0; i < GRID_POINTS; i++) {
    factors[i] = Math.exp((-0.5 * (LOG_RATES[i]! - spread.mean) ** 2) / variance) / prior[i]!
  }
}

/** The ceiling: no page is visited again sooner, which bounds what one page can eat. */
const LEAST_GAP_DAYS = 1 / 96
const GAPS = 64

const GAP_DAYS = Float64Array.from(
  { length: GAPS },
  (_, j) => LEAST_GAP_DAYS * Math.exp(j * LOG_STEP),
)
const LEAST_CHANGES = SLOWEST_PER_DAY * LEAST_GAP_DAYS
const GAINS = Float64Array.from({ length: GRID_POINTS + GAPS }, (_, k) =>
  gain(LEAST_CHANGES * Math.exp(k * LOG_STEP)),
)
const DAY_VALUES = RATES.map(dayValue)
const NO_FACTORS = new Float64Array(GRID_POINTS).fill(1)

interface Goal {
  name: string
  /** What a visit to a page of each rate of the grid is worth, times g. */
  values: Float64Array
  visitsAt: VisitsAt
}

const VERSIONS: Goal = { name: 'minga', values: DAY_VALUES, visitsAt: dailyVersionsAt }
const FRESHNESS: Goal = {
  name: 'minga:freshness',
  values: RATES.map((rate) => 1 / rate),
  visitsAt: freshnessAt,
}

/**
 * A page believed to change on every fetch is worth little, so it would hardly be visited, always
 * be found changed, and never be cleared of the suspicion. Hence after each of its rare visits it
 * is checked once more within the hour: unchanged then, it is not that fast.
 */
const SUSPECT_VALUE = 0.5
const TEST_MS = HOUR_MS
const REST_DAYS = 10
const REST_MS = REST_DAYS * DAY_MS
/** What the coming visit is of a suspected page; null: it is not suspected. */
type Memory = 'test' | 'rest' | null

/** Where every change is signalled, visits wait for a signal; silence is checked this often. */
const SILENCE_DAYS = 30

/** Of the URL being planned; plans are synchronous and never nest. */
const posterior = new Float64Array(GRID_POINTS)
const worth = new Float64Array(GRID_POINTS)

function mingaPolicy(goal: Goal): Policy {
  const planFrom = (known: Known, memory: Memory, { price }: PlanContext): Plan => {
    sharpen(known.belief.weights, 0, price?.population)
    for (let i = 0; i < GRID_POINTS; i++) worth[i] = posterior[i]! * goal.values[i]!
    const perCost = price?.perCost ?? 0
    const target = (perCost * known.cost) / (known.weight * known.meanMagnitude)
    const days = known.isNotified ? SILENCE_DAYS : gapFor(worth, 0, target)
    const { at, rule } = momentOf(known, days, memory)
    const chance = chanceBy(known.belief, known.lastVisitAt, at)
    const why = { policy: goal.name, rule, chance, ...rateOf(known.belief), price: perCost }
    return { at, state: memory, why }
  }
  return {
    name: goal.name,
    usesBudget: true,
    price: (set, budgetPerDay) => mingaPrice(goal, set, budgetPerDay),
    ...(goal === VERSIONS ? { leastShown: leastShownAt } : {}),
    gapDays: (set, price, within) => mingaGaps(goal, set, price, within),
    next: (known, _seen, context) => {
      const isTested = known.state === 'test'
      const memory = isSuspected(known, context) ? (isTested ? 'rest' : 'test') : null
      return planFrom(known, memory, context)
    },
    replan: (known, at, context) => {
      // The whole set may raise a suspicion between two visits; it is tested like any other.
      const isNew = known.state === null && isSuspected(known, context)
      return later(planFrom(known, isNew ? 'test' : (known.state as Memory), context), at)
    },
    notice: (known, at, { price }) => {
      const perCost = price?.perCost ?? 0
      if (perCost * known.cost > known.weight * known.meanMagnitude) return null
      const why = { policy: goal.name, rule: 'a change was signalled', chance: 1 }
      return { at, state: null, why: { ...why, ...rateOf(known.belief), price: perCost } }
    },
  }
}

function isSuspected({ belief }: Known, { price }: PlanContext): boolean {
  sharpen(belief.weights, 0, price?.population)
  return seemsEndless()
}

/** Of the posterior at hand. */
function seemsEndless(): boolean {
  let value = 0
  for (let i = 0; i < GRID_POINTS; i++) value += posterior[i]! * DAY_VALUES[i]!
  return value < SUSPECT_VALUE
}

/** The belief's posterior in the light of the whole set. */
function sharpen(weights: Float32Array, start: number, population?: Float64Array): void {
  const factors = population ?? NO_FACTORS
  let sum = 0
  for (let i = 0; i < GRID_POINTS; i++) {
    posterior[i] = weights[start + i]! * factors[i]!
    sum += posterior[i]!
  }
  for (let i = 0; i < GRID_POINTS; i++) posterior[i]! /= sum
}

function gainAt(worths: Float64Array, start: number, gap: number): number {
  let sum = 0
  for (let i = 0; i < GRID_POINTS; i++) sum += worths[start + i]! * GAINS[i + gap]!
  return sum
}

/** Days of average activity until the gain reaches the target; Infinity: it never does. */
function gapFor(worths: Float64Array, start: number, target: number): number {
  let low = 0
  let high = GAPS - 1
  if (gainAt(worths, start, high) < target) return Infinity
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (gainAt(worths, start, middle) < target) low = middle
    else high = middle
  }
  const before = gainAt(worths, start, low)
  const share = (target - before) / (gainAt(worths, start, high) - before)
  return GAP_DAYS[low]! * Math.exp(Math.max(0, Math.min(1, share)) * LOG_STEP)
}

function momentOf(known: Known, days: number, memory: Memory): { at: number; rule: string } {
  const from = known.lastVisitAt
  const worthwhile =
    days * DAY_MS < NEVER_MS ? momentAfter(known.belief, from, days) : from + NEVER_MS
  const suspected = memory === 'test' ? from + TEST_MS : from + REST_MS
  const isSuspect = suspected < worthwhile && (memory === 'test' || seemsEndless())
  const wanted = isSuspect ? suspected : worthwhile
  const at = withinFloor(wanted, known, from)
  if (at < wanted) return { at, rule: 'the promised least frequency' }
  if (isSuspect) return { at, rule: 'it seems to change on every fetch' }
  return { at, rule: 'the moment at which a visit is worth its price' }
}

/** The moment at which so many days of average activity have passed. */
function momentAfter({ season }: Belief, from: number, days: number): number {
  const flat = from + days * DAY_MS
  if (!season.weekly && !season.daily) return flat
  // A rhythm repeats weekly: the moment is within a week of the flat one.
  let low = Math.max(from, flat - 7 * DAY_MS)
  let high = flat + 7 * DAY_MS
  for (let step = 0; step < 24; step++) {
    const middle = (low + high) / 2
    if (integratedSeason(season, from, middle) < days) low = middle
    else high = middle
  }
  return high
}

function chanceBy({ season }: Belief, from: number, at: number): number {
  const days = integratedSeason(season, from, at)
  let unchanged = 0
  for (let i = 0; i < GRID_POINTS; i++) unchanged += posterior[i]! * Math.exp(-RATES[i]! * days)
  return Math.max(0, Math.min(1, 1 - unchanged))
}

/** More posteriors than this are sampled evenly: a price is a statistic of the set. */
const SAMPLE = 4_000

function mingaPrice(goal: Goal, set: RateSet, budgetPerDay: number): Price {
  const { posteriors } = set
  if (posteriors === undefined) return solvePrice(set, budgetPerDay, goal.visitsAt)
  const stride = Math.max(1, Math.ceil(set.count / SAMPLE))
  const picked = Int32Array.from({ length: Math.ceil(set.count / stride) }, (_, k) => k * stride)
  const population = populationOf(posteriors, picked, set.prior)
  const worths = new Float64Array(picked.length * GRID_POINTS)
  const typical = new Float64Array(picked.length)
  picked.forEach((url, k) => {
    sharpen(posteriors, url * GRID_POINTS, population)
    typical[k] = typicalRate(posterior)
    for (let i = 0; i < GRID_POINTS; i++) {
      worths[k * GRID_POINTS + i] = posterior[i]! * goal.values[i]!
    }
  })
  const spent = (price: number): number => {
    let sum = 0
    picked.forEach((url, k) => {
      const cost = set.costs[url]!
      const target = (price * cost) / set.weights[url]!
      const visits =
        set.notified?.[url] === 1
          ? followedVisits(typical[k]!, target)
          : 1 / gapFor(worths, k * GRID_POINTS, target)
      sum += cost * Math.max(set.floors[url]!, Math.min(set.ceilings[url]!, visits))
    })
    return (sum * set.count) / picked.length
  }
  return { perCost: priceWhere((price) => spent(price) <= budgetPerDay), population }
}

/** About a microsecond per URL, a quarter of it for what lies beyond `within`, and no object. */
function mingaGaps(goal: Goal, set: RateSet, price: Price, within?: Float32Array): Float32Array {
  const { posteriors } = set
  return set.rates.map((_, url) => {
    if (posteriors === undefined) return 1 / visitsOf(set, url, price.perCost, goal.visitsAt)
    const [mostDays, leastDays] = [1 / set.floors[url]!, 1 / set.ceilings[url]!]
    const wanted = within === undefined ? Infinity : within[url]!
    if (wanted < mostDays && wanted < leastDays) return Infinity
    sharpen(posteriors, url * GRID_POINTS, price.population)
    for (let i = 0; i < GRID_POINTS; i++) worth[i] = posterior[i]! * goal.values[i]!
    const target = (price.perCost * set.costs[url]!) / set.weights[url]!
    const isNotified = set.notified?.[url] === 1
    if (wanted < mostDays && isBeyond(wanted, target, isNotified)) return Infinity
    const worthwhile = isNotified ? SILENCE_DAYS : gapFor(worth, 0, target)
    const days = worthwhile > REST_DAYS && seemsEndless() ? REST_DAYS : worthwhile
    return Math.min(mostDays, Math.max(leastDays, days))
  })
}

/** Of the URL at hand: is its gap surely longer? One look at the gain instead of a search. */
function isBeyond(days: number, target: number, isNotified: boolean): boolean {
  if (days >= REST_DAYS && seemsEndless()) return false
  return isNotified ? days < SILENCE_DAYS : gainAfter(days) < target
}

/** Between the gaps of the grid as `gapFor` reads them. */
function gainAfter(days: number): number {
  const place = Math.log(days / LEAST_GAP_DAYS) / LOG_STEP
  const gap = Math.max(0, Math.min(GAPS - 2, Math.floor(place)))
  const before = gainAt(worth, 0, gap)
  return before + Math.min(1, place - gap) * (gainAt(worth, 0, gap + 1) - before)
}

/** The most that a day at one change a day can gain: g(x) ≤ STEEPEST·x, between the grid's gaps, too. */
const STEEPEST =
  Math.exp(LOG_STEP) *
  Math.max(...GAINS.map((each, k) => each / (LEAST_CHANGES * Math.exp(k * LOG_STEP))))

/**
 * By Markov's inequality: a visit is due when the mean gain, at most STEEPEST·(mean rate)·τ, reaches
 * Λ·cost/w. The whole set raises the mean rate of a belief at most by the largest ratio of a factor to
 * one of a slower rate. A page seems endless when the mean of 1 − 1/(1+x²) ≤ x/2 is above a half.
 */
function leastShownAt({ perCost, population }: Price): LeastShown {
  let [ratio, least] = [1, Infinity]
  for (const factor of population ?? NO_FACTORS) {
    least = Math.min(least, factor)
    ratio = Math.max(ratio, factor / least)
  }
  const rate = (2 * (1 - SUSPECT_VALUE) * VERSIONS_A_DAY) / ratio
  return { expected: perCost / (STEEPEST * ratio), rate }
}

/** Every notice is followed while a version is worth the price. */
function followedVisits(rate: number, target: number): number {
  return target > 1 ? 1 / SILENCE_DAYS : rate
}

export const mingaVersions = mingaPolicy(VERSIONS)
export const mingaFreshness = mingaPolicy(FRESHNESS)
