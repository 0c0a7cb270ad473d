/**
 * One of several coordinators tidies the lake for all. It leads while it renews its lease; everything it does goes
 * through `call`, which does nothing in the store unless the fence is still its own. So a leader that was stopped
 * and wakes up changes nothing, whatever it believes.
 *
 * A candidate judges by its own clock alone: it takes over when it has seen the same lease, not renewed, for a whole
 * time-out. Clocks of machines may differ as they like; and who returns, a former leader as well, waits that long.
 */
import { isMingaError, type Clock } from '@minga/protocol'
import type { Calls, OperationArgs, OperationResult } from '@minga/store'
import { NotLeader } from '../errors.ts'
import type { LakeActs, LakeOperations } from '../operations.ts'
import type { ObservedLeader } from './leader-operations.ts'

export interface LeaderLease extends Calls<LakeActs> {
  mayLead(): boolean
  tick(): Promise<void>
  /** Others need not wait for the end of the lease. */
  end(): Promise<void>
}

/** SQLite's folder belongs to one process, so no other can lead. */
export function alwaysLeader(store: Calls<LakeActs>): LeaderLease {
  return {
    call: (operation, args, transfer) => store.call(operation, args, transfer),
    mayLead: () => true,
    tick: async () => {},
    end: async () => {},
  }
}

export interface LeadershipParts {
  store: Calls<LakeOperations>
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** A name for people, different for each process. */
  holder: string
  leaseMs?: number
}

const NAME = 'lake'
/** Nothing that waits for a leader is urgent; too short changes leaders because a machine is busy. */
const LEASE_MS = 10_000
const RENEWALS_PER_LEASE = 4
/** A lease that its holder gave up. */
const ENDED = 0

export class Leadership implements LeaderLease {
  /** Its lease is renewed by the tick. */
  readonly isSteady = true
  readonly #parts: LeadershipParts
  readonly #leaseMs: number
  #fence: number | null = null
  /** By our own monotonic clock: when we renewed, or when we first saw what we still see. */
  #sinceMs = 0
  #seen: ObservedLeader | null = null

  constructor(parts: LeadershipParts) {
    this.#parts = parts
    this.#leaseMs = parts.leaseMs ?? LEASE_MS
  }

  mayLead(): boolean {
    return this.#fence !== null && this.#elapsedMs() < this.#leaseMs
  }

  async tick(): Promise<void> {
    if (this.mayLead()) {
      if (this.#elapsedMs() >= this.#leaseMs / RENEWALS_PER_LEASE) await this.#renew()
      return
    }
    if (this.#fence !== null) this.#lapse()
    await this.#watch()
  }

  async end(): Promise<void> {
    const fence = this.#fence
    this.#fence = null
    if (fence === null) return
    await this.#parts.store.call('lakeRenewLeadership', { name: NAME, fence, until: ENDED })
  }

  /** An operation of the lake as its leader. Refused, it has changed nothing. */
  async call<K extends keyof LakeActs>(
    operation: K,
    args: OperationArgs<LakeActs[K]>,
  ): Promise<OperationResult<LakeActs[K]>> {
    const fence = this.#fence
    if (fence === null) throw NotLeader.yet()
    const led = { name: NAME, fence, operation, args }
    try {
      // It answers what the operation that it runs answers.
      return (await this.#parts.store.call('lakeAsLeader', led)) as OperationResult<LakeActs[K]>
    } catch (error) {
      if (isNotLeader(error) && this.#fence === fence) this.#lapse()
      throw error
    }
  }

  async #renew(): Promise<void> {
    const fence = this.#fence!
    const sentMs = this.#parts.clock.monotonicMs()
    const renewal = { name: NAME, fence, until: this.#until() }
    const isOurs = await this.#parts.store.call('lakeRenewLeadership', renewal)
    if (!isOurs) this.#lapse()
    // From before the call: the lease may have begun to run when it was sent.
    else if (this.#fence === fence) this.#sinceMs = sentMs
  }

  async #watch(): Promise<void> {
    const { store, holder, clock } = this.#parts
    const seen = await store.call('lakeReadLeader', { name: NAME })
    const isSame = seen?.fence === this.#seen?.fence && seen?.until === this.#seen?.until
    if (!isSame) {
      this.#seen = seen
      this.#sinceMs = clock.monotonicMs()
    }
    const isFree = seen === null || seen.until === ENDED
    if (!isFree && (!isSame || this.#elapsedMs() < this.#leaseMs)) return
    const sentMs = clock.monotonicMs()
    const taking = { name: NAME, holder, seen, until: this.#until(), now: clock.now() }
    this.#fence = await store.call('lakeAcquireLeadership', taking)
    this.#sinceMs = sentMs
    this.#seen = null
  }

  #lapse(): void {
    this.#fence = null
    this.#seen = null
  }

  #elapsedMs(): number {
    return this.#parts.clock.monotonicMs() - this.#sinceMs
  }

  /** For people who read the table, and never the same twice: that is how others see a renewal. */
  #until(): number {
    return this.#parts.clock.now() + this.#leaseMs
  }
}

export function isNotLeader(error: unknown): boolean {
  return isMingaError(error) && error.code === 'MINGA_NOT_LEADER'
}
