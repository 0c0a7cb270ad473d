/** How the default estimator fares where the others have no answer: intervals, drift, rhythm, kin. */
import {
  chanceOfChange,
  isBursting,
  learnPrior,
  newBelief,
  newPriorTree,
  observeVisit,
  toPriorKey,
  priorFor,
  rateOf,
  type Belief,
} from '@minga/forecast'
import { tableOf } from './compare-estimators.ts'
import { DAY_MS, exponential, normal, streamOf } from './synthetic-visits.ts'

/** Monday, 1 January 2024. */
const START = 1_704_067_200_000

type Random = () => number

/** A page, its belief and the moment of its last visit. */
interface Watched {
  belief: Belief
  at: number
}

const watched = (belief = newBelief()): Watched => ({ belief, at: START })

function visit(page: Watched, random: Random, perDay: number): void {
  const days = exponential(random, 1)
  const sinceMs = days * DAY_MS
  page.at += sinceMs
  const changed = random() < -Math.expm1(-perDay * days)
  observeVisit(page.belief, { at: page.at, sinceMs, changed })
}

/** Rates of a population, drawn from a log-normal. */
const drawnRate = (random: Random, medianPerDay: number, sigma: number): number =>
  Math.exp(Math.log(medianPerDay) + sigma * normal(random))

/** How often a 90 % interval holds the truth: pages drawn as the broad prior says, visits daily. */
function coverage(seed: number, visits: number, pages: number): number {
  let held = 0
  for (let i = 0; i < pages; i++) {
    const random = streamOf(seed, i, visits, 11)
    const perDay = drawnRate(random, 0.1, 2.3)
    const page = watched()
    for (let n = 0; n < visits; n++) visit(page, random, perDay)
    const { low, high } = rateOf(page.belief)
    if (low <= perDay && perDay <= high) held += 1
  }
  return held / pages
}

/** The same for rates that wander: each visit multiplies the rate by up to 1.13 or divides it. */
function wanderingCoverage(seed: number, visits: number, pages: number): number {
  let held = 0
  for (let i = 0; i < pages; i++) {
    const random = streamOf(seed, i, visits, 12)
    let perDay = 0.3
    const page = watched()
    for (let n = 0; n < visits; n++) {
      perDay *= Math.exp((2 * random() - 1) * 0.12)
      visit(page, random, perDay)
    }
    const { low, high } = rateOf(page.belief)
    if (low <= perDay && perDay <= high) held += 1
  }
  return held / pages
}

/** Visits after a jump until the mean is within a factor of two of the new rate, sorted. */
function visitsToFollow(
  seed: number,
  jump: { from: number; to: number; after: number },
  pages: number,
): number[] {
  const waits: number[] = []
  for (let i = 0; i < pages; i++) {
    const random = streamOf(seed, i, Math.round(jump.to * 100), 13)
    const page = watched()
    for (let n = 0; n < jump.after; n++) visit(page, random, jump.from)
    let wait = 0
    for (let off = Infinity; off > Math.LN2 && wait < 400; wait++) {
      visit(page, random, jump.to)
      off = Math.abs(Math.log(rateOf(page.belief).perDay / jump.to))
    }
    waits.push(wait)
  }
  return waits.toSorted((a, b) => a - b)
}

/** Regime changes reported per thousand visits of pages that have none. */
function falseAlarms(seed: number, perDay: number, pages: number): number {
  const visits = 500
  let alarms = 0
  for (let i = 0; i < pages; i++) {
    const random = streamOf(seed, i, Math.round(perDay * 100), 17)
    const page = watched()
    for (let n = 0; n < visits; n++) visit(page, random, perDay)
    alarms += page.belief.regimes
  }
  return (alarms / pages / visits) * 1000
}

/** Share of bursts (rate × `times` for 30 visits after 100 quiet ones) noticed, and visits needed. */
function burstsNoticed(
  seed: number,
  burst: { perDay: number; times: number },
  pages: number,
): { share: number; medianVisits: number } {
  const needed: number[] = []
  for (let i = 0; i < pages; i++) {
    const random = streamOf(seed, i, burst.times, 19)
    const page = watched()
    for (let n = 0; n < 100; n++) visit(page, random, burst.perDay)
    for (let n = 1; n <= 30; n++) {
      visit(page, random, burst.perDay * burst.times)
      if (!isBursting(page.belief)) continue
      needed.push(n)
      break
    }
  }
  const sorted = needed.toSorted((a, b) => a - b)
  return { share: needed.length / pages, medianVisits: sorted[sorted.length >> 1] ?? NaN }
}

const WEEKEND = [1.35, 1.35, 1.35, 1.35, 1.35, 0.125, 0.125]
const isOffice = (hour: number): boolean => hour >= 9 && hour < 18

/** Five working days and office hours, mean 1. */
function rhythmAt(at: number): number {
  const hours = Math.floor((at - START) / 3_600_000)
  return WEEKEND[Math.floor(hours / 24) % 7]! * (isOffice(hours % 24) ? 2.4 : 0.16)
}

interface RhythmFigures {
  /** Share of pages whose rhythm was switched on in the end. */
  found: number
  /** Mean log loss of the forecasts of days 60 to 120, with and without the rhythm. */
  withRhythm: number
  without: number
}

