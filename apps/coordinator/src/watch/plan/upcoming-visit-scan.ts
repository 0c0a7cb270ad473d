/** Of URLs at hand, those that should be visited before the horizon: packed into arrays and timed by
 * the hundreds, at a microsecond each. */
import {
  decodeBelief,
  decodeWeightsInto,
  hasRhythm,
  integratedSeason,
  isPolicyName,
  newBelief,
  packedBeliefs,
  setWeightsAt,
  type Policy,
  type Price,
  type RateSet,
} from '@minga/forecast'
import {
  watchedUrlKeyOf,
  type ForecastRole,
  type ForecastRow,
  type WatchedUrlKey,
  type WatchRow,
} from './forecast-rows.ts'
import { leastGapMs, usualWorth } from './plan-visits.ts'
import { priceAt, priceFor, type Planning } from './planning.ts'
import { policyFor } from './policy-for.ts'

const DAY_MS = 86_400_000
/** Arrays are of single precision: nothing must be missed for its last digit. */
const MARGIN = 1.001
const NOTHING_KNOWN = newBelief().weights

export interface UpcomingSpan {
  now: number
  horizon: number
}

export interface ScanSpan {
  now: number
  /** Later visits are not looked for: the horizon, or sooner where enough was found. */
  until: number
}

export interface UpcomingVisit extends WatchedUrlKey {
  /** About when the next visit should be. */
  at: number
}

/** `magnitude` is 0 where nothing ever changed, `policy_state` null where nothing is remembered. */
export type UpcomingVisitRow = Pick<
  ForecastRow,
  | 'collection_id'
  | 'host_id'
  | 'hash'
  | 'role'
  | 'weight'
  | 'last_visit_at'
  | 'belief'
  | 'usual_bytes'
  | 'magnitude'
  | 'policy_state'
>

/** Neither a custom policy, nor one that has its own rate instead of the belief. */
export function isBulk(policy: Policy): boolean {
  return isPolicyName(policy.name) && policy.gapDays !== undefined && policy.rate === undefined
}

/** What URLs of one watch and role have in common. */
interface Way {
  policy: Policy
  price: Price
  /** Visits a day. */
  floor: number
  /** Prices of single hosts, by their ids. */
  hosts: Record<string, number> | undefined
}

/** URLs that are timed by one policy at one price are packed and timed together. */
export class UpcomingVisitScan {
  readonly found: UpcomingVisit[] = []
  readonly #planning: Planning
  readonly #span: ScanSpan
  /** Null: cannot be timed in bulk. */
  readonly #ways = new Map<string, Way | null>()
  readonly #prices = new Map<string, Price>()
  readonly #packed = new PackedRows()
  #way: Way | null = null

  constructor(planning: Planning, span: ScanSpan) {
    this.#planning = planning
    this.#span = span
  }

  add(rows: readonly UpcomingVisitRow[], watches: ReadonlyMap<number, WatchRow>): void {
    let [watch, role]: [WatchRow | undefined, ForecastRole | null] = [undefined, null]
    let way: Way | null = null
    for (const row of rows) {
      if (watch?.collectionId !== row.collection_id || role !== row.role) {
        watch = watches.get(row.collection_id)
        role = row.role
        way = watch === undefined ? null : this.#wayOf(role, watch)
      }
      if (watch?.settings.isActive) this.#consider(row, watch, way)
    }
    this.#flush()
  }

