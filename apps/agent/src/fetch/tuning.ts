/**
 * How many requests in flight and in progress suit this machine and its line, found by trying: a little
 * more as long as each lane gets as much done as before, a good deal less as soon as lanes stand in
 * one another's way (additive increase, multiplicative decrease; Chiu and Jain 1989).
 *
 * Below the knee of a line a lane's work per second does not depend on how many there are; beyond
 * it the lanes share what there is, so the work of one, against what one did with room, says where
 * the knee lies: the cut goes there at once. Sites differ, and become slower for reasons of their
 * own: when a cut brought nothing, it is undone and the new pace is taken for what sites give.
 */

/** What happened in some seconds. */
export interface Window {
  ms: number
  completed: number
  /** Without an answer in time, or cut off. */
  failed: number
  bytes: number
  /** Time that requests were in flight, added up over all lanes. */
  laneMs: number
  /** Given back because their lease would have been, or was, over. */
  late: number
  /** Whether the station had no work for us. */
  isOutOfWork: boolean
}

export interface Pace {
  concurrency: number
  requestsInHand: number
}

export interface TunerOptions {
  concurrencyMax: number
  requestsInHandMax: number
}

/** Where it begins: what any line can handle. */
const FIRST: Pace = { concurrency: 8, requestsInHand: 200 }
/** A larger answer counts for more: so many bytes are as much work as one request. */
const BYTES_PER_WORK = 50_000
/** Judged by fewer, chance would decide. */
const WINDOW_REQUESTS = 20
/** Lanes that were idle so much say nothing of what more lanes would do. */
const BUSY_SHARE = 0.75
/** A lane that does less than this of what it did with room is being held up. */
const HELD_UP = 0.88
/** Below the knee, so that the next windows show again what a lane does with room. */
const BELOW_KNEE = 0.95
/** More than the usual share of failures by this: a line, or a router, that is giving in. */
const FAILURES_MORE = 0.15
const CUT_MIN = 0.5
/** A cut is right when a lane does better by this much after it. */
const BETTER = 1.05
const IN_HAND_STEP = 100
const IN_HAND_MIN = 16
const LATE_SHARE = 0.05

export class Tuner {
  #options: TunerOptions
  #pace: Pace
  /** Doubles until it meets the knee for the first time. */
  #isOpening = true
  /** Work of one lane per second while there is room. */
  #withRoom: number | null = null
  #usualFailures = 0
  /** How it was before the last cut, until that has been judged. */
  #before: { concurrency: number; perLane: number } | null = null

  constructor(options: TunerOptions) {
    this.#options = options
    this.#pace = this.#within(FIRST)
  }

  get pace(): Pace {
    return this.#pace
  }

  setOptions(options: TunerOptions): void {
    this.#options = options
    this.#pace = this.#within(this.#pace)
  }

  /** Whether so little happened that the window should go on. */
  static isTooShort({ completed, failed }: Window): boolean {
    return completed + failed < WINDOW_REQUESTS
  }

  observe(window: Window): Pace {
    const isBusy = window.laneMs / window.ms >= this.#pace.concurrency * BUSY_SHARE
    this.#pace = this.#within({
      concurrency: isBusy ? this.#nextConcurrency(window) : this.#pace.concurrency,
      requestsInHand: this.#nextInHand(window, isBusy),
    })
    return this.#pace
  }

  #nextConcurrency(window: Window): number {
    const { concurrency } = this.#pace
    const failures = window.failed / (window.completed + window.failed)
    const areTooMany = failures > this.#usualFailures + FAILURES_MORE
    this.#usualFailures += (failures - this.#usualFailures) / 4
    const perLane = (window.completed + window.bytes / BYTES_PER_WORK) / (window.laneMs / 1_000)
    if (this.#before !== null) return this.#judgeCut(this.#before, perLane)
    if (areTooMany) return this.#cut(perLane, CUT_MIN)
    this.#withRoom ??= perLane
    if (perLane < this.#withRoom * HELD_UP) {
      return this.#cut(perLane, (perLane / this.#withRoom) * BELOW_KNEE)
    }
    return this.#isOpening ? concurrency * 2 : concurrency + this.#step()
  }

  #cut(perLane: number, factor: number): number {
    const { concurrency } = this.#pace
    this.#isOpening = false
    this.#before = { concurrency, perLane }
    return Math.floor(concurrency * Math.max(CUT_MIN, factor))
  }

  #judgeCut(before: { concurrency: number; perLane: number }, perLane: number): number {
    // Worse with fewer lanes: the line itself has changed in the meantime. Cut again, then judge.
    if (perLane * BETTER < before.perLane) return this.#cut(perLane, CUT_MIN)
    this.#before = null
    const wasRight = perLane > before.perLane * BETTER
    this.#withRoom = wasRight && this.#withRoom !== null ? (this.#withRoom + perLane) / 2 : perLane
    return wasRight ? this.#pace.concurrency : before.concurrency
  }

  #step(): number {
    return Math.max(1, Math.floor(this.#options.concurrencyMax / 32))
  }

  /** More in progress while lanes are idle for want of it; half when blocks are not done in time. */
  #nextInHand({ late, completed, isOutOfWork }: Window, isBusy: boolean): number {
    const { requestsInHand } = this.#pace
    if (late > completed * LATE_SHARE) return Math.floor(requestsInHand / 2)
    return isBusy || isOutOfWork ? requestsInHand : requestsInHand + IN_HAND_STEP
  }

  #within({ concurrency, requestsInHand }: Pace): Pace {
    const { concurrencyMax, requestsInHandMax } = this.#options
    return {
      concurrency: Math.max(1, Math.min(concurrency, concurrencyMax)),
      requestsInHand: Math.max(
        Math.min(IN_HAND_MIN, requestsInHandMax),
        Math.min(requestsInHand, requestsInHandMax),
      ),
    }
  }
}
