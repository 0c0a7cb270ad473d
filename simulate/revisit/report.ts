/** What the policies came to: the figures of the contract, their intervals, the regret to the oracle. */
import type { Policy } from '@minga/forecast'
import type { Bootstrap, Interval } from './bootstrap.ts'
import type { CalibrationRow } from './calibration.ts'
import type { RunResult } from './run.ts'
import type { Trace } from './trace.ts'

export interface PolicyRow {
  name: string
  crawls: number
  changes: number
  caught: number
  lost: number
  versions: number
  weightedVersions: number
  freshness: number
  meanAgeHours: number
  redundant: number
  /** Weighted versions divided by the oracle's at the budget. */
  oracleRatio: number
  /** Weighted versions that the oracle has more. */
  regret: number
  usesBudget: boolean
  intervals: { weightedVersions: Interval; freshness: Interval; oracleRatio: Interval }
  /** Of forecasts made before the visits that judged them; null: the policy makes none. */
  calibration: { brier: number; baseBrier: number; rows: CalibrationRow[] } | null
}

/** Per URL, what the figures are sums of. */
export interface Columns {
  weightedVersions: Float64Array
  weightedFreshMs: Float64Array
  weightedMs: Float64Array
}

const HOUR_MS = 3_600_000

export function columnsOf(traces: readonly Trace[], { tallies }: RunResult): Columns {
  const column = (value: (i: number) => number): Float64Array =>
    Float64Array.from(traces, (_, i) => value(i))
  return {
    weightedVersions: column((i) => traces[i]!.weight * tallies[i]!.versions),
    weightedFreshMs: column((i) => traces[i]!.weight * tallies[i]!.freshMs),
    weightedMs: column((i) => traces[i]!.weight * (traces[i]!.end - traces[i]!.start)),
  }
}

export interface Observed {
  traces: readonly Trace[]
  oracle: RunResult
  bootstrap: Bootstrap
}

export function rowOf(policy: Policy, result: RunResult, observed: Observed): PolicyRow {
  const { traces, oracle, bootstrap } = observed
  const { tallies, calibration } = result
  const own = columnsOf(traces, result)
  const best = columnsOf(traces, oracle)
  const count = (value: (i: number) => number): number => total(traces.map((_, i) => value(i)))
  const crawls = count((i) => tallies[i]!.crawls)
  const changes = count((i) => traces[i]!.changes.length)
  const caught = count((i) => tallies[i]!.caught)
  const versions = count((i) => tallies[i]!.versions)
  const weightedVersions = total(own.weightedVersions)
  const mostVersions = total(best.weightedVersions)
  const durationMs = count((i) => traces[i]!.end - traces[i]!.start)
  return {
    name: policy.name,
    crawls,
    changes,
    caught,
    lost: changes - caught,
    versions,
    weightedVersions,
    freshness: total(own.weightedFreshMs) / total(own.weightedMs),
    meanAgeHours: count((i) => tallies[i]!.ageMs2) / durationMs / HOUR_MS,
    redundant: crawls - versions,
    oracleRatio: mostVersions > 0 ? weightedVersions / mostVersions : 1,
    regret: mostVersions - weightedVersions,
    usesBudget: policy.usesBudget,
    intervals: {
      weightedVersions: bootstrap.total(own.weightedVersions),
      freshness: bootstrap.ratio(own.weightedFreshMs, own.weightedMs),
      oracleRatio: bootstrap.ratio(own.weightedVersions, best.weightedVersions),
    },
    calibration:
      calibration.forecasts === 0
        ? null
        : {
            brier: calibration.brier()!,
            baseBrier: calibration.baseBrier()!,
            rows: calibration.rows(),
          },
  }
}

function total(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return sum
}

const HEAD = [
  'policy',
  'crawls',
  'caught',
  'lost',
  'versions',
  'weighted',
  '95 %',
  'fresh',
  'age h',
  'redundant',
  'oracle',
  'Brier',
]

/** For people; policies that ignore the budget are marked. */
export function tableOf(rows: readonly PolicyRow[]): string {
  const lines = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  const text = lines.map((line) =>
    line
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  '),
  )
  const isAnyFree = rows.some(({ usesBudget }) => !usesBudget)
  return `${text.join('\n')}\n${isAnyFree ? '* visits as often as it likes, whatever the budget\n' : ''}`
}

function cellsOf(row: PolicyRow): string[] {
  const [low, high] = row.intervals.weightedVersions
  return [
    row.usesBudget ? row.name : `${row.name} *`,
    String(row.crawls),
    String(row.caught),
    String(row.lost),
    String(row.versions),
    row.weightedVersions.toFixed(1),
    `${low.toFixed(0)}–${high.toFixed(0)}`,
    row.freshness.toFixed(4),
    row.meanAgeHours.toFixed(1),
    String(row.redundant),
    row.oracleRatio.toFixed(3),
    row.calibration === null ? '–' : row.calibration.brier.toFixed(3),
  ]
}
