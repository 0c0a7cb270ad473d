/**
 * Prices where more than visits is scarce: bytes, and what single hosts bear in a day.
 *   maximise Σ value(ρᵢ)  subject to  Σ ρᵢ ≤ visits,  Σ bytesᵢ·ρᵢ ≤ bytes,  Σ of a host ρᵢ ≤ its cap
 * Both budgets have a price, and a visit costs the sum 1 + κ·bytesᵢ (times the price of a visit): with
 * the scarcer budget alone, either large pages would take the bytes of all or small ones the visits.
 * For each κ the common price spends visits + κ·bytes; the least κ at which the bytes suffice keeps to
 * both. Where bytes are not scarce κ is 0, and nothing more is reckoned. A host at its cap has a
 * higher price of its own, and what it leaves over is for the others. Works for every policy that can
 * say its gaps in bulk. One search of prices, and fourteen of a sample where bytes are scarce.
 */
import { GRID_POINTS } from '../estimate/grid.ts'
import type { Policy, Price, RateSet } from './policy.ts'
import { priceWhere, type HostCaps } from './solve.ts'

/** Enough to tell the price of a byte to a few per cent. */
const SAMPLE = 1_500
const HOST_SAMPLE = 1_000
/** Bytes may be missed by this before they have a price: what is usual is not known better. */
const TOLERANCE = 1.02
const STEPS = 14
const WIDEST = Math.log(1e4)

export type BulkPolicy = Policy & Required<Pick<Policy, 'price' | 'gapDays'>>

export function isBulkPolicy(policy: Policy): policy is BulkPolicy {
  return policy.price !== undefined && policy.gapDays !== undefined
}

export interface Scarce {
  visitsPerDay: number
  /** Null: they cost nothing. */
  bytesPerDay: number | null
  /** That a visit usually brings, of each URL. */
  bytes: Float32Array
  hosts: HostCaps | null
}

export interface ScarcePrices {
  price: Price
  /** In the unit of `price`: what is spent in a day. */
  budgetPerDay: number
  /** By index: hosts at their cap, and what a visit to them must be worth. */
  byHost: Map<number, number>
}

export function scarcePrices(policy: BulkPolicy, set: RateSet, scarce: Scarce): ScarcePrices {
  const plain = policy.price(set, scarce.visitsPerDay)
  const visitsPerByte = bytePrice(policy, set, scarce, plain)
  const costly = withBytes(set, scarce.bytes, visitsPerByte)
  const budgetPerDay = scarce.visitsPerDay + visitsPerByte * (scarce.bytesPerDay ?? 0)
  const price =
    visitsPerByte === 0 ? plain : { ...policy.price(costly, budgetPerDay), visitsPerByte }
  return withHosts(policy, costly, { price, budgetPerDay, byHost: new Map() }, scarce.hosts)
}

/** The same set, visits costing what their bytes do as well. */
export function withBytes(set: RateSet, bytes: Float32Array, visitsPerByte: number): RateSet {
  if (visitsPerByte === 0) return set
  return { ...set, costs: set.costs.map((cost, i) => cost + visitsPerByte * bytes[i]!) }
}

/** In visits; 0 where the bytes suffice anyway. */
function bytePrice(policy: BulkPolicy, set: RateSet, scarce: Scarce, plain: Price): number {
  const { bytesPerDay, visitsPerDay, bytes } = scarce
  if (bytesPerDay === null || bytesPerDay <= 0) return 0
  if (spent(policy, set, plain, bytes) <= TOLERANCE * bytesPerDay) return 0
  const picked = evenly(set.count, SAMPLE)
  const share = picked.length / set.count
  const sample = subset(set, picked)
  const sampleBytes = Float32Array.from(picked, (url) => bytes[url]!)
  const suffices = (visitsPerByte: number): boolean => {
    const costly = withBytes(sample, sampleBytes, visitsPerByte)
    const price = policy.price(costly, share * (visitsPerDay + visitsPerByte * bytesPerDay))
    return spent(policy, costly, price, sampleBytes) <= share * bytesPerDay
  }
  const middle = Math.log(visitsPerDay / bytesPerDay)
  let [low, high] = [middle - WIDEST, middle + WIDEST]
  for (let step = 0; step < STEPS; step++) {
    const between = (low + high) / 2
    if (suffices(Math.exp(between))) high = between
    else low = between
  }
  return Math.exp(high)
}