  #consider(row: UpcomingVisitRow, watch: WatchRow, way: Way | null): void {
    const { last_visit_at: from, weight } = row
    const { until } = this.#span
    if (from === null) this.#findNow(row)
    if (from === null || way === null) return
    // What a policy remembers of a URL, only the policy can judge.
    if (row.policy_state !== null) return this.#findNow(row)
    const leastMs = leastGapMs({ watch, forecast: { weight }, planning: this.#planning })
    if (from + leastMs > until) return
    const isSame = way.policy === this.#way?.policy && way.price === this.#way.price
    if (!isSame || this.#packed.isFull()) this.#flush()
    this.#way = way
    this.#packed.add(row, { from, weight, leastMs, until, way })
  }

  #findNow(row: UpcomingVisitRow): void {
    const { now, until } = this.#span
    if (now <= until) this.found.push({ ...watchedUrlKeyOf(row), at: now })
  }

  #flush(): void {
    if (this.#way !== null) this.#packed.take(this.#way, this.#span.until, this.found)
    this.#way = null
  }

  #wayOf(role: ForecastRole, watch: WatchRow): Way | null {
    const key = `${watch.collectionId} ${role}`
    const known = this.#ways.get(key)
    if (known !== undefined) return known
    const policy = policyFor({ role }, watch, this.#planning)
    const isNotified = this.#planning.notified.includes(watch.collectionId)
    const way = isBulk(policy) && !isNotified ? this.#newWay(policy, watch) : null
    this.#ways.set(key, way)
    return way
  }

  #newWay(policy: Policy, watch: WatchRow): Way | null {
    const { shares } = this.#planning
    const { collectionId } = watch
    const key = shares[collectionId] === undefined ? policy.name : `${policy.name} ${collectionId}`
    const price = this.#prices.get(key) ?? priceFor(watch, policy.name, this.#planning)
    if (price === null) return null
    this.#prices.set(key, price)
    const { floorMs } = watch.settings
    const floor = floorMs === null ? 0 : DAY_MS / floorMs
    return { policy, price, floor, hosts: this.#planning.hosts[policy.name] }
  }
}

interface Adding {
  from: number
  weight: number
  leastMs: number
  until: number
  way: Way
}

const PACKED_MOST = 1_000
/** A rhythm moves a visit by no more than a week. */
const RHYTHM_DAYS = 7

/** Arrays that are used again and again. */
class PackedRows {
  readonly #rows: UpcomingVisitRow[] = []
  readonly #within = new Float32Array(PACKED_MOST)
  readonly #posteriors = packedBeliefs(PACKED_MOST)
  readonly #all = {
    rates: new Float32Array(PACKED_MOST),
    weights: new Float32Array(PACKED_MOST),
    costs: new Float32Array(PACKED_MOST),
    floors: new Float32Array(PACKED_MOST),
    ceilings: new Float32Array(PACKED_MOST),
  }

  add(row: UpcomingVisitRow, { from, weight, leastMs, until, way }: Adding): void {
    const { belief, magnitude } = row
    const i = this.#rows.push(row) - 1
    const isRhythmic = belief !== null && hasRhythm(belief)
    const days = (until - from) / DAY_MS + (isRhythmic ? RHYTHM_DAYS : 0)
    this.#within[i] = MARGIN * days
    this.#all.weights[i] = weight * usualWorth({ changes: 1, magnitude })
    this.#all.costs[i] = costOf(row, way)
    this.#all.floors[i] = way.floor
    this.#all.ceilings[i] = DAY_MS / leastMs
    if (belief === null) setWeightsAt(this.#posteriors, i, NOTHING_KNOWN)
    else decodeWeightsInto(this.#posteriors, i, belief)
  }

  isFull(): boolean {
    return this.#rows.length === PACKED_MOST
  }

  /** Adds to `found` what should be visited before the until, and is empty again. */
  take({ policy, price }: Way, until: number, found: UpcomingVisit[]): void {
    const count = this.#rows.length
    const set: RateSet = { count, ...this.#all, posteriors: this.#posteriors }
    // How many there are, policies read from the rates.
    set.rates = set.rates.subarray(0, count)
    const gaps = policy.gapDays!(set, price, this.#within)
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i]!
      const at = row.last_visit_at! + gaps[i]! * DAY_MS
      if (at < Infinity && isBefore(until, row, gaps[i]!))
        found.push({ ...watchedUrlKeyOf(row), at })
    }
    this.#rows.length = 0
  }
}

/** Of one visit at the common price: bytes and a scarce host make it dearer. */
function costOf(
  { host_id: hostId, usual_bytes: bytes }: UpcomingVisitRow,
  { price, hosts }: Way,
): number {
  const cost = 1 + (price.visitsPerByte ?? 0) * bytes
  const own = priceAt(hostId, price, hosts)
  return own === null || own === price ? cost : (cost * own.perCost) / price.perCost
}

/** By the page's own busy and quiet days, or by the calendar as a promise counts. */
function isBefore(
  until: number,
  { belief, last_visit_at: last }: UpcomingVisitRow,
  gap: number,
): boolean {
  const from = last ?? until
  if (gap <= (MARGIN * (until - from)) / DAY_MS) return true
  if (belief === null || !hasRhythm(belief)) return false
  return gap <= MARGIN * integratedSeason(decodeBelief(belief).season, from, until)
}
