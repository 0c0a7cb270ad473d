/**
 * What this station's hosts took to answer lately: the median over hosts, each counted once in every few seconds in
 * which it was visited. First bytes only, which a connection that was kept open has as well as a new one.
 */
import { TimeSketch, type PairBytes } from '@minga/partition'
import { LatencyHistogram, type Clock } from '@minga/protocol'

/** Of each of the two windows that the median is of: long enough for slow crawls, short enough to see a change. */
const WINDOW_MS = 300_000
/** Fewer say too little: one slow site would move them. */
const LEAST = 30

export class RecentWaits {
  readonly #clock: Clock
  #now = new LatencyHistogram()
  #before = new LatencyHistogram()
  #sinceMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sinceMs = clock.monotonicMs()
  }

  note(times: readonly Pick<PairBytes, 'firstByte'>[]): void {
    this.#turn()
    for (const { firstByte } of times) {
      const ms = TimeSketch.fromBytes(firstByte).quantile(0.5, this.#clock.now())
      if (ms !== null) this.#now.add(ms)
    }
  }

  /** Null while too few hosts were visited. */
  medianMs(): number | null {
    this.#turn()
    const both = LatencyHistogram.of(this.#before.buckets())
    both.merge(this.#now.buckets())
    return both.count < LEAST ? null : both.quantile(0.5)
  }

  #turn(): void {
    const passedMs = this.#clock.monotonicMs() - this.#sinceMs
    if (passedMs < WINDOW_MS) return
    this.#before = passedMs < 2 * WINDOW_MS ? this.#now : new LatencyHistogram()
    this.#now = new LatencyHistogram()
    this.#sinceMs += passedMs - (passedMs % WINDOW_MS)
  }
}