/** Per day, of what each visit uses. */
function spent(policy: BulkPolicy, set: RateSet, price: Price, each: Float32Array): number {
  return policy.gapDays(set, price).reduce((sum, days, i) => sum + each[i]! / days, 0)
}

/** Hosts whose visits exceed what they bear get a price at which they do not. */
function withHosts(
  policy: BulkPolicy,
  set: RateSet,
  common: ScarcePrices,
  hosts: HostCaps | null,
): ScarcePrices {
  if (hosts === null) return common
  const { hostOf, perDay } = hosts
  const visits = new Float64Array(perDay.length)
  policy.gapDays(set, common.price).forEach((days, url) => (visits[hostOf[url]!]! += 1 / days))
  const full = new Set([...perDay.keys()].filter((host) => visits[host]! > perDay[host]!))
  if (full.size === 0) return common
  const all = Array.from({ length: set.count }, (_, url) => url)
  const urlsOf = Map.groupBy(all, (url) => hostOf[url]!)
  const byHost = new Map<number, number>()
  let left = common.budgetPerDay
  for (const host of full) {
    const own = hostPrice(policy, set, common.price, {
      urls: urlsOf.get(host)!,
      cap: perDay[host]!,
    })
    byHost.set(host, own.perCost)
    left -= own.spent
  }
  const others = all.filter((url) => !full.has(hostOf[url]!))
  if (others.length === 0 || left <= 0) return { ...common, byHost }
  const { visitsPerByte } = common.price
  const price = {
    ...policy.price(subset(set, others), left),
    ...(visitsPerByte === undefined ? {} : { visitsPerByte }),
  }
  return { price, budgetPerDay: common.budgetPerDay, byHost }
}

function hostPrice(
  policy: BulkPolicy,
  set: RateSet,
  price: Price,
  { urls, cap }: { urls: readonly number[]; cap: number },
): { perCost: number; spent: number } {
  const picked = evenly(urls.length, HOST_SAMPLE).map((i) => urls[i]!)
  const sample = subset(set, picked)
  const ones = new Float32Array(picked.length).fill(1)
  const scale = urls.length / picked.length
  const at = (perCost: number): Price => ({ ...price, perCost })
  const found = priceWhere((perCost) => scale * spent(policy, sample, at(perCost), ones) <= cap)
  const perCost = Math.max(price.perCost, found)
  return { perCost, spent: scale * spent(policy, sample, at(perCost), sample.costs) }
}

function evenly(count: number, most: number): number[] {
  const stride = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / stride) }, (_, i) => i * stride)
}

function subset(set: RateSet, urls: readonly number[]): RateSet {
  const { notified, posteriors } = set
  const pick = (values: Float32Array): Float32Array => Float32Array.from(urls, (i) => values[i]!)
  const packed = posteriors && new Float32Array(urls.length * GRID_POINTS)
  urls.forEach((url, i) => {
    const own = posteriors?.subarray(url * GRID_POINTS, (url + 1) * GRID_POINTS)
    if (own !== undefined) packed!.set(own, i * GRID_POINTS)
  })
  return {
    count: urls.length,
    rates: pick(set.rates),
    weights: pick(set.weights),
    costs: pick(set.costs),
    floors: pick(set.floors),
    ceilings: pick(set.ceilings),
    ...(notified && { notified: Uint8Array.from(urls, (i) => notified[i]!) }),
    ...(packed && { posteriors: packed }),
    ...(set.prior && { prior: set.prior }),
  }
}
