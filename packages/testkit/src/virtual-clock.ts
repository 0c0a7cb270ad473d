/**
 * Time that passes only when a test advances it. Sleepers wake in the order of their due times
 * (ties: first come, first served), one at a time, and each gets to run until it waits again before
 * the next wakes: the same program always meets the same interleaving.
 */

import type { Clock, Instant } from '@minga/protocol'

export interface VirtualClock extends Clock {
  /** Lets `ms` pass and wakes all who are due on the way. */
  advance(ms: number): Promise<void>
  /**
   * Leaps from sleeper to sleeper until none is left, or until `atMostMs` have passed, since a
   * program with a heartbeat is never idle. Returns the milliseconds that passed.
   */
  runUntilIdle(atMostMs?: number): Promise<number>
  /** Sets the wall clock forwards or backwards, as an operator would; monotonic time continues. */
  jumpWall(ms: number): void
  /** How many are asleep. */
  sleeping(): number
}

interface Sleeper {
  dueMs: number
  sequence: number
  wake: () => void
  isGone: boolean
}

export function createVirtualClock(start: Instant = 0): VirtualClock {
  const sleepers = new SleeperHeap()
  let elapsedMs = 0
  let wallOffsetMs = start
  let sequence = 0
  let asleep = 0

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = (): void => {
        signal?.removeEventListener('abort', wake)
        sleeper.isGone = true
        asleep -= 1
        resolve()
      }
      const sleeper = {
        dueMs: elapsedMs + Math.max(0, ms),
        sequence: (sequence += 1),
        wake,
        isGone: false,
      }
      asleep += 1
      signal?.addEventListener('abort', wake, { once: true })
      sleepers.push(sleeper)
    })

  /** False when no sleeper is due by then. */
  const wakeNext = async (untilMs: number): Promise<boolean> => {
    await othersRan()
    const next = sleepers.peek()
    if (!next || next.dueMs > untilMs) return false
    sleepers.pop()
    elapsedMs = Math.max(elapsedMs, next.dueMs)
    next.wake()
    return true
  }

  return {
    now: () => wallOffsetMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    sleep,
    sleeping: () => asleep,
    jumpWall: (ms) => {
      wallOffsetMs += ms
    },
    advance: async (ms) => {
      const untilMs = elapsedMs + ms
      while (await wakeNext(untilMs));
      elapsedMs = Math.max(elapsedMs, untilMs)
    },
    runUntilIdle: async (atMostMs = Infinity) => {
      const fromMs = elapsedMs
      while (await wakeNext(fromMs + atMostMs));
      return elapsedMs - fromMs
    },
  }
}

/** One turn of the event loop runs every promise callback that is ready, and those they make ready. */
function othersRan(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A binary heap: simulations have tens of thousands of sleepers. Those gone are dropped on top. */
class SleeperHeap {
  readonly #items: Sleeper[] = []

  push(sleeper: Sleeper): void {
    const items = this.#items
    let at = items.push(sleeper) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(items[at], items[parent])) return
      this.#swap(at, parent)
      at = parent
    }
  }

  peek(): Sleeper | undefined {
    while (this.#items[0]?.isGone) this.pop()
    return this.#items[0]
  }

  pop(): void {
    const items = this.#items
    const last = items.pop()
    if (last === undefined || items.length === 0) return
    items[0] = last
    let at = 0
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let first = isBefore(items[left], items[at]) ? left : at
      if (isBefore(items[right], items[first])) first = right
      if (first === at) return
      this.#swap(at, first)
      at = first
    }
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#items[a], this.#items[b]]
    if (!first || !second) return
    this.#items[a] = second
    this.#items[b] = first
  }
}

function isBefore(a: Sleeper | undefined, b: Sleeper | undefined): boolean {
  if (!a || !b) return false
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence)
}
