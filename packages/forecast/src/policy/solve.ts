/**
 * The price at which a budget is just used.
 *   maximise Σ value(ρᵢ)  subject to  Σ costᵢ·ρᵢ ≤ budget,  floorᵢ ≤ ρᵢ ≤ ceilingᵢ
 * Every objective here is concave, so each URL can be asked alone what it deserves at a price Λ, and
 * the spending falls with Λ: bisection in log Λ. O(32·n), of large sets about O(12·n): a million URLs in
 * a second.
 *
 * Hosts with a politeness cap spend min(what their URLs deserve, cap); a host at its cap has a
 * higher price of its own.
 */
import type { VisitsAt } from './objectives.ts'
import type { Price, RateSet } from './policy.ts'

/** Prices are found to a hundred-millionth: where all pages are too fast, so little decides. */
const STEPS = 32
const LEAST_PRICE = 1e-12
const MOST_PRICE = 1e12

/** More URLs than this are sampled evenly first: a price is a statistic of the set. */
const SAMPLE = 20_000
const NEAR_FACTOR = 1.05
const NEAR_STEPS = 10
/** A host's own price to less than a millionth. */
const HOST_STEPS = 28

export interface HostCaps {
  /** Index of each URL's host. */
  hostOf: Int32Array
  /** Most visits per day and host: a day divided by the delay between requests. */
  perDay: Float32Array
}

/** A price for all, and for each host at least that. */
export interface HostPrices extends Price {
  readonly byHost: Float64Array
}

/** `notifiedAt`: the objective of URLs with signals. */
export function solvePrice(
  set: RateSet,
  budgetPerDay: number,
  visitsAt: VisitsAt,
  notifiedAt: VisitsAt = visitsAt,
): Price {
  const spent = (price: number, stride: number): number => {
    let sum = 0
    for (let i = 0; i < set.count; i += stride) {
      const at = set.notified?.[i] === 1 ? notifiedAt : visitsAt
      sum += set.costs[i]! * visitsOf(set, i, price, at)
    }
    return sum * stride
  }
  const stride = Math.max(1, Math.ceil(set.count / SAMPLE))
  const near = priceWhere((price) => spent(price, stride) <= budgetPerDay)
  if (stride === 1) return { perCost: near }
  return { perCost: priceNear(near, (price) => spent(price, 1) <= budgetPerDay) }
}

export function solveHostPrices(
  set: RateSet,
  budgetPerDay: number,
  visitsAt: VisitsAt,
  caps: HostCaps,
): HostPrices {
  const hosts = caps.perDay.length
  const visits = new Float64Array(hosts)
  const sumByHost = (priceOf: (host: number) => number): void => {
    visits.fill(0)
    for (let i = 0; i < set.count; i++) {
      const host = caps.hostOf[i]!
      visits[host]! += visitsOf(set, i, priceOf(host), visitsAt)
    }
  }
  const own = hostPricesAtCap(caps, visits, sumByHost)
  const uncapped = solvePrice(set, budgetPerDay, visitsAt).perCost
  const perCost = priceNear(uncapped, (price) => {
    let spent = 0
    for (let i = 0; i < set.count; i++) {
      const atLeast = Math.max(price, own[caps.hostOf[i]!]!)
      spent += set.costs[i]! * visitsOf(set, i, atLeast, visitsAt)
    }
    return spent <= budgetPerDay
  })
  return { perCost, byHost: own.map((price) => Math.max(price, perCost)) }
}

/** All hosts are bisected in parallel: each pass over the URLs halves every bracket. */
function hostPricesAtCap(
  { perDay }: HostCaps,
  visits: Float64Array,
  sumByHost: (priceOf: (host: number) => number) => void,
): Float64Array {
  const low = new Float64Array(perDay.length).fill(Math.log(LEAST_PRICE))
  const high = new Float64Array(perDay.length).fill(Math.log(MOST_PRICE))
  const middle = new Float64Array(perDay.length)
  for (let step = 0; step < HOST_STEPS; step++) {
    for (let host = 0; host < middle.length; host++) {
      middle[host] = Math.exp((low[host]! + high[host]!) / 2)
    }
    sumByHost((host) => middle[host]!)
    for (let host = 0; host < middle.length; host++) {
      if (visits[host]! <= perDay[host]!) high[host] = Math.log(middle[host]!)
      else low[host] = Math.log(middle[host]!)
    }
  }
  return high.map((log) => (log <= Math.log(LEAST_PRICE) + 1e-3 ? 0 : Math.exp(log)))
}

/** What a URL is visited per day at a price, within its bounds. */
export function visitsOf(set: RateSet, i: number, price: number, visitsAt: VisitsAt): number {
  const visits = visitsAt(set.rates[i]!, set.weights[i]!, price * set.costs[i]!)
  return Math.max(set.floors[i]!, Math.min(set.ceilings[i]!, visits))
}

/** The least price that can be paid for; the least of all when the budget cannot be used up. */
export function priceWhere(isAffordable: (price: number) => boolean): number {
  let low = Math.log(LEAST_PRICE)
  let high = Math.log(MOST_PRICE)
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (isAffordable(Math.exp(middle))) high = middle
    else low = middle
  }
  return Math.exp(high)
}

/** A sample has shown about where the price lies; a few passes over all URLs settle it. */
function priceNear(near: number, isAffordable: (price: number) => boolean): number {
  let low = near / NEAR_FACTOR
  let high = near * NEAR_FACTOR
  while (!isAffordable(high) && high < MOST_PRICE) high *= NEAR_FACTOR
  while (isAffordable(low) && low > LEAST_PRICE) low /= NEAR_FACTOR
  for (let step = 0; step < NEAR_STEPS; step++) {
    const middle = Math.sqrt(low * high)
    if (isAffordable(middle)) high = middle
    else low = middle
  }
  return high
}
