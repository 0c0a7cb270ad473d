/** What came out: a row per cell with means and intervals, correlations, and what follows. */
import type { Cell } from './experiments.ts'
import { findingsOf } from './findings.ts'
import type { RunResult } from './run.ts'
import type { Experiment, Scenario } from './scenario.ts'
import { estimate, kendall, type Estimate, type Kendall } from './statistics.ts'
import { distanceKm, TABLE_5_1, TABLE_5_2, THESIS_AGENTS } from './thesis-tables.ts'

export interface Measured {
  cell: Cell
  results: RunResult[]
}

export interface Row {
  experiment: Experiment
  figure: string
  series: string
  x: string
  dataSet: string
  urls: number
  makespanS: Estimate
  /** By seed, for comparisons under the same weather. */
  makespans: number[]
  /** When 95 % had ended. */
  mostS: Estimate
  replyMeanS: Estimate
  replyP50S: Estimate
  replyP95S: Estimate
  replyP99S: Estimate
  stationBusyS: Estimate
  uploadedMb: Estimate
  failed: Estimate
  stale: Estimate
  /** Over all seeds: the shortest rest that a host was left, and the most requests it saw at once.
   * A negative rest is a request that came while another was under way. */
  leastGapMs: number
  peakPerHost: number
}

/** Time against distance for one agent. */
export interface Correlation {
  agent: string
  /** As printed in Table 5.2. */
  printed: { tau: number; p: number; s: number }
  /** Table 5.1's own times against distances between the middles of countries. */
  fromTable: Kendall
  /** Times as measured in the simulation; null when it did not run. */
  tau: Estimate | null
  p: Estimate | null
}

export interface FleetReport {
  seeds: readonly number[]
  urls: Readonly<Record<string, number>>
  rows: Row[]
  correlations: Correlation[]
  findings: string[]
}

export function reportOf(scenario: Scenario, measured: readonly Measured[]): FleetReport {
  const { seeds, urls } = scenario
  const rows = measured.map(rowOf)
  const hasCountries = scenario.experiments.includes('countries')
  const correlations = hasCountries ? correlationsOf(measured) : []
  return { seeds, urls, rows, correlations, findings: findingsOf(rows, correlations) }
}

function rowOf({ cell, results }: Measured): Row {
  const over = (figure: (result: RunResult) => number): Estimate => estimate(results.map(figure))
  const { experiment, figure, series, x, run } = cell
  return {
    experiment,
    figure,
    series,
    x,
    dataSet: run.dataSet,
    urls: run.urls,
    makespanS: over((result) => result.makespanS),
    makespans: results.map((result) => result.makespanS),
    mostS: over((result) => result.mostS),
    replyMeanS: over(({ replyS }) => replyS.mean),
    replyP50S: over(({ replyS }) => replyS.p50),
    replyP95S: over(({ replyS }) => replyS.p95),
    replyP99S: over(({ replyS }) => replyS.p99),
    stationBusyS: over((result) => result.stationBusyS),
    uploadedMb: over((result) => result.uploadedMb),
    failed: over((result) => result.failed),
    stale: over((result) => result.stale),
    leastGapMs: Math.min(...results.map(({ leastGapMs }) => leastGapMs)),
    peakPerHost: Math.max(...results.map(({ peakPerHost }) => peakPerHost)),
  }
}

function correlationsOf(measured: readonly Measured[]): Correlation[] {
  return THESIS_AGENTS.map(({ name, country }, column) => {
    const distances = TABLE_5_1.map((site) => distanceKm(country, site.country))
    const own = measured.find(({ cell }) => cell.experiment === 'countries' && cell.x === name)
    const simulated = (own?.results ?? []).map(({ measuredS }) =>
      againstDistance(measuredS, distances),
    )
    return {
      agent: name,
      printed: TABLE_5_2[name]!,
      fromTable: kendall(
        TABLE_5_1.map((site) => site.meanS[column]!),
        distances,
      ),
      tau: simulated.length === 0 ? null : estimate(simulated.map(({ tauB }) => tauB)),
      p: simulated.length === 0 ? null : estimate(simulated.map(({ p }) => p)),
    }
  })
}

/** Countries without a single answered page are left out. */
function againstDistance(
  measuredS: readonly (number | null)[],
  distances: readonly number[],
): Kendall {
  const known = distances.map((_, i) => i).filter((i) => measuredS[i] !== null)
  return kendall(
    known.map((i) => measuredS[i]!),
    known.map((i) => distances[i]!),
  )
}
