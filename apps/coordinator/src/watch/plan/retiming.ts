/**
 * After the price has jumped, existing plans follow it in two passes. The first, of seconds, reads
 * all URLs in bulk and reschedules those that matter before the horizon: what was to be visited
 * until then, and what should be now. The second, of minutes, reschedules every plan, a page at a
 * time in the background.
 *
 * The first only brings visits forward: if it breaks off, nothing is lost. The second is a fact in
 * the store, so that it continues after a crash and several coordinators share it.
 */
import type { Store } from '@minga/store'
import type { WatchedUrlKey } from './forecast-rows.ts'
import type { Replanned } from './replan.ts'
import type { UpcomingVisit } from './upcoming-visit-scan.ts'
import type { FindUpcoming, FoundUpcoming } from './upcoming-visits.ts'
import type { Operations } from '../../station/station-operations.ts'
import type { Station } from '../../station/station.ts'

type RetimingStation = Pick<Station, 'store' | 'clock'>

const DAY_MS = 86_400_000
/** Pages are what the store does in a tenth to a quarter of a second: agents' beats wait for it. */
const LOOKED_AT_ONCE = 20_000
const RETIMED_AT_ONCE = 4_000
/** Fewer, since they lie scattered. */
const PLACES_AT_ONCE = 2_500
/** Ten times what a page of the second pass takes with its share of a tick. */
const PAGE_MOST_MS = 5_000
const HORIZON_LEAST_MS = 900_000
/** More than the budget brings until the horizon need not be due: the second pass is there sooner. */
const SOON_LEAST = 10_000
const PLANNED_MOST = 20_000
/** Of a tick: others have work, too. */
const SLICE_MS = 2_000

export class Retiming {
  readonly #station: RetimingStation
  #first: AsyncGenerator<void> | null = null
  /** False: no plan is left to be timed, as far as this coordinator knows. */
  #hasSecond = true

  constructor(station: RetimingStation) {
    this.#station = station
  }

  after(replanned: Replanned): void {
    if (replanned.hasJumped) this.#first = timeUpcomingVisits(this.#station, replanned)
    // Another coordinator may have left one unfinished.
    this.#hasSecond = true
  }

  async tick(): Promise<void> {
    const { store, clock } = this.#station
    const until = clock.monotonicMs() + SLICE_MS
    while (this.#first !== null) {
      const { done } = await this.#first.next()
      if (done) this.#first = null
      else if (clock.monotonicMs() >= until) return
    }
    if (!this.#hasSecond) return
    const page = { now: clock.now(), limit: RETIMED_AT_ONCE }
    this.#hasSecond = await store.call('retimeVisits', page)
  }
}

/** One call of the store at a time, so that the caller may pause between them. */
export async function* timeUpcomingVisits(
  { store, clock }: RetimingStation,
  { urls, visitsPerDay, leastFloorMs }: Replanned,
): AsyncGenerator<void> {
  const now = clock.now()
  const pages = Math.ceil(urls / RETIMED_AT_ONCE)
  const aheadMs = Math.max(HORIZON_LEAST_MS, pages * PAGE_MOST_MS)
  const span = { now, horizon: now + aheadMs }
  const planned = await store.call('plannedUpcoming', { ...span, limit: PLANNED_MOST })
  yield
  yield* retimeAll(store, planned, now)
  const most = Math.ceil(Math.max(SOON_LEAST, (visitsPerDay * aheadMs) / DAY_MS))
  const search = { ...span, leastFloorMs, until: span.horizon, limit: LOOKED_AT_ONCE }
  const found: UpcomingVisit[] = []
  let after: WatchedUrlKey | null = null
  do {
    const page: FindUpcoming = { ...search, after }
    const looked: FoundUpcoming = await store.call('findUpcomingVisits', page)
    for (const visit of looked.found) found.push(visit)
    if (found.length > 2 * most) search.until = keepSoonest(found, most)
    after = looked.after
    yield
  } while (after !== null)
  keepSoonest(found, most)
  yield* retimeAll(store, found, now)
}

/** Answers the last moment that is kept. */
function keepSoonest(found: UpcomingVisit[], most: number): number {
  found.sort((one, other) => one.at - other.at)
  found.length = Math.min(found.length, most)
  return Math.round(found.at(-1)?.at ?? 0)
}

/** In the order of the store, whose pages are then read and written once. */
async function* retimeAll(
  store: Store<Operations>,
  keys: readonly WatchedUrlKey[],
  now: number,
): AsyncGenerator<void> {
  const ordered = keys.toSorted(
    (a, b) => a.collectionId - b.collectionId || a.hostId - b.hostId || a.hash - b.hash,
  )
  for (let from = 0; from < ordered.length; from += PLACES_AT_ONCE) {
    const page = ordered.slice(from, from + PLACES_AT_ONCE)
    await store.call('retimePlaces', { keys: page, now })
    yield
  }
}
