/**
 * What the agent holds: the hosts of its blocks, each worked on by one lane. The buffer also knows
 * which leases are still ours, and so whether anything may be dialled at all.
 */
import { SILENCE_MS, type Block, type HostBlock } from '@minga/protocol'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import { fetchHost, giveBackRest, groupOf, type Group } from './fetch-host.ts'
import type { Machine, MachineLimits } from './machine.ts'
import { ResizableSemaphore } from './resizable-semaphore.ts'
import { WikiSessions } from './wiki-session.ts'

/** Stop a little before the coordinator's count of our silence ends. */
const SILENCE_MARGIN_MS = 500

interface HeldLease {
  fence: number
  monotonicDeadlineMs: number
  wallDeadlineMs: number
  lanes: number
  isLost: boolean
  /** Aborts when the lease is lost: what is in the air is given up, for another may ask by then. */
  over: AbortController
}

/** What beats have brought from their own thread, read at the moment of a dial. */
export interface LeaseHealth {
  heardAtMonotonicMs(): number
  /** Leases that were named as ended since the last question. To be asked AFTER the time. */
  takeEnded(): number[]
}

interface Halt {
  pausing: AbortSignal | undefined
  signal: AbortSignal
}

export class WorkBuffer {
  readonly semaphore: ResizableSemaphore
  readonly machine: Machine
  readonly signal: AbortSignal
  /** At wikis that want a log-in. */
  readonly sessions: WikiSessions
  /** Grows with every request that ends: the proof of life that a beat carries. Shared, so that
   * the beating thread reads it while this one is busy. */
  readonly progressMemory = new Int32Array(new SharedArrayBuffer(4))
  /** Called at once when a block was taken. */
  onTake: () => void = () => {}
  #health: LeaseHealth | null = null
  #requests = 0
  #leases = new Map<number, HeldLease>()
  readonly #groups = new Set<Group>()
  /** The last lane of each host that is at work. */
  readonly #lanes = new Map<number, Promise<void>>()
  #heardAtMonotonicMs: number
  #isAbandoned = false
  #halt: Halt
  readonly #changed = new ConditionVariable()

  constructor(options: { machine: Machine; signal: AbortSignal }) {
    this.machine = options.machine
    this.signal = options.signal
    this.sessions = new WikiSessions(options.machine.clock)
    this.semaphore = new ResizableSemaphore(options.machine.limits.concurrency)
    this.#heardAtMonotonicMs = options.machine.clock.monotonicMs()
    this.#halt = this.#haltFrom(options.machine.ownerHooks?.pausing)
  }