/** Pages with or without rhythm, visited every `hours` for 120 days. */
function rhythmFigures(
  seed: number,
  page: { perDay: number; hours: number; hasRhythm: boolean },
  pages: number,
): RhythmFigures {
  let [found, withRhythm, without, forecasts] = [0, 0, 0, 0]
  const flat = newBelief()
  for (let i = 0; i < pages; i++) {
    const random = streamOf(seed, i, page.hours, 23)
    const belief = newBelief()
    const sinceMs = page.hours * 3_600_000
    for (let at = START + sinceMs; at < START + 120 * DAY_MS; at += sinceMs) {
      const changed = random() < -Math.expm1(-expectedChanges(page, at))
      if (at > START + 60 * DAY_MS) {
        flat.weights.set(belief.weights)
        withRhythm += logLoss(chanceOfChange(belief, at - sinceMs, at), changed)
        without += logLoss(chanceOfChange(flat, at - sinceMs, at), changed)
        forecasts += 1
      }
      observeVisit(belief, { at, sinceMs, changed })
    }
    if (belief.season.weekly || belief.season.daily) found += 1
  }
  return {
    found: found / pages,
    withRhythm: withRhythm / forecasts,
    without: without / forecasts,
  }
}

function expectedChanges(
  page: { perDay: number; hours: number; hasRhythm: boolean },
  at: number,
): number {
  if (!page.hasRhythm) return (page.perDay * page.hours) / 24
  let sum = 0
  for (let hour = page.hours; hour > 0; hour--) sum += rhythmAt(at - hour * 3_600_000)
  return (page.perDay * sum) / 24
}

const logLoss = (chance: number, changed: boolean): number =>
  -Math.log(changed ? chance : 1 - chance)

/** Error in ln(rate) of new pages after 0, 1, 3 and 10 visits, without and with learnt priors. */
function kinFigures(seed: number): { visits: number; broad: number; learnt: number }[] {
  const tree = newPriorTree()
  const hosts = Array.from({ length: 40 }, (_, host) => {
    return drawnRate(streamOf(seed, host, 29), 0.1, 1.8)
  })
  const pageOf = (host: number, n: number): { random: Random; perDay: number; url: string } => {
    const random = streamOf(seed, host, n, 31)
    const perDay = drawnRate(random, hosts[host]!, 0.6)
    return { random, perDay, url: `https://host-${host}.example/news/${n}` }
  }
  for (const host of hosts.keys()) {
    for (let n = 0; n < 10; n++) {
      const { random, perDay, url } = pageOf(host, n)
      const place = toPriorKey(url)
      const page = watched(newBelief(priorFor(tree, place)))
      for (let k = 0; k < 32; k++) visit(page, random, perDay)
      learnPrior(tree, place, page.belief)
    }
  }
  return [0, 1, 3, 10].map((visits) => {
    let [broad, learnt, pages] = [0, 0, 0]
    for (const host of hosts.keys()) {
      for (let n = 10; n < 35; n++) {
        const { random, perDay, url } = pageOf(host, n)
        const both = [watched(), watched(newBelief(priorFor(tree, toPriorKey(url))))] as const
        const draws = Array.from({ length: 2 * visits }, random)
        for (const page of both) {
          let next = 0
          for (let k = 0; k < visits; k++) visit(page, () => draws[next++]!, perDay)
        }
        broad += logOff(both[0].belief, perDay) ** 2
        learnt += logOff(both[1].belief, perDay) ** 2
        pages += 1
      }
    }
    return { visits, broad: Math.sqrt(broad / pages), learnt: Math.sqrt(learnt / pages) }
  })
}

/** Against the middle of the posterior: before the first visits its mean is all tail. */
function logOff(belief: Belief, perDay: number): number {
  const { low } = rateOf(belief, 0)
  return Math.log(low / perDay)
}

export function beliefTables(seed: number): string {
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
  const covered = [3, 10, 30, 100, 300].map((n) => [String(n), percent(coverage(seed, n, 600))])
  covered.push(['300, rate wandering', percent(wanderingCoverage(seed, 300, 600))])
  const jumps = [
    { from: 0.1, to: 1 },
    { from: 1, to: 0.1 },
    { from: 0.5, to: 5 },
    { from: 5, to: 0.5 },
  ].map((jump) => {
    const waits = visitsToFollow(seed, { ...jump, after: 150 }, 200)
    return [`${jump.from} → ${jump.to}`, String(waits[100]), String(waits[180])]
  })
  const alarms = [0.1, 0.5, 1, 3].map((perDay) => [
    String(perDay),
    falseAlarms(seed, perDay, 100).toFixed(2),
  ])
  const bursts = [5, 10, 20].map((times) => {
    const { share, medianVisits } = burstsNoticed(seed, { perDay: 0.2, times }, 200)
    return [`× ${times}`, percent(share), String(medianVisits)]
  })
  return [
    tableOf(['visits', '90 % interval holds the truth'], covered),
    tableOf(['rate before → after', 'visits to follow, median', '9 in 10 pages'], jumps),
    tableOf(['rate', 'false alarms per 1000 visits'], alarms),
    tableOf(['burst of a page at 0.2 a day', 'noticed', 'after visits, median'], bursts),
    rhythmTable(seed),
    tableOf(
      ['visits', 'broad prior', 'learnt prior'],
      kinFigures(seed).map(({ visits, broad, learnt }) => {
        return [String(visits), broad.toFixed(2), learnt.toFixed(2)]
      }),
    ),
  ].join('\n\n')
}

function rhythmTable(seed: number): string {
  const rows = [true, false].flatMap((hasRhythm) =>
    [2, 0.5].flatMap((perDay) =>
      [3, 8, 24].map((hours) => {
        const figures = rhythmFigures(seed, { perDay, hours, hasRhythm }, 40)
        return [
          hasRhythm ? 'office hours' : 'none',
          `${perDay} a day`,
          `every ${hours} h`,
          `${(100 * figures.found).toFixed(0)} %`,
          figures.withRhythm.toFixed(3),
          figures.without.toFixed(3),
        ]
      }),
    ),
  )
  const head = ['true rhythm', 'rate', 'visits', 'found', 'log loss with it', 'without it']
  return tableOf(head, rows)
}
