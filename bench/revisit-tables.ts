/** The experiments of `bench/revisit.ts`, each as the rows of a table. */
import { DAY_MS, policyNamed, type Policy } from '@minga/forecast'
import { Bootstrap } from '../simulate/revisit/bootstrap.ts'
import { oraclePolicy } from '../simulate/revisit/oracle.ts'
import { isNoisy, regimeTraces, type Regime } from '../simulate/revisit/regimes.ts'
import type { PolicyRow } from '../simulate/revisit/report.ts'
import { runPolicy, type RunResult } from '../simulate/revisit/run.ts'
import { compare } from '../simulate/revisit/simulate-revisit.ts'
import type { Trace } from '../simulate/revisit/trace.ts'
import { countOf, judge, nearest, percentWithInterval, type Measure } from './revisit-judge.ts'

export interface Size {
  urls: number
  days: number
  seed: number
}

export type Row = Record<string, string>

export const BUDGETS = [0.1, 0.3, 1] as const
const OURS: Readonly<Record<Measure, string>> = {
  weightedVersions: 'minga',
  freshness: 'minga:freshness',
}
const RIVALS = [
  'random',
  'uniform',
  'day-type',
  'proportional',
  'exponential-gap',
  'cho',
  'azar',
  'lambda-crawl',
]
const FREE = ['fixed:24', 'simple', 'notification', 'history', 'nutch']

export interface RegimeTables {
  verdicts: Row[]
  figures: Row[]
  calibration: Row[]
}

/** One regime at the three budgets: all that keep to the budget, compared with the oracle. */
export function budgetTables(regime: Regime, size: Size): RegimeTables {
  const traces = regimeTraces(regime, size)
  const names = [...RIVALS, 'minga', 'minga:freshness']
  const policies: Policy[] = [...names.map((name) => policyNamed(name)), oraclePolicy]
  const verdicts: Row[] = []
  const calibration: Row[] = []
  const figures: Row[] = policies.map(({ name }) => ({ policy: name }))
  for (const budget of BUDGETS) {
    const { rows, results } = compare({ traces, policies, budget, seed: size.seed })
    rows.forEach((row, i) => addFigures(figures[i]!, row, budget))
    const field = { traces, bootstrap: new Bootstrap(traces.length, size.seed) }
    for (const measure of ['weightedVersions', 'freshness'] as const) {
      verdicts.push(verdictRow(regime, budget, { field, measure, rows, results }))
    }
    calibration.push(calibrationRow(regime, budget, rows))
  }
  return { verdicts, figures, calibration }
}

function addFigures(figures: Row, row: PolicyRow, budget: number): void {
  figures[`of oracle, ${budget}`] = row.oracleRatio.toFixed(3)
  figures[`fresh, ${budget}`] = row.freshness.toFixed(4)
}

interface Measured {
  field: { traces: readonly Trace[]; bootstrap: Bootstrap }
  measure: Measure
  rows: readonly PolicyRow[]
  results: readonly RunResult[]
}

