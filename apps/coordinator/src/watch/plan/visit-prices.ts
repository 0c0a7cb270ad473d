/**
 * The prices at which the plans of all policies just use what there is: visits a day, bytes a day, and
 * what single hosts bear (their delay, nine tenths of a day long: robots.txt and retries want some).
 * Every policy has the share of the budgets that its URLs are of all; sets may be samples.
 */
import {
  isBulkPolicy,
  PolicyFailed,
  policyNamed,
  scarcePrices,
  withBytes,
  type HostCaps,
  type Policy,
  type ScarcePrices,
} from '@minga/forecast'
import type { Sql } from '@minga/store'
import { watchesOf } from './forecast-rows.ts'
import { livePolicy } from './live-policies.ts'
import { keptPrice, type Planning } from './planning.ts'
import { DEFAULT_POLICY } from './policy-for.ts'
import type { PolicySet, PolicySets } from './rate-sets.ts'

const DAY_MS = 86_400_000
const HOST_SHARE = 0.9
/** Of a sample, fewer URLs of a host do not say how many visits it is to bear. */
const SAMPLED_LEAST = 30
const URLS_LEAST = 2

type Found = Pick<Planning, 'prices' | 'shares' | 'hosts' | 'failed'>

export async function visitPrices(
  sql: Sql,
  sets: PolicySets,
  { bytesPerDay }: { bytesPerDay: number | null },
): Promise<Found> {
  const bears = await hostsInNeed(sql, sets)
  const found: Found = { prices: {}, shares: {}, hosts: {}, failed: {} }
  for (const [name, own] of sets.byPolicy) {
    const policy = livePolicy(name)
    if (policy?.price === undefined) continue
    try {
      addPrices(found, policy, own, { sets, bytesPerDay, bears })
    } catch (error) {
      if (!(error instanceof PolicyFailed)) throw error
      found.failed[name] = error.message
    }
  }
  // Who plans instead of a plug-in that fails must know what a visit costs.
  const [first] = sets.byPolicy.values()
  if (found.prices[DEFAULT_POLICY] === undefined && first !== undefined) {
    addPrices(found, policyNamed(DEFAULT_POLICY), first, { sets, bytesPerDay, bears })
  }
  return found
}

interface Pricing {
  sets: PolicySets
  bytesPerDay: number | null
  bears: ReadonlyMap<number, Bearing>
}

function addPrices(found: Found, policy: Policy, own: PolicySet, pricing: Pricing): void {
  const { set, bytes, hostIds, capped } = own
  const { sets, bears, bytesPerDay } = pricing
  const perUrl = sets.budgetPerUrlPerDay
  const visitsPerDay = perUrl * set.count
  const caps = capsIn(hostIds, bears)
  const plain = (): ScarcePrices => ({
    price: policy.price!(set, visitsPerDay),
    budgetPerDay: visitsPerDay,
    byHost: new Map(),
  })
  const share = set.count / sets.sampled
  const scarce = {
    visitsPerDay,
    bytesPerDay: bytesPerDay === null ? null : share * bytesPerDay,
    bytes,
    hosts: caps.hosts,
  }
  const common = isBulkPolicy(policy) ? scarcePrices(policy, set, scarce) : plain()
  const { price } = common
  found.prices[policy.name] = keptPrice(price)
  const byHost = [...common.byHost].map(([index, perCost]) => [caps.ids[index], perCost])
  if (byHost.length > 0) found.hosts[policy.name] = Object.fromEntries(byHost)
  for (const [collectionId, one] of capped) {
    // Where the common price would spend less than the share allows, it holds.
    const ofOwn = (one.budgetShare * perUrl * sets.urls) / one.urls
    const inCost = common.budgetPerDay / visitsPerDay
    const costly = withBytes(one.set, one.bytes, price.visitsPerByte ?? 0)
    const ownPrice = policy.price!(costly, ofOwn * one.set.count * inCost)
    const perCost = Math.max(ownPrice.perCost, price.perCost)
    found.shares[collectionId] = { [policy.name]: keptPrice({ ...price, perCost }) }
  }
}

/** The capacity of a host, for all its URLs in the sample. */
interface Bearing {
  visitsPerDay: number
  urls: number
}

async function hostsInNeed(sql: Sql, sets: PolicySets): Promise<Map<number, Bearing>> {
  const least = sets.everyNth === 1 ? URLS_LEAST : SAMPLED_LEAST
  const counts = new Map<number, number>()
  for (const { hostIds } of sets.byPolicy.values()) {
    for (const id of hostIds) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const ids = [...counts.keys()].filter((id) => counts.get(id)! >= least)
  const delays = await delaysOf(sql, ids, sets)
  return new Map(
    ids.map((id, i) => {
      const visitsPerDay = (HOST_SHARE * DAY_MS) / Math.max(1, delays[i]!) / sets.everyNth
      return [id, { visitsPerDay, urls: counts.get(id)! }]
    }),
  )
}

/** What the host asks for, or its least patient watch. */
async function delaysOf(sql: Sql, ids: readonly number[], sets: PolicySets): Promise<number[]> {
  const asked = await sql.selectMany<{ crawl_delay_ms: number; slow_ms: number }>({
    table: 'hosts',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: ['crawl_delay_ms', 'slow_ms'],
  })
  const watching = ids.map((id) => sets.watchesOfHost.get(id) ?? new Set<number>())
  const watches = await watchesOf(
    sql,
    watching.flatMap((set) => [...set]),
  )
  return ids.map((_, i) => {
    const own = [...watching[i]!].map((id) => watches.get(id)?.spec.delayMs ?? 0)
    return Math.max(asked[i]?.crawl_delay_ms ?? 0, asked[i]?.slow_ms ?? 0, Math.min(...own))
  })
}

/** Several policies share a host by how many of its URLs each has. */
function capsIn(
  hostIds: readonly number[],
  bears: ReadonlyMap<number, Bearing>,
): { hosts: HostCaps | null; ids: number[] } {
  const indexes = new Map<number, number>()
  const own: number[] = []
  const hostOf = Int32Array.from(hostIds, (id) => {
    if (!bears.has(id)) return 0
    const index = indexes.get(id) ?? indexes.size + 1
    indexes.set(id, index)
    own[index] = (own[index] ?? 0) + 1
    return index
  })
  const ids = [-1, ...indexes.keys()]
  if (ids.length === 1) return { hosts: null, ids }
  const perDay = Float32Array.from(ids, (id, index) => {
    const bearing = bears.get(id)
    return bearing === undefined ? Infinity : (bearing.visitsPerDay * own[index]!) / bearing.urls
  })
  return { hosts: { hostOf, perDay }, ids }
}
