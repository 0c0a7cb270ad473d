/** Bias and error of every estimator, first in the layout of a table computed independently. */
import {
  choRatio,
  completeObservation,
  lastModified,
  lawOfLargeNumbers,
  maximumLikelihood,
  momentMatching,
  naive,
  newBelief,
  observeVisit,
  rateOf,
  stochasticApproximation,
} from '@minga/forecast'
import { normal, streamOf, visitsOf, type Plan, type TrueVisit } from './synthetic-visits.ts'

interface Column {
  name: string
  spacing: Plan['spacing']
  /** Null where the estimator has no finite answer: left out, as in the other table. */
  perDay: (visits: TrueVisit[]) => number | null
}

const VISITS_PER_DAY = 1
const KNOWN = { visitsPerDay: VISITS_PER_DAY }

function finite({ perDay, grounds }: { perDay: number; grounds: string }): number | null {
  return grounds === 'all-changed' ? null : perDay
}

const REPRODUCED: Column[] = [
  { name: 'naive fixed', spacing: 'fixed', perDay: (visits) => naive(visits).perDay },
  { name: 'Cho ratio fixed', spacing: 'fixed', perDay: (visits) => choRatio(visits).perDay },
  { name: 'naive Poisson', spacing: 'poisson', perDay: (visits) => naive(visits).perDay },
  { name: 'LLN', spacing: 'poisson', perDay: (visits) => lawOfLargeNumbers(visits, KNOWN).perDay },
  {
    name: 'SA',
    spacing: 'poisson',
    perDay: (visits) => stochasticApproximation(visits, KNOWN).perDay,
  },
  {
    name: 'MLE Poisson',
    spacing: 'poisson',
    perDay: (visits) => finite(maximumLikelihood(visits)),
  },
  { name: 'MM Poisson', spacing: 'poisson', perDay: (visits) => finite(momentMatching(visits)) },
]

const OTHERS: Column[] = [
  { name: 'Cho ratio', spacing: 'poisson', perDay: (visits) => choRatio(visits).perDay },
  {
    name: 'MLE smoothed',
    spacing: 'poisson',
    perDay: (visits) => maximumLikelihood(visits, { smoothed: true }).perDay,
  },
  {
    name: 'SA with momentum',
    spacing: 'poisson',
    perDay: (visits) => stochasticApproximation(visits, { ...KNOWN, momentum: true }).perDay,
  },
  { name: 'last-modified', spacing: 'poisson', perDay: (visits) => lastModified(visits).perDay },
  { name: 'complete observation', spacing: 'poisson', perDay: complete },
  { name: 'belief', spacing: 'poisson', perDay: believed },
]

function complete(visits: TrueVisit[]): number {
  const count = visits.reduce((sum, visit) => sum + visit.count, 0)
  return completeObservation(count, spanOf(visits)).perDay
}

const spanOf = (visits: TrueVisit[]): number =>
  visits.reduce((sum, { sinceMs }) => sum + sinceMs, 0)

function believed(visits: TrueVisit[]): number {
  const belief = newBelief()
  let at = 0
  for (const { sinceMs, changed } of visits) {
    at += sinceMs
    observeVisit(belief, { at, sinceMs, changed })
  }
  return rateOf(belief).perDay
}

/** Relative bias and root mean square error, e.g. `−.03/.35`. */
const THEIRS: { perDay: number; visits: number; cells: string[] }[] = [
  {
    perDay: 0.5,
    visits: 20,
    cells: row('−.23/.31 −.03/.35 −.32/.38 +.02/.48 .00/.49 +.08/.46 +.07/.46'),
  },
  {
    perDay: 0.5,
    visits: 100,
    cells: row('−.21/.23 +.01/.16 −.33/.35 .00/.22 .00/.24 +.01/.19 +.01/.19'),
  },
  {
    perDay: 1,
    visits: 100,
    cells: row('−.37/.37 .00/.13 −.50/.50 −.01/.20 −.02/.22 +.01/.17 .00/.17'),
  },
  {
    perDay: 3,
    visits: 100,
    cells: row('−.68/.68 −.01/.15 −.75/.75 .00/.23 −.09/.19 +.03/.18 +.02/.19'),
  },
  {
    perDay: 3,
    visits: 500,
    cells: row('−.68/.68 +.01/.07 −.75/.75 −.01/.10 −.03/.10 .00/.06 −.01/.07'),
  },
]

function row(cells: string): string[] {
  return cells.split(' ')
}

const RUNS = 400

interface Cell {
  bias: number
  error: number
  /** Standard error of the bias, from the scatter of the runs. */
  noise: number
}

