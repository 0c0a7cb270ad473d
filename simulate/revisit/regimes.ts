/**
 * Made-up webs whose truth is known. Rates are log-normal around one change in four days, σ = 1.3;
 * importance is Pareto with shape 1.5, at most 20. Every URL has its own stream of randomness.
 *
 *   steady       Poisson
 *   seasonal     five working days of twelve busy hours; nights and weekends hold a tenth
 *   bursty       mostly quiet, then two days at about ten times the mean
 *   drifting     the rate wanders daily; every third page becomes ten times faster or slower once
 *   mixed        a quarter of each, and every twentieth page never changes
 *   wiki         revision histories as wikis have them (`wiki-history.ts`)
 *   every-fetch  steady, but every fiftieth page changes every five minutes: on every fetch
 */
import { DAY_MS } from '@minga/forecast'
import { exponential, normal, pareto, randomStream, type Random } from './random.ts'
import { inObservation, type Trace } from './trace.ts'
import { wikiHistory, type History } from './wiki-history.ts'

export const REGIMES = [
  'steady',
  'seasonal',
  'bursty',
  'drifting',
  'mixed',
  'wiki',
  'every-fetch',
] as const
export type Regime = (typeof REGIMES)[number]

/** 2024-01-01 00:00 UTC, a Monday. */
const START = 1_704_067_200_000

const MEDIAN_PER_DAY = 0.25
const SIGMA = 1.3
const WEIGHT_SHAPE = 1.5
const MOST_WEIGHT = 20

export interface RegimeOptions {
  urls: number
  days: number
  seed: number
}

export function regimeTraces(regime: Regime, { urls, days, seed }: RegimeOptions): Trace[] {
  return Array.from({ length: urls }, (_, i) => {
    const random = randomStream(seed, i)
    const weight = Math.min(MOST_WEIGHT, pareto(random, WEIGHT_SHAPE))
    const mean = MEDIAN_PER_DAY * Math.exp(SIGMA * normal(random))
    const history = historyOf(regime, i, { mean, days, random })
    const url = `https://${regime}.example/${i}`
    const changes = history.days.map((day) => START + day * DAY_MS)
    const span = { start: START, end: START + days * DAY_MS }
    return inObservation({ url, weight, changes, ...span, rate: history.perDay })
  })
}

interface Life {
  mean: number
  days: number
  random: Random
}

const KINDS = ['steady', 'seasonal', 'bursty', 'drifting'] as const
const NEVER_EVERY = 20
const NOISY_EVERY = 50
const NOISY_PER_DAY = 288

function historyOf(regime: Regime, i: number, life: Life): History {
  switch (regime) {
    case 'steady':
      return steady(life, life.mean)
    case 'seasonal':
      return seasonal(life)
    case 'bursty':
      return bursty(life)
    case 'drifting':
      return drifting(life)
    case 'wiki':
      return wikiHistory(life.mean, life.days, life.random)
    case 'mixed':
      if (i % NEVER_EVERY === NEVER_EVERY - 1) return { days: [], perDay: 0 }
      return historyOf(KINDS[i % KINDS.length]!, i, life)
    case 'every-fetch':
      return steady(life, i % NOISY_EVERY === 0 ? NOISY_PER_DAY : life.mean)
  }
}

/** URLs of the every-fetch regime that change on every fetch. */
export function isNoisy(i: number): boolean {
  return i % NOISY_EVERY === 0
}

function steady({ days, random }: Life, perDay: number): History {
  const times: number[] = []
  for (let at = exponential(random, 1 / perDay); at < days; at += exponential(random, 1 / perDay)) {
    times.push(at)
  }
  return { days: times, perDay }
}

/** Thinning (Lewis and Shedler 1979): draw at the highest rate, keep each with its share of it. */
function thinned(life: Life, highest: number, rateAt: (day: number) => number): number[] {
  return steady(life, highest).days.filter((day) => life.random() * highest < rateAt(day))
}

const BUSY_FROM = 8 / 24
const BUSY_TO = 20 / 24
const QUIET_SHARE = 0.1
/** 60 busy hours of 168, so that the mean over a week is 1. */
const BUSY_FACTOR = (1 - QUIET_SHARE) / (60 / 168)
const QUIET_FACTOR = QUIET_SHARE / (108 / 168)

function seasonal(life: Life): History {
  const factorAt = (day: number): number => {
    const hour = day - Math.floor(day)
    const isBusy = Math.floor(day) % 7 < 5 && hour >= BUSY_FROM && hour < BUSY_TO
    return isBusy ? BUSY_FACTOR : QUIET_FACTOR
  }
  const rateAt = (day: number): number => life.mean * factorAt(day)
  return { days: thinned(life, life.mean * BUSY_FACTOR, rateAt), perDay: life.mean }
}

const BURST_DAYS = 2
const QUIET_DAYS = 18
const BURST_SHARE = 0.9

function bursty(life: Life): History {
  const { days, random, mean } = life
  const cycle = BURST_DAYS + QUIET_DAYS
  const inBurst = (mean * BURST_SHARE * cycle) / BURST_DAYS
  const inQuiet = (mean * (1 - BURST_SHARE) * cycle) / QUIET_DAYS
  const times: number[] = []
  let isBurst = random() < BURST_DAYS / cycle
  let expected = 0
  for (let from = 0; from < days;) {
    const to = Math.min(days, from + exponential(random, isBurst ? BURST_DAYS : QUIET_DAYS))
    const perDay = isBurst ? inBurst : inQuiet
    times.push(...steady({ ...life, days: to - from }, perDay).days.map((day) => from + day))
    expected += perDay * (to - from)
    from = to
    isBurst = !isBurst
  }
  return { days: times, perDay: expected / days }
}

const DAILY_DRIFT = 0.1
const JUMP_SHARE = 1 / 3
const JUMP_FACTOR = 10

function drifting(life: Life): History {
  const { days, random, mean } = life
  const jumpDay = random() < JUMP_SHARE ? Math.floor(random() * days) : -1
  const rates: number[] = []
  let log = Math.log(mean)
  for (let day = 0; day < days; day++) {
    if (day === jumpDay) log += Math.log(JUMP_FACTOR) * (random() < 0.5 ? -1 : 1)
    rates.push(Math.exp(log))
    log += DAILY_DRIFT * normal(random)
  }
  const highest = Math.max(...rates)
  const perDay = rates.reduce((sum, rate) => sum + rate, 0) / days
  return { days: thinned(life, highest, (day) => rates[Math.floor(day)]!), perDay }
}
