/**
 * How a page behaves, in one of four words and a sentence of reasons: steady, rare, seasonal, or
 * without pattern. From visits alone, at unequal intervals.
 *
 * Rhythms of week and day are those a belief finds (`season.ts`). Slower ones, such as terms and
 * vacations, and unrest in general show in blocks of at least two weeks: under one constant rate
 * the visits of a block that find a change have a known mean and variance, the squares of their
 * standard scores add up to χ². If they do not fit, neighbouring blocks that are alike speak for
 * seasons, blocks that differ at random or a single turn for no pattern. O(40 n) for the rate, then
 * one pass. Clustering is not used, because it gives no reason that can be shown.
 */
import {
  isBursting,
  newBelief,
  observeVisit,
  rateOf,
  type Belief,
  type VisitSeen,
} from './belief.ts'
import { DAY_MS, isUsable } from './grid.ts'
import { maximumLikelihood } from './likelihood.ts'
import { shapeOf } from './season.ts'
import type { RateEstimate } from './visits.ts'

export interface PageClass {
  kind: 'steady' | 'rare' | 'seasonal' | 'without pattern'
  /** One sentence. */
  reason: string
  /** The page has lately become faster. */
  burst: boolean
}

const LEAST_VISITS = 12
const LEAST_DAYS = 14
/** Twice a month: below it most visits of an ordinary schedule find nothing. */
const RARE_PER_DAY = 1 / 14
/** So many visits after a turn a page has found its new pace. */
const SETTLED_VISITS = 40
const BLOCK_DAYS = 14
/** A block is long enough to hold this many visits. */
const VISITS_PER_BLOCK = 4
/** Blocks whose outcome was nearly certain say nothing. */
const LEAST_VARIANCE = 0.5
const LEAST_BLOCKS = 8
/** Standard score of one chance in a thousand. */
const SURPRISE = 3.09
/** Correlation of neighbouring blocks above which spells are not chance. */
const LEAST_PERSISTENCE = 0.35
/** Standard score at which a block counts as busy or quiet. */
const MARKED = 1.2

const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** `visits` in the order they happened. */
export function classOf(visits: readonly VisitSeen[], utcOffsetMs = 0): PageClass {
  const belief = newBelief(undefined, utcOffsetMs)
  for (const visit of visits) observeVisit(belief, visit)
  const rate = maximumLikelihood(visits)
  const days = watchedDays(visits)
  return { ...judged(visits, belief, rate, days), burst: isBursting(belief) }
}

/**
 * The same word from the belief alone, in a microsecond and without the visits: what plans are made
 * by. Slow seasons it cannot see; a page that changed its ways recently is without pattern.
 */
export function kindOf(belief: Belief): PageClass['kind'] {
  const { season, visits, regimes, visitsInRegime } = belief
  if (visits < LEAST_VISITS) return 'without pattern'
  if (season.weekly || season.daily) return 'seasonal'
  if (rateOf(belief).perDay < RARE_PER_DAY) return 'rare'
  return regimes > 0 && visitsInRegime < SETTLED_VISITS ? 'without pattern' : 'steady'
}

type Judged = Omit<PageClass, 'burst'>

function judged(
  visits: readonly VisitSeen[],
  belief: Belief,
  rate: RateEstimate,
  days: number,
): Judged {
  const seen = `${counted(rate.visits, 'visit')} in ${counted(Math.round(days), 'day')}`
  if (rate.visits < LEAST_VISITS || days < LEAST_DAYS) {
    return { kind: 'without pattern', reason: `Only ${seen}: too few to tell.` }
  }
  const blocks = scoresOf(visits, rate, days)
  const found = rhythmOf(belief) ?? spellsOf(blocks)
  if (found?.kind === 'seasonal') return found
  if (rate.perDay < RARE_PER_DAY) return rareBecause(rate, days)
  if (found !== null) return found
  const share = `${rate.changes} of ${seen} found a change`
  if (rate.grounds === 'all-changed') {
    return { kind: 'steady', reason: `Every visit found a change (${seen}).` }
  }
  return { kind: 'steady', reason: `About ${pace(rate.perDay)}, evenly spread: ${share}.` }
}

const watchedDays = (visits: readonly VisitSeen[]): number =>
  visits.reduce((sum, { sinceMs }) => sum + (isUsable(sinceMs) ? sinceMs / DAY_MS : 0), 0)

