/** One point of an experiment, before it is repeated with every seed: who places, how politely, for how many. */
import { usesLatency, type AllocatorName } from './allocators.ts'
import type { CrawlResult, CrawlRules } from './crawl-rules.ts'
import type { LatencySource } from './latency.ts'
import type { PolitenessName } from './pause.ts'

/** What befalls a crawl. */
export const DISTURBANCES = [
  'calm',
  'lossy',
  'churn',
  'rough-counts',
  'unknown',
  'wide-lines',
] as const
export type Disturbance = (typeof DISTURBANCES)[number]

export interface Cell {
  allocator: AllocatorName
  politeness: PolitenessName
  source: LatencySource
  k: number
  unit: CrawlRules['unit']
  weather: Disturbance
}

/** Placements alone need no crawl: links cut, the thesis's formulas, and a robot that joins. */
export type PlacementCell = Pick<Cell, 'allocator' | 'k'>

export interface PlacementFigures {
  /** Links between robots over all links, those within hosts included. */
  exchangeShare: number
  /** Links within hosts over all links. */
  insideShare: number
  downloadS: number
  exchangeS: number
  /** When one robot more joins: the thesis's time for it, and pages that change owners over all. */
  redistributionS: number
  movedShare: number
  /** Of the placement with that robot. */
  exchangeShareAfter: number
}

export interface SeedFigures {
  seed: number
  /** Pages of all hosts and of the densest one. */
  pages: number
  densest: number
  crawls: { cell: Cell; result: CrawlResult }[]
  placements: { cell: PlacementCell; figures: PlacementFigures }[]
}

export function keyOf(cell: Cell): string {
  const { allocator, politeness, k, unit, weather } = cell
  const source = usesLatency(allocator) ? cell.source : '-'
  return [allocator, politeness, source, k, unit, weather].join(' ')
}

/** Each once; allocators that look at no distances are the same for every source of them. */
export function distinctCells(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [keyOf(cell), cell])).values()]
}
