/**
 * Where every request of a volunteer's agent waits until the owner's limits allow it: requests per
 * second, bytes per second (uploads count as well) and the share of the processor. First come,
 * first served, so that the requests of a host leave in their order.
 */
import type { Clock } from '@minga/protocol'
import type { VolunteerLimits } from '../control.ts'
import type { TurnRequest } from '../owner-hooks.ts'

interface BudgetOptions {
  /** Null: no limit. */
  perSecond: number | null
  /** What may be saved up while nothing happens, in milliseconds of the rate. */
  burstMs: number
}

/**
 * So much per second, on average. What is not known ahead (the size of an answer, the work it
 * makes) is spent afterwards and may leave a debt; the next caller waits until it is paid. In any
 * time t at most rate · (t + burst) is spent, and one item that was under way.
 */
export class Budget {
  readonly #clock: Clock
  readonly #options: BudgetOptions
  /** When all that was spent will have been earned; in the past: savings. */
  #paidAtMs: number

  constructor(clock: Clock, options: BudgetOptions) {
    this.#clock = clock
    this.#options = options
    this.#paidAtMs = clock.monotonicMs() - options.burstMs
  }

  get perSecond(): number | null {
    return this.#options.perSecond
  }

  spend(amount: number): void {
    const { perSecond, burstMs } = this.#options
    if (perSecond === null) return
    const earliestMs = this.#clock.monotonicMs() - burstMs
    this.#paidAtMs = Math.max(this.#paidAtMs, earliestMs) + (amount * 1_000) / perSecond
  }

  /** How long until nothing is owed. */
  waitMs(): number {
    if (this.#options.perSecond === null) return 0
    return Math.max(0, this.#paidAtMs - this.#clock.monotonicMs())
  }
}

/** A timer is late by some milliseconds: with this much saved up, the rate is reached nevertheless. */
const REQUESTS_BURST_MS = 100
/** A page comes at once and is paid for afterwards; two seconds are what an owner would notice. */
const BYTES_BURST_MS = 2_000
/** Longer bursts could be heard from the fan. */
const CPU_BURST_MS = 250
/** How soon a change (of the limits, of who stands first) is noticed. */
const LOOK_MS = 100
const SOON_MS = 1_000
/** How long an upload may keep the line busy. */
const UPLOAD_MS = 10_000
/** Less than one large page would come in parts that are hardly more than their envelopes. */
const UPLOAD_MIN_BYTES = 64 * 1024

export interface GateOptions {
  clock: Clock
  /** Processor time of this process so far, all threads together. */
  cpuMs: () => number
}

interface Waiter extends TurnRequest {
  resolve: (isGranted: boolean) => void
}

export class Gate {
  readonly #options: GateOptions
  #requests: Budget
  #bytes: Budget
  #cpu: Budget
  #cpuSeenMs: number
  #line: Waiter[] = []
  #isServing = false

  constructor(options: GateOptions, limits: VolunteerLimits) {
    this.#options = options
    this.#requests = this.#budget(limits.requestsPerSecond, REQUESTS_BURST_MS)
    this.#bytes = this.#budget(limits.bytesPerSecond, BYTES_BURST_MS)
    this.#cpu = this.#cpuBudget(limits.cpuShare)
    this.#cpuSeenMs = options.cpuMs()
  }

  /** Takes effect for waiting callers; an old debt is not carried over to a new limit. */
  setLimits(limits: VolunteerLimits): void {
    const { requestsPerSecond, bytesPerSecond, cpuShare } = limits
    if (requestsPerSecond !== this.#requests.perSecond)
      this.#requests = this.#budget(requestsPerSecond, REQUESTS_BURST_MS)
    if (bytesPerSecond !== this.#bytes.perSecond)
      this.#bytes = this.#budget(bytesPerSecond, BYTES_BURST_MS)
    if (msPerSecond(cpuShare) !== this.#cpu.perSecond) this.#cpu = this.#cpuBudget(cpuShare)
  }

  #budget(perSecond: number | null, burstMs: number): Budget {
    return new Budget(this.#options.clock, { perSecond, burstMs })
  }

  #cpuBudget(cpuShare: number | null): Budget {
    return this.#budget(msPerSecond(cpuShare), CPU_BURST_MS)
  }

  get uploadBytesMax(): number {
    const { perSecond } = this.#bytes
    if (perSecond === null) return Infinity
    return Math.max(UPLOAD_MIN_BYTES, (perSecond * UPLOAD_MS) / 1_000)
  }

  /** To be called every second or so: work that is noticed late would look like a burst. */
  noteCpu(): void {
    const cpuMs = this.#options.cpuMs()
    this.#cpu.spend(cpuMs - this.#cpuSeenMs)
    this.#cpuSeenMs = cpuMs
  }

  spendBytes(bytes: number): void {
    this.#bytes.spend(bytes)
  }

  async roomForBytes(signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = this.#bytes.waitMs()
      if (waitMs <= 0 || signal.aborted) return
      await this.#options.clock.sleep(Math.min(Math.ceil(waitMs), LOOK_MS), signal)
    }
  }

  /** Waits until a request would have its turn soon: what is asked for earlier is only given back. */
  async nearlyOpen(signal: AbortSignal): Promise<void> {
    while (this.waitMs() > SOON_MS && !signal.aborted) {
      await this.#options.clock.sleep(LOOK_MS, signal)
    }
  }

  turn(turn: TurnRequest): Promise<boolean> {
    if (turn.signal.aborted || this.#cannotServe(turn)) return Promise.resolve(false)
    if (this.#line.length === 0 && this.waitMs() <= 0) {
      this.#requests.spend(1)
      return Promise.resolve(true)
    }
    return new Promise((resolve) => this.#join(turn, resolve))
  }

  /** With so many before it, its lease would be over: better that another machine has it now. */
  #cannotServe({ deadlineMs }: TurnRequest): boolean {
    const { perSecond } = this.#requests
    const beforeMs = perSecond === null ? 0 : (this.#line.length * 1_000) / perSecond
    return this.#options.clock.monotonicMs() + this.waitMs() + beforeMs >= deadlineMs
  }

  #join(turn: TurnRequest, resolve: (isGranted: boolean) => void): void {
    const leave = (): void => {
      this.#line = this.#line.filter((other) => other !== waiter)
      resolve(false)
    }
    const waiter: Waiter = {
      ...turn,
      resolve: (isGranted) => {
        turn.signal.removeEventListener('abort', leave)
        resolve(isGranted)
      },
    }
    turn.signal.addEventListener('abort', leave, { once: true })
    this.#line.push(waiter)
    if (!this.#isServing) void this.#serve()
  }

  async #serve(): Promise<void> {
    const { clock } = this.#options
    this.#isServing = true
    while (this.#line.length > 0) {
      const waitMs = this.waitMs()
      const first = this.#line[0]!
      const isLate = clock.monotonicMs() + waitMs >= first.deadlineMs
      const mayGo = first.isWanted() && !isLate
      if (mayGo && waitMs > 0) {
        await clock.sleep(Math.min(Math.ceil(waitMs), LOOK_MS))
        continue
      }
      this.#line.shift()
      if (mayGo) this.#requests.spend(1)
      first.resolve(mayGo)
    }
    this.#isServing = false
  }

  /** How long the next request would wait, if the queue were empty. */
  waitMs(): number {
    this.noteCpu()
    return Math.max(this.#requests.waitMs(), this.#bytes.waitMs(), this.#cpu.waitMs())
  }
}

/** Milliseconds of processor time per second. */
function msPerSecond(cpuShare: number | null): number | null {
  return cpuShare === null ? null : cpuShare * 1_000
}
