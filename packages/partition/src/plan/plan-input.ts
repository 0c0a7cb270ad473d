/** What a plan is made of; see `plan.ts` for what it means. */
import type { NamedCrawlGraph } from '../distance/crawl-graph.ts'
import type { Nearness } from '../distance/nearness.ts'
import type { PresetName } from '../preset.ts'

/** An agent or a station. */
export interface PlanPart {
  name: string
  /** How much it carries compared with the others; 0: nothing may go there. */
  capacity: number
}

export interface PlanWeights {
  /** How much a millisecond of waiting for a page counts; default 1. */
  latency: number
  /** What a link to a host of another part costs: its URL is sent, checked and stored twice. Default 100. */
  exchangeMs: number
  /** What a page costs whose host moves: its queue and history go along. Default 20. */
  migrationMs: number
}

export const PLAN_WEIGHTS: PlanWeights = { latency: 1, exchangeMs: 100, migrationMs: 20 }

export interface PlanInput {
  /** Hosts by name, with pages and links; hosts without pages count as one page. */
  graph: NamedCrawlGraph
  parts: readonly PlanPart[]
  /** Hosts with the same number stay together, −1: alone. See `addressGroups`. */
  groups?: Int32Array | undefined
  /** Expected ms per page of every host (row) with every part (column). */
  latency?: Nearness | undefined
  /** The pause between two requests to each host; without it all are alike. */
  pausesMs?: Float64Array | undefined
  /** The part of each host by name; parts that are gone and hosts that are new may be missing. */
  previous?: ReadonlyMap<string, string> | undefined
  weights?: Partial<PlanWeights> | undefined
  /** How often all pages will be fetched under this plan; default 1. More lets more be moved. */
  passes?: number | undefined
  /** How far above its share a part may be; default 0.05. */
  imbalance?: number | undefined
  /** The most pages that may leave their part; where more must, no others may. Default all. */
  mostMovedPages?: number | undefined
  seed?: number | undefined
  preset?: PresetName | undefined
}
