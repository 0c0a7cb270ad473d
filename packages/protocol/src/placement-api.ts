/**
 * What a station tells about its placement: the map of hosts to agents, its epochs, and what each
 * plan weighed.
 */
import type { Instant } from './clock.ts'

export interface PlacementMetrics {
  /** Links between hosts of different agents. */
  readonly cut: number
  /** Those of all links. */
  readonly exchangeShare: number
  /** The fullest agent over its share, less 1. */
  readonly imbalance: number
  /** Expected waiting per page; null when nothing was measured. */
  readonly latencyMs: number | null
}

export interface PlacementExchange {
  /** The largest ones, if there are too many. */
  readonly devices: readonly string[]
  /** Links from hosts of one (row) to hosts of another (column), those within hosts included. */
  readonly links: readonly (readonly number[])[]
}

/** What a plan weighed. */
export interface PlacementReport {
  readonly after: PlacementMetrics
  /** Of the hosts that had an agent which is still there; null when there were none. */
  readonly before: PlacementMetrics | null
  readonly movedHosts: number
  readonly newHosts: number
  /** The ways that were compared, and what each would have cost. */
  readonly compared: Readonly<Record<string, { runningMs: number; migrationMs: number }>>
  readonly exchange: PlacementExchange
  readonly exchangeBefore: PlacementExchange | null
}

export interface PlacementPart {
  readonly device: string
  readonly capacity: number
  readonly hosts: number
  readonly pages: number
}

export interface PlacementEpoch {
  readonly epoch: number
  readonly at: Instant
  /** What made the station plan: a word for programs, and a sentence. */
  readonly reason: string
  readonly why: string
  /** How the plan came about. */
  readonly way: string
  readonly hosts: number
  readonly pages: number
  readonly movedPages: number
  readonly exchangeShare: number | null
  readonly imbalance: number | null
  readonly latencyMs: number | null
  readonly parts: readonly PlacementPart[]
  /** Null for epochs of before it was kept. */
  readonly story: PlacementReport | null
}

/** An epoch as a list tells it, without the parts and without what was weighed. */
export interface PlacementEpochRow extends Omit<PlacementEpoch, 'parts' | 'story'> {
  readonly agents: number
  /** Null for epochs of before it was kept. */
  readonly movedHosts: number | null
}

export interface PlacementMove {
  readonly host: string
  readonly from: string
  readonly to: string
  readonly pages: number
}

export interface PlacedHostRow {
  readonly hostId: number
  readonly host: string
  readonly device: string | null
  readonly pages: number
  readonly country: string | null
}

export interface PlacementState {
  readonly strategy: string
  readonly strategies: readonly string[]
  /** Where the strategy was set, when and by whom. */
  readonly source: string
  readonly changedAt: Instant | null
  readonly changedBy: string | null
  /** Agents that hosts can be assigned to. */
  readonly readyAgents: number
  readonly isPlanning: boolean
  /** How far above its share an agent may be. */
  readonly imbalanceMax: number
  /** Names of the devices that are spoken of, by id. */
  readonly names: Readonly<Record<string, string>>
  /** The newest whole epoch; null: there is none. */
  readonly map: PlacementEpoch | null
  /** What the placement costs by now, as far as it was measured since. */
  readonly now: Omit<PlacementMetrics, 'cut'> | null
}