function verdictRow(regime: string, budget: number, measured: Measured): Row {
  const { field, measure, rows, results } = measured
  const ours = results.find(({ name }) => name === OURS[measure])!
  const row = rows.find(({ name }) => name === OURS[measure])!
  const judged = results
    .filter(({ name }) => name !== ours.name && name !== oraclePolicy.name)
    .map((theirs) => judge(field, measure, ours, theirs))
  const closest = nearest(judged)
  const [low, high] = row.intervals.oracleRatio
  return {
    regime,
    budget: String(budget),
    measure: measure === 'freshness' ? 'freshness' : 'weighted versions',
    'of oracle':
      measure === 'freshness'
        ? '–'
        : `${row.oracleRatio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
    'nearest rival': closest.rival,
    'ahead of it by': percentWithInterval(closest, measure === 'freshness' ? 2 : 1),
    'against all': countOf(judged),
  }
}

function calibrationRow(regime: string, budget: number, rows: readonly PolicyRow[]): Row {
  const { calibration } = rows.find(({ name }) => name === 'minga')!
  const worst = calibration!.rows
    .filter(({ forecasts }) => forecasts >= 100)
    .reduce((most, { meanChance, changed }) => Math.max(most, Math.abs(meanChance - changed)), 0)
  return {
    regime,
    budget: String(budget),
    Brier: calibration!.brier.toFixed(3),
    'always the base rate': calibration!.baseBrier.toFixed(3),
    'largest gap of a tenth': worst.toFixed(3),
  }
}

const LENGTHS_DAYS = [60, 120, 240] as const

/** How much of the oracle's versions `minga` has on steady pages, the longer it may learn. */
export function lengthRows(size: Size): Row[] {
  return LENGTHS_DAYS.map((days) => {
    const traces = regimeTraces('steady', { ...size, days })
    const row: Row = { days: String(days) }
    for (const budget of BUDGETS) {
      const policies = [policyNamed('minga')]
      const { rows } = compare({ traces, policies, budget, seed: size.seed })
      const [low, high] = rows[0]!.intervals.oracleRatio
      row[`of oracle, ${budget}`] =
        `${rows[0]!.oracleRatio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`
    }
    return row
  })
}

/** Who ignores the budget is compared with ours at exactly as many visits. */
export function freeRows(regime: Regime, size: Size): Row[] {
  const traces = regimeTraces(regime, size)
  const field = { traces, bootstrap: new Bootstrap(traces.length, size.seed) }
  const days = traces.reduce((sum, { start, end }) => sum + (end - start) / DAY_MS, 0)
  return FREE.map((name) => {
    const theirs = runPolicy(policyNamed(name), traces, { budget: 1, seed: size.seed })
    const crawls = theirs.tallies.reduce((sum, tally) => sum + tally.crawls, 0)
    const against = (measure: Measure): string => {
      const policy = policyNamed(OURS[measure])
      const ours = runPolicy(policy, traces, { budget: crawls / days, seed: size.seed })
      const judged = judge(field, measure, ours, theirs)
      return `${percentWithInterval(judged, measure === 'freshness' ? 2 : 1)} ${judged.verdict}`
    }
    return {
      regime,
      policy: name,
      'visits per URL and day': (crawls / days).toFixed(3),
      'minga, weighted versions': against('weightedVersions'),
      'minga:freshness, freshness': against('freshness'),
    }
  })
}

/** Two in a hundred pages change on every fetch: what they take, and what is left for the others. */
export function noiseRows(size: Size): Row[] {
  const traces = regimeTraces('every-fetch', size)
  const others = traces.filter((_, i) => !isNoisy(i))
  const names = ['uniform', 'proportional', 'lambda-crawl', 'cho', 'minga', 'minga:freshness']
  return BUDGETS.flatMap((budget) =>
    names.map((name) => {
      const options = { budget, seed: size.seed }
      const { tallies } = runPolicy(policyNamed(name), traces, options)
      const alone = runPolicy(policyNamed(name), others, options)
      const sum = (value: (i: number) => number): number =>
        traces.reduce((total, _, i) => total + value(i), 0)
      const visits = sum((i) => tallies[i]!.crawls)
      const noisy = sum((i) => (isNoisy(i) ? tallies[i]!.crawls : 0))
      const kept = sum((i) => (isNoisy(i) ? 0 : tallies[i]!.versions * traces[i]!.weight))
      const without = alone.tallies.reduce(
        (total, tally) => total + tally.versions * tally.trace.weight,
        0,
      )
      return {
        budget: String(budget),
        policy: name,
        'visits to pages that change on every fetch': `${((100 * noisy) / visits).toFixed(1)} %`,
        'weighted versions of all others': kept.toFixed(0),
        'as many as without those pages': `${((100 * kept) / without).toFixed(1)} %`,
      }
    }),
  )
}

/** Every policy that accepts notices receives one for every change. */
export function noticeRows(regime: Regime, size: Size): Row[] {
  const traces = regimeTraces(regime, size).map((trace) => ({ ...trace, notices: trace.changes }))
  const policies = ['notification', 'complete-observation', 'minga'].map((name) =>
    policyNamed(name),
  )
  return BUDGETS.flatMap((budget) =>
    compare({ traces, policies, budget, seed: size.seed }).rows.map((row) => ({
      regime,
      budget: String(budget),
      policy: row.name,
      crawls: String(row.crawls),
      'weighted versions': row.weightedVersions.toFixed(0),
      freshness: row.freshness.toFixed(4),
    })),
  )
}