function cellOf(column: Column, plan: Omit<Plan, 'spacing' | 'visitsPerDay'>, seed: number): Cell {
  const offs: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const random = streamOf(seed, run, plan.visits, Math.round(plan.perDay * 1000))
    const { spacing } = column
    const visits = visitsOf(random, { ...plan, spacing, visitsPerDay: VISITS_PER_DAY })
    const perDay = column.perDay(visits)
    if (perDay !== null) offs.push(perDay / plan.perDay - 1)
  }
  const bias = offs.reduce((sum, off) => sum + off, 0) / offs.length
  const error = Math.sqrt(offs.reduce((sum, off) => sum + off * off, 0) / offs.length)
  return { bias, error, noise: Math.sqrt((error * error - bias * bias) / offs.length) }
}

/** Ours, with the other table's figure in brackets. */
export function reproducedTable(seed: number): string {
  const rows = THEIRS.map(({ perDay, visits, cells }) => [
    `${perDay}, n=${visits}`,
    ...REPRODUCED.map((column, i) => {
      return `${shown(cellOf(column, { perDay, visits }, seed))} (${cells[i]})`
    }),
  ])
  return tableOf(['Δ, visits', ...REPRODUCED.map(({ name }) => name)], rows)
}

/** Both tables are rounded to two digits. */
const ROUNDING = 0.01
/** Three and a half standard errors: one of seventy figures exceeds them once in thirty tables. */
const NOISE_LIMIT = 3.5

/** Figures that differ from the other table's by more than both simulations' noise. */
export function beyondNoise(seed: number): string[] {
  return THEIRS.flatMap(({ perDay, visits, cells }) =>
    REPRODUCED.flatMap((column, i) => {
      const ours = cellOf(column, { perDay, visits }, seed)
      const [bias, error] = cells[i]!.replaceAll('−', '-').split('/').map(Number)
      // Theirs comes from no more runs than ours, a quarter for two columns in the longest row.
      const theirRuns = visits === 500 && column.name.startsWith('M') ? RUNS / 4 : RUNS
      const both = Math.sqrt(1 + RUNS / theirRuns)
      const isOff =
        Math.abs(ours.bias - bias!) > NOISE_LIMIT * both * ours.noise + ROUNDING ||
        // A root mean square over n runs scatters by about its size over √2n.
        Math.abs(ours.error - error!) >
          (NOISE_LIMIT * both * ours.error) / Math.sqrt(2 * RUNS) + ROUNDING
      return isOff ? [`${column.name} at ${perDay}, n=${visits}: ${shown(ours)} (${cells[i]})`] : []
    }),
  )
}

export function otherTable(seed: number): string {
  const rows = THEIRS.map(({ perDay, visits }) => [
    `${perDay}, n=${visits}`,
    ...OTHERS.map((column) => shown(cellOf(column, { perDay, visits }, seed))),
  ])
  return tableOf(['Δ, visits', ...OTHERS.map(({ name }) => name)], rows)
}

/** Median 0.1 a day, two thirds within a factor of e² ≈ 7: pages as a crawler meets them. */
const POPULATION = { medianPerDay: 0.1, sigma: 2 }
const PAGES = 2000
/** Where an estimate of zero or infinity is put, so that it can be compared in factors. */
const SLOWEST = 1 / 1000
const FASTEST = 500

/** Root mean square of ln(estimate / truth) over a population: 0.69 is a factor of two. */
export function populationTable(seed: number): string {
  const columns = [...REPRODUCED, ...OTHERS].filter(({ spacing }) => spacing === 'poisson')
  const rows = columns.map((column) => [
    column.name,
    ...[5, 20, 100].map((visits) => logError(column, visits, seed).toFixed(2)),
  ])
  return tableOf(['estimator', 'n=5', 'n=20', 'n=100'], rows)
}

function logError(column: Column, visits: number, seed: number): number {
  let sum = 0
  for (let page = 0; page < PAGES; page++) {
    const random = streamOf(seed, page, visits, 7)
    const log = Math.log(POPULATION.medianPerDay) + POPULATION.sigma * normal(random)
    const truth = Math.min(FASTEST, Math.max(SLOWEST, Math.exp(log)))
    const { spacing } = column
    const seen = visitsOf(random, { perDay: truth, visits, spacing, visitsPerDay: VISITS_PER_DAY })
    const perDay = column.perDay(seen) ?? FASTEST
    sum += Math.log(Math.min(FASTEST, Math.max(SLOWEST, perDay)) / truth) ** 2
  }
  return Math.sqrt(sum / PAGES)
}

const shown = ({ bias, error }: Cell): string => `${signed(bias)}/${short(error)}`

/** .35 for 0.35, as in the other table. */
const short = (value: number): string => value.toFixed(2).replace(/^0/, '')

function signed(value: number): string {
  const text = short(Math.abs(value))
  return text === '.00' ? text : `${value < 0 ? '−' : '+'}${text}`
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
