/** What a scenario gave: a row per cell with intervals and comparisons, and the trends. */
import { estimate, type Estimate } from '../fleet/statistics.ts'
import type { Cell, PlacementCell } from './cells.ts'
import type { CrawlResult } from './crawl-rules.ts'
import { relative, type Measured } from './measured.ts'
import type { Scenario } from './scenario.ts'
import { trendsOf, type Trend } from './trends.ts'

export interface Row extends Cell {
  makespanDays: Estimate
  to90Days: Estimate
  to99Days: Estimate
  exchangeShare: Estimate
  urlsPerMessage: Estimate
  rttMs: Estimate
  imbalance: Estimate
  idleTail: Estimate
  movedShare: Estimate
  /** Seed by seed against hash-host of the same pause, robots, unit and weather; null where it is missing. */
  makespanAgainstHash: Estimate | null
  exchangeAgainstHash: Estimate | null
  rttAgainstHash: Estimate | null
  failed: number
  /** Over all seeds; those of addresses count where politeness is owed to addresses. */
  hostViolations: number
  addressViolations: number
}

export interface PlacementRow extends PlacementCell {
  exchangeShare: Estimate
  downloadS: Estimate
  exchangeS: Estimate
  redistributionS: Estimate
  movedShare: Estimate
  exchangeShareAfter: Estimate
}

export interface PartitionReport {
  scale: number
  seeds: readonly number[]
  pages: number
  rows: Row[]
  placements: PlacementRow[]
  trends: Trend[]
}

export function reportOf(scenario: Scenario, measured: Measured): PartitionReport {
  return {
    scale: scenario.scale,
    seeds: scenario.seeds,
    pages: measured.seeds[0]?.pages ?? 0,
    rows: measured.cells.map((cell) => rowOf(measured, cell)),
    placements: measured.placementCells.map((cell) => placementRow(measured, cell)),
    trends: trendsOf(measured),
  }
}

const DAY_S = 86_400

function rowOf(measured: Measured, cell: Cell): Row {
  const results = measured.crawls(cell)!
  const hash = measured.crawls({ ...cell, allocator: 'hash-host' })
  const over = (of: (result: CrawlResult) => number): Estimate => estimate(results.map(of))
  const against = (of: (result: CrawlResult) => number): Estimate | null =>
    hash === null ? null : estimate(relative(results.map(of), hash.map(of)))
  const total = (of: (result: CrawlResult) => number): number =>
    results.reduce((sum, result) => sum + of(result), 0)
  return {
    ...cell,
    makespanDays: over(({ makespanS }) => makespanS / DAY_S),
    to90Days: over(({ to90S }) => to90S / DAY_S),
    to99Days: over(({ to99S }) => to99S / DAY_S),
    exchangeShare: over(({ exchangeShare }) => exchangeShare),
    urlsPerMessage: over(({ urlsSent, messages }) => urlsSent / Math.max(1, messages)),
    rttMs: over(({ rttMs }) => rttMs),
    imbalance: over(({ imbalance }) => imbalance),
    idleTail: over(({ idleTail }) => idleTail),
    movedShare: over(({ movedShare }) => movedShare),
    makespanAgainstHash: against(({ makespanS }) => makespanS),
    exchangeAgainstHash: against(({ exchangeShare }) => exchangeShare),
    rttAgainstHash: against(({ rttMs }) => rttMs),
    failed: total(({ failed }) => failed),
    hostViolations: total(({ hostViolations }) => hostViolations),
    addressViolations: total(({ addressViolations }) => addressViolations),
  }
}

function placementRow(measured: Measured, cell: PlacementCell): PlacementRow {
  const figures = measured.placements(cell)!
  const over = (of: (one: (typeof figures)[number]) => number): Estimate =>
    estimate(figures.map(of))
  return {
    ...cell,
    exchangeShare: over(({ exchangeShare }) => exchangeShare),
    downloadS: over((one) => one.downloadS),
    exchangeS: over((one) => one.exchangeS),
    redistributionS: over((one) => one.redistributionS),
    movedShare: over(({ movedShare }) => movedShare),
    exchangeShareAfter: over(({ exchangeShareAfter }) => exchangeShareAfter),
  }
}
