/** What all seeds gave, to be asked by cell: values stand in the order of the seeds. */
import { estimate, type Estimate } from '../fleet/statistics.ts'
import {
  keyOf,
  type Cell,
  type PlacementCell,
  type PlacementFigures,
  type SeedFigures,
} from './cells.ts'
import type { CrawlResult } from './crawl-rules.ts'

export class Measured {
  readonly seeds: readonly SeedFigures[]
  readonly cells: readonly Cell[]
  readonly placementCells: readonly PlacementCell[]
  readonly #crawls: ReadonlyMap<string, CrawlResult>[]
  readonly #placements: ReadonlyMap<string, PlacementFigures>[]

  constructor(seeds: readonly SeedFigures[]) {
    this.seeds = seeds
    this.cells = seeds[0]?.crawls.map(({ cell }) => cell) ?? []
    this.placementCells = seeds[0]?.placements.map(({ cell }) => cell) ?? []
    this.#crawls = seeds.map(
      ({ crawls }) => new Map(crawls.map(({ cell, result }) => [keyOf(cell), result])),
    )
    this.#placements = seeds.map(
      ({ placements }) =>
        new Map(
          placements.map(({ cell: { allocator, k }, figures }) => [`${allocator} ${k}`, figures]),
        ),
    )
  }

  /** A result per seed; null when the cell was not part of the experiment. */
  crawls(cell: Cell): CrawlResult[] | null {
    return complete(this.#crawls.map((results) => results.get(keyOf(cell))))
  }

  placements({ allocator, k }: PlacementCell): PlacementFigures[] | null {
    return complete(this.#placements.map((figures) => figures.get(`${allocator} ${k}`)))
  }

  crawledKs(cell: Omit<Cell, 'k'>): number[] {
    const ks = new Set(this.cells.map(({ k }) => k))
    return [...ks].filter((k) => this.crawls({ ...cell, k }) !== null).toSorted((a, b) => a - b)
  }

  placedKs(allocator: Cell['allocator']): number[] {
    const cells = this.placementCells.filter((cell) => cell.allocator === allocator)
    return cells.map(({ k }) => k).toSorted((a, b) => a - b)
  }
}

function complete<T>(values: readonly (T | undefined)[]): T[] | null {
  return values.length > 0 && values.every((value) => value !== undefined) ? (values as T[]) : null
}

/** Seed by seed under the same weather: how much more than the other, as a share of it. */
export function relative(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, i) => value / others[i]! - 1)
}

/** Student's interval over seeds of what each gives on average over several rows. */
export function estimateOfMeans(rows: readonly (readonly number[])[]): Estimate {
  const seeds = rows[0]?.length ?? 0
  return estimate(
    Array.from(
      { length: seeds },
      (_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length,
    ),
  )
}
