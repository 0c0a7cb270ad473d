/**
 * Schedules visits while a station runs: what is due is queued, what ended without a fetch is recorded,
 * harvests begin and end, and plans follow the budget. The state is all in the store: a coordinator
 * that is killed resumes where it was, and several may tick in parallel.
 */
import type { CollectionProblem, VisitCounts } from '@minga/protocol'
import type { HarvestVerb } from './harvests.ts'
import { Retiming } from '../plan/retiming.ts'
import type { Station } from '../../station/station.ts'

/** Rates move slowly; a plan that is ten minutes old costs next to nothing in versions. */
const REPLAN_EVERY_MS = 600_000

export interface Steering {
  id: number
  /** Whose watches may be changed; null: everyone's. */
  owner: string | null
}

export class VisitScheduler {
  readonly #station: Station
  #replannedMs: number | null = null
  #mustReplan = false
  readonly #retiming: Retiming

  constructor(station: Station) {
    this.#station = station
    this.#retiming = new Retiming(station)
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { store, clock, guard, settings } = this.#station
    const now = clock.now()
    const { visitsPerDay, visitBytesPerDay } = settings.current()
    await store.call('endStrayVisits', { now })
    const hasLaunched = await store.call('advanceHarvests', { guard, now })
    await this.#replan()
    await this.#retiming.tick()
    const queued = await store.call('queueDueVisits', { now, visitsPerDay, visitBytesPerDay })
    if (queued > 0 || hasLaunched) this.#station.work.notifyAll()
  }

  /** Plans change with the set of watches: the next tick computes new prices. */
  replanSoon(): void {
    this.#mustReplan = true
  }

  async #replan(): Promise<void> {
    const { store, clock, settings } = this.#station
    const nowMs = clock.monotonicMs()
    const isDue = this.#replannedMs === null || nowMs - this.#replannedMs >= REPLAN_EVERY_MS
    if (!isDue && !this.#mustReplan) return
    this.#mustReplan = false
    this.#replannedMs = nowMs
    const { visitsPerDay, visitBytesPerDay } = settings.current()
    const args = { now: clock.now(), visitsPerDay, visitBytesPerDay }
    const replanned = await store.call('replanVisits', args)
    this.#retiming.after(replanned)
  }

  /** Everything watched (of these watches, of this owner) is due now; see `roundSince`. */
  async startRound(of: { ids: number[] | null; owner: string | null; by: string }): Promise<Round> {
    const { store, clock } = this.#station
    const startedAt = clock.now()
    const due = await store.call('makeAllDue', {
      now: startedAt,
      collections: of.ids,
      owner: of.owner,
      by: of.by,
    })
    return { due, startedAt }
  }

  async harvest({ id, owner }: Steering, cause: string): Promise<number> {
    const { store, clock } = this.#station
    return store.call('orderHarvest', { collectionId: id, owner, cause, now: clock.now() })
  }

  async steer({ id, owner }: Steering, verb: HarvestVerb): Promise<void> {
    const { store, clock } = this.#station
    await store.call('steerHarvest', { collectionId: id, owner, verb, now: clock.now() })
    this.#station.work.notifyAll()
  }
}

export interface Round {
  due: number
  startedAt: number
}

export interface RoundState extends VisitCounts {
  /** Visits and harvests of the round that have not ended. */
  left: number
  /** The most frequent cause of failures; null unless visits took place and all of them failed. */
  problem: CollectionProblem | null
}