  /** Aborts when nothing more is dialled: for good, or while the owner pauses. Who rests or waits
   * for a turn gives back what it has then. */
  get halt(): AbortSignal {
    const pausing = this.machine.ownerHooks?.pausing
    if (pausing !== this.#halt.pausing) this.#halt = this.#haltFrom(pausing)
    return this.#halt.signal
  }

  #haltFrom(pausing: AbortSignal | undefined): Halt {
    const signal = pausing ? AbortSignal.any([this.signal, pausing]) : this.signal
    signal.addEventListener('abort', () => this.#giveBackAll(), { once: true })
    return { pausing, signal }
  }

  #giveBackAll(): void {
    for (const group of this.#groups) giveBackRest(this, group)
    this.semaphore.dismiss()
  }

  setPace({ concurrency, requestsInHand }: Omit<MachineLimits, 'resultBytes'>): void {
    Object.assign(this.machine.limits, { concurrency, requestsInHand })
    this.semaphore.resize(concurrency)
    this.#changed.notifyAll()
  }

  /** Gives up what is in the air. Nothing is said of it: the sites were asked, so their rest is
   * counted from our goodbye. */
  abandon(): void {
    this.#isAbandoned = true
    for (const { over } of this.#leases.values()) over.abort()
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned
  }

  get progress(): number {
    return Atomics.load(this.progressMemory, 0)
  }

  watchHealth(health: LeaseHealth): void {
    this.#health = health
  }

  get requests(): number {
    return this.#requests
  }

  /** Leases that we still need: worked on, or with results on their way. */
  get fences(): number[] {
    return [...this.machine.recorder.fences.union(new Set(this.#leases.keys()))]
  }

  /**
   * Takes a block: one lane per host starts at once and waits for its turn. Its time runs
   * from our question, which is never later than the station's count. An answer that took longer
   * than our silence may last (this machine slept) brings a lease that has ended already.
   */
  take(block: Block, askedAtMonotonicMs: number): void {
    const { clock } = this.machine
    const ageMs = clock.monotonicMs() - askedAtMonotonicMs
    const lease: HeldLease = {
      fence: block.fence,
      monotonicDeadlineMs: askedAtMonotonicMs + block.deadlineMs,
      wallDeadlineMs: clock.now() - ageMs + block.deadlineMs,
      lanes: block.hosts.length,
      isLost: ageMs >= SILENCE_MS - SILENCE_MARGIN_MS,
      over: new AbortController(),
    }
    this.#leases.set(block.fence, lease)
    this.onTake()
    for (const host of block.hosts) {
      this.#requests += host.requests.length
      void this.#runLane(lease, host)
    }
    if (this.halt.aborted) this.#giveBackAll()
  }

  async #runLane(lease: HeldLease, host: HostBlock): Promise<void> {
    const group = groupOf(lease.fence, host)
    this.#groups.add(group)
    // A lane of a lost lease may still hear a late response: the next one to its host lets it end.
    const former = this.#lanes.get(host.hostId) ?? Promise.resolve()
    const lane = former.then(() => fetchHost(this, group))
    this.#lanes.set(host.hostId, lane)
    await lane
    this.#groups.delete(group)
    if (this.#lanes.get(host.hostId) === lane) this.#lanes.delete(host.hostId)
    lease.lanes--
    if (lease.lanes === 0) this.#leases.delete(lease.fence)
    this.#changed.notifyAll()
  }

  /**
   * May a request of this lease be dialled now? Asked immediately before every dial. Both clocks
   * are looked at: a suspended machine's monotonic clock may have stood still, and a wall clock
   * may have been set back.
   */
  mayDial(fence: number): boolean {
    this.readHealth()
    const lease = this.#leases.get(fence)
    if (!lease || lease.isLost || this.signal.aborted) return false
    const { clock, isAbandoned, ownerHooks } = this.machine
    const now = clock.monotonicMs()
    return (
      now < lease.monotonicDeadlineMs &&
      clock.now() < lease.wallDeadlineMs &&
      this.#isHeardAt(now) &&
      !isAbandoned() &&
      !ownerHooks?.isPaused()
    )
  }

  #isHeardAt(now: number): boolean {
    return now - this.#heardAtMonotonicMs < SILENCE_MS - SILENCE_MARGIN_MS
  }

  /** While beats go unanswered nothing may be dialled, so nothing is to be asked for either. */
  isHeard(): boolean {
    this.readHealth()
    return this.#isHeardAt(this.machine.clock.monotonicMs())
  }

  heardMsAgo(): number {
    this.readHealth()
    return this.machine.clock.monotonicMs() - this.#heardAtMonotonicMs
  }

  /**
   * The station answered a beat that we sent at this moment. Only beats count: no other answer
   * says which of our leases are still valid, and the station counts our silence by them.
   */
  heard(sentAtMonotonicMs: number): void {
    this.#heardAtMonotonicMs = Math.max(this.#heardAtMonotonicMs, sentAtMonotonicMs)
  }

  /** Takes in what beats have brought since the last time. */
  readHealth(): void {
    if (this.#health === null) return
    const heardAtMs = this.#health.heardAtMonotonicMs()
    this.lost(this.#health.takeEnded())
    this.heard(heardAtMs)
  }

  lost(fences: readonly number[]): void {
    for (const fence of fences) {
      const lease = this.#leases.get(fence)
      if (!lease) continue
      lease.isLost = true
      lease.over.abort()
    }
  }

  /** Aborts when this lease is lost. */
  signalOf(fence: number): AbortSignal | undefined {
    return this.#leases.get(fence)?.over.signal
  }

  requestEnded(): void {
    this.#requests--
    Atomics.add(this.progressMemory, 0, 1)
    this.#changed.notifyAll()
  }

  /** Resolves when less than `requests` are in progress. */
  async below(requests: number, signal: AbortSignal): Promise<void> {
    while (this.#requests >= requests && !signal.aborted) await this.#changed.wait(signal)
  }

  /** Waits until results take less memory than allowed: a slow upload slows fetching. */
  async roomForResults(): Promise<void> {
    const { recorder, limits } = this.machine
    while (recorder.waitingBytes >= limits.resultBytes && !this.halt.aborted) {
      await recorder.changed(this.halt)
    }
  }

  /** Waits until the owner's limits allow one more request; false when it is to be given back. */
  async turn(fence: number): Promise<boolean> {
    const { ownerHooks } = this.machine
    const lease = this.#leases.get(fence)
    if (!ownerHooks || !lease) return true
    return ownerHooks.turn({
      deadlineMs: lease.monotonicDeadlineMs,
      signal: this.halt,
      isWanted: () => this.mayDial(fence),
    })
  }

  async emptied(): Promise<void> {
    while (this.#leases.size > 0) await this.#changed.wait()
  }
}
