/**
 * The inputs of planning: the prices of the latest replanning, and the policies that Minga chose
 * for watches with signals. One fact of the station, read with every batch of visits.
 */
import type { Choice, Price } from '@minga/forecast'
import type { Sql } from '@minga/store'
import { readFact } from '../../station/station-facts.ts'
import type { WatchRow } from './forecast-rows.ts'

/** Written by each replanning. */
export interface Planning {
  budgetPerUrlPerDay: number
  /** By name of the policy: what a visit must be worth. */
  prices: Record<string, KeptPrice>
  /** The prices at which all plans were last timed: those drift away from what is planned. */
  timedAt: Record<string, number>
  /** Of watches that may use a share of the budget only, by id. */
  shares: Record<string, Record<string, KeptPrice>>
  /** Of hosts that bear fewer visits than are wanted, by policy and the host's id. */
  hosts: Record<string, Record<string, number>>
  /** Watches whose changes are signalled, by id: notices of a hub or hook were recently true. */
  notified: number[]
  /** The policy that Minga chose for these, unless a user set it manually. */
  chosen: Record<number, Choice>
  /** Plug-ins that could not name their price, by name, and what they did. */
  failed: Record<string, string>
}

/** A price as it is kept: `population` are the factors of the whole set, if the policy has any. */
export interface KeptPrice {
  perCost: number
  population?: number[]
  visitsPerByte?: number
}

export function keptPrice({ perCost, population, visitsPerByte }: Price): KeptPrice {
  return {
    perCost,
    ...(population === undefined ? {} : { population: [...population] }),
    ...(visitsPerByte === undefined ? {} : { visitsPerByte }),
  }
}

export const PLANNING_FACT = 'visitPrices'
/** Before the first replanning. */
const UNPRICED: Planning = {
  budgetPerUrlPerDay: 1,
  prices: {},
  timedAt: {},
  shares: {},
  hosts: {},
  notified: [],
  chosen: {},
  failed: {},
}

export async function readPlanning(sql: Sql): Promise<Planning> {
  const stored = await readFact(sql, { name: PLANNING_FACT })
  return stored === null ? UNPRICED : { ...UNPRICED, ...(JSON.parse(stored) as Planning) }
}

/** The price that a watch pays for visits by this policy; null: not priced yet. */
export function priceFor(watch: WatchRow, policy: string, planning: Planning): Price | null {
  const kept = planning.shares[watch.collectionId]?.[policy] ?? planning.prices[policy]
  return kept === undefined ? null : priceIn(kept)
}

/** What a byte costs, in visits. */
export function visitsPerByteOf(policy: string, { prices }: Pick<Planning, 'prices'>): number {
  return prices[policy]?.visitsPerByte ?? 0
}

/** A host with more demand than capacity has a separate price. */
export function priceAt(
  hostId: number,
  price: Price | null,
  hosts: Record<string, number> | undefined,
): Price | null {
  const own = hosts?.[hostId]
  if (price === null || own === undefined || own <= price.perCost) return price
  return { ...price, perCost: own }
}

export function priceIn({ population, ...price }: KeptPrice): Price {
  return population === undefined ? price : { ...price, population: Float64Array.from(population) }
}
