/**
 * What is watched as arrays, one set for each policy, to find the price of a visit. A price is a
 * statistic of the set: beyond some ten thousand URLs an even sample tells it as well.
 */
import {
  decodeBelief,
  decodeWeightsInto,
  GRID_POINTS,
  newBelief,
  packedBeliefs,
  toPriorKey,
  priorFor,
  setWeightsAt,
  type RateSet,
} from '@minga/forecast'
import type { WatchSettings } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { readPriors, type Kin } from './cold-start.ts'
import { parseSettings, type ForecastRole } from './forecast-rows.ts'
import { ceilingOf, usualWorth } from './plan-visits.ts'
import type { Planning } from './planning.ts'
import { policyFor } from './policy-for.ts'

/** Prices of samples of this size differ by a percent or two. */
const SAMPLE = 10_000
const DAY_MS = 86_400_000

export interface CappedSet {
  budgetShare: number
  /** Of the watch, sampled or not. */
  urls: number
  set: RateSet
  bytes: Float32Array
}

export interface PolicySet {
  set: RateSet
  /** That a visit usually brings, of each URL. */
  bytes: Float32Array
  hostIds: number[]
  /** Watches that may use a share of the budget only. */
  capped: Map<number, CappedSet>
}

export interface PolicySets {
  urls: number
  /** Of them in all sets, and how many stand behind each. */
  sampled: number
  everyNth: number
  watchesOfHost: ReadonlyMap<number, ReadonlySet<number>>
  budgetPerUrlPerDay: number
  /** The shortest gap that any watch was promised; null: none was. */
  leastFloorMs: number | null
  byPolicy: Map<string, PolicySet>
  /** What is known of the sampled URLs, for the priors of new ones. */
  kin: Kin[]
}

interface ActiveWatch {
  settings: WatchSettings
  budgetShare: number | null
  floor: number
  urls: number
  category: number | null
}

export async function activeForecasts(
  sql: Sql,
  { chosen, visitsPerDay }: Pick<Planning, 'chosen'> & { visitsPerDay: number | null },
): Promise<PolicySets> {
  const priors = await readPriors(sql)
  const watches = await activeWatches(sql)
  let urls = 0
  for (const watch of watches.values()) urls += watch.urls
  // The default is a visit a day for each.
  const budgetPerUrlPerDay = urls === 0 ? 1 : (visitsPerDay ?? urls) / urls
  const sets = new Map<string, { all: GrowingSet; capped: Map<number, GrowingSet> }>()
  const kin: Kin[] = []
  const watchesOfHost = new Map<number, Set<number>>()
  const everyNth = Math.max(1, Math.ceil(urls / SAMPLE))
  for (const row of await sampleRows(sql, everyNth)) {
    const watch = watches.get(row.collection_id)
    if (watch === undefined) continue
    const { url, belief } = row
    if (belief !== null) kin.push({ url, category: watch.category, belief: decodeBelief(belief) })
    const { collection_id: collectionId } = row
    const isNotified = chosen[collectionId] !== undefined
    const { name } = policyFor(row, { settings: watch.settings, collectionId }, { chosen })
    const there = watchesOfHost.get(row.host_id) ?? new Set()
    watchesOfHost.set(row.host_id, there.add(collectionId))
    const own = sets.get(name) ?? { all: new GrowingSet(), capped: new Map() }
    sets.set(name, own)
    const facts = {
      floor: watch.floor,
      ceiling: ceilingOf(row.weight, budgetPerUrlPerDay),
      isNotified,
      prior: newBelief(priorFor(priors, toPriorKey(url, watch.category))).weights,
    }
    own.all.add(row, facts)
    if (watch.budgetShare === null) continue
    const capped = own.capped.get(row.collection_id) ?? new GrowingSet()
    own.capped.set(row.collection_id, capped)
    capped.add(row, facts)
  }
  const byPolicy = new Map<string, PolicySet>()
  for (const [name, { all, capped }] of sets) {
    const shares = [...capped].map(([id, set]): [number, CappedSet] => {
      const watch = watches.get(id)!
      return [id, { budgetShare: watch.budgetShare!, urls: watch.urls, ...set.close() }]
    })
    byPolicy.set(name, { ...all.close(), capped: new Map(shares) })
  }
  const sampled = [...byPolicy.values()].reduce((sum, { set }) => sum + set.count, 0)
  const sample = { sampled, everyNth, watchesOfHost }
  return { urls, ...sample, budgetPerUrlPerDay, leastFloorMs: leastFloorOf(watches), byPolicy, kin }
}