function rareBecause(rate: RateEstimate, days: number): Judged {
  const watched = counted(Math.round(days), 'day')
  if (rate.changes === 0) return { kind: 'rare', reason: `No change in ${watched} of watching.` }
  const found = counted(rate.changes, 'change')
  return { kind: 'rare', reason: `About ${pace(rate.perDay)}: ${found} in ${watched}.` }
}

function rhythmOf({ season }: Belief): Judged | null {
  const { weekdays, dayParts } = shapeOf(season)
  if (season.weekly) {
    const [busiest, quietest] = [highest(weekdays), lowest(weekdays)]
    const days = `${WEEKDAY_NAMES[busiest]}s as on ${WEEKDAY_NAMES[quietest]}s`
    const times = ratio(weekdays[busiest]!, weekdays[quietest]!)
    return { kind: 'seasonal', reason: `It changes ${times} as often on ${days}.` }
  }
  if (!season.daily) return null
  const [busiest, quietest] = [highest(dayParts), lowest(dayParts)]
  const times = ratio(dayParts[busiest]!, dayParts[quietest]!)
  const hours = `${hoursOf(busiest)} as ${hoursOf(quietest)}`
  return { kind: 'seasonal', reason: `It changes ${times} as often ${hours}.` }
}

/** Standard score of every block that says something, in order of time. */
function scoresOf(visits: readonly VisitSeen[], rate: RateEstimate, days: number): number[] {
  const blockDays = Math.max(BLOCK_DAYS, (VISITS_PER_BLOCK * days) / rate.visits)
  const scores: number[] = []
  let [passed, found, expected, variance] = [0, 0, 0, 0]
  for (const { sinceMs, changed } of visits) {
    if (!isUsable(sinceMs)) continue
    const chance = -Math.expm1((-rate.perDay * sinceMs) / DAY_MS)
    passed += sinceMs / DAY_MS
    found += changed ? 1 : 0
    expected += chance
    variance += chance * (1 - chance)
    if (passed < blockDays) continue
    if (variance >= LEAST_VARIANCE) scores.push((found - expected) / Math.sqrt(variance))
    passed = found = expected = variance = 0
  }
  return scores
}

/** What blocks say that one constant rate does not explain; null when it does. */
function spellsOf(scores: readonly number[]): Judged | null {
  const chi2 = scores.reduce((sum, score) => sum + score * score, 0)
  if (scores.length < 2 || chi2 < chi2Limit(scores.length - 1)) return null
  const turns = turnsOf(scores)
  if (scores.length >= LEAST_BLOCKS && turns >= 2 && persistence(scores) > LEAST_PERSISTENCE) {
    const reason = `Busy and quiet spells of weeks took turns ${turns} times.`
    return { kind: 'seasonal', reason }
  }
  if (turns === 1 && persistence(scores) > LEAST_PERSISTENCE) {
    const turned = scores.at(-1)! > 0 ? 'faster' : 'slower'
    return { kind: 'without pattern', reason: `It became ${turned} while it was watched.` }
  }
  return { kind: 'without pattern', reason: 'Changes come in bursts that follow no calendar.' }
}

/** Wilson and Hilferty's cube root approximation of a χ² quantile (PNAS 1931). */
function chi2Limit(degrees: number): number {
  const width = 2 / (9 * degrees)
  return degrees * (1 - width + SURPRISE * Math.sqrt(width)) ** 3
}

/** Correlation of neighbouring blocks. */
function persistence(scores: readonly number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  let [together, alone] = [0, 0]
  for (const [i, score] of scores.entries()) {
    alone += (score - mean) ** 2
    if (i > 0) together += (score - mean) * (scores[i - 1]! - mean)
  }
  return together / alone
}

/** How often marked blocks turned from busy to quiet or back. */
function turnsOf(scores: readonly number[]): number {
  const marked = scores.filter((score) => Math.abs(score) > MARKED)
  return marked.filter((score, i) => i > 0 && score > 0 !== marked[i - 1]! > 0).length
}

const highest = (values: Float64Array): number => values.indexOf(Math.max(...values))
const lowest = (values: Float64Array): number => values.indexOf(Math.min(...values))

const hoursOf = (part: number): string => `between ${part * 3} and ${part * 3 + 3} o’clock`

const ratio = (many: number, few: number): string => `${(many / few).toFixed(1)} times`

function pace(perDay: number): string {
  if (perDay >= 1.5) return `${perDay.toFixed(1)} changes a day`
  const days = 1 / perDay
  return `one change in ${counted(days < 10 ? Number(days.toFixed(1)) : Math.round(days), 'day')}`
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