function leastFloorOf(watches: ReadonlyMap<number, ActiveWatch>): number | null {
  const floors = [...watches.values()].flatMap(({ settings }) => settings.floorMs ?? [])
  return floors.length === 0 ? null : floors.reduce((one, other) => Math.min(one, other))
}

async function activeWatches(sql: Sql): Promise<Map<number, ActiveWatch>> {
  const rows = await sql.all<{ collection_id: number; settings: string; urls: number }>(
    `SELECT w.collection_id, w.settings, COUNT(*) AS urls
     FROM watches w JOIN forecasts f ON f.collection_id = w.collection_id
     WHERE w.is_active = 1 GROUP BY w.collection_id, w.settings`,
  )
  return new Map(
    rows.map(({ collection_id: id, settings, urls }) => {
      const parsed = parseSettings(settings)
      const { budgetShare, floorMs } = parsed
      const floor = floorMs === null ? 0 : DAY_MS / floorMs
      const { category } = parsed
      return [id, { settings: parsed, budgetShare, floor, urls, category }]
    }),
  )
}

interface RateRow {
  collection_id: number
  host_id: number
  url: string
  role: ForecastRole
  weight: number
  magnitude: number
  visits: number
  changes: number
  rate: number
  usual_bytes: number
  belief: Uint8Array | null
}

/** Hashes of URLs are as good as random. */
function sampleRows(sql: Sql, everyNth: number): Promise<RateRow[]> {
  const sampled = everyNth > 1 ? `WHERE hash % ${everyNth} = 0` : ''
  return sql.all<RateRow>(
    `SELECT collection_id, host_id, url, role, weight, magnitude, visits, changes, rate, usual_bytes,
       belief FROM forecasts ${sampled}`,
  )
}

/** Of a URL that was never visited; its posterior says the same more broadly. */
const UNKNOWN_PER_DAY = 0.3

interface RowFacts {
  /** Visits a day. */
  floor: number
  ceiling: number
  isNotified: boolean
  /** What a belief of this URL starts from. */
  prior: Float32Array
}

class GrowingSet {
  readonly #rates: number[] = []
  readonly #weights: number[] = []
  readonly #floors: number[] = []
  readonly #ceilings: number[] = []
  readonly #notified: number[] = []
  /** NaN: never visited. */
  readonly #bytes: number[] = []
  readonly #hostIds: number[] = []
  readonly #beliefs: (Uint8Array | Float32Array)[] = []
  readonly #prior = new Float64Array(GRID_POINTS)

  add(row: RateRow, { floor, ceiling, isNotified, prior }: RowFacts): void {
    const { rate, weight, belief } = row
    this.#rates.push(rate > 0 ? rate : UNKNOWN_PER_DAY)
    this.#weights.push(weight * usualWorth(row))
    this.#floors.push(floor)
    this.#ceilings.push(Math.max(floor, ceiling))
    this.#notified.push(isNotified ? 1 : 0)
    this.#bytes.push(row.visits > 0 ? row.usual_bytes : NaN)
    this.#hostIds.push(row.host_id)
    this.#beliefs.push(belief ?? prior)
    for (let i = 0; i < GRID_POINTS; i++) this.#prior[i]! += prior[i]!
  }

  close(): Omit<PolicySet, 'capped'> {
    return { set: this.#set(), bytes: this.#usualBytes(), hostIds: this.#hostIds }
  }

  /** What was never visited is taken to be like the others. */
  #usualBytes(): Float32Array {
    const known = this.#bytes.filter((bytes) => !Number.isNaN(bytes))
    const mean = known.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, known.length)
    return Float32Array.from(this.#bytes, (bytes) => (Number.isNaN(bytes) ? mean : bytes))
  }

  #set(): RateSet {
    const count = this.#rates.length
    const posteriors = packedBeliefs(count)
    for (const [i, belief] of this.#beliefs.entries()) {
      if (belief instanceof Float32Array) setWeightsAt(posteriors, i, belief)
      else decodeWeightsInto(posteriors, i, belief)
    }
    return {
      count,
      rates: Float32Array.from(this.#rates),
      weights: Float32Array.from(this.#weights),
      // A visit each; what bytes cost is added where they are scarce (`visit-prices.ts`).
      costs: new Float32Array(count).fill(1),
      floors: Float32Array.from(this.#floors),
      ceilings: Float32Array.from(this.#ceilings),
      notified: Uint8Array.from(this.#notified),
      posteriors,
      // What beliefs started from is in them already: the set must not teach it a second time.
      prior: this.#prior.map((sum) => sum / count),
    }
  }
}
