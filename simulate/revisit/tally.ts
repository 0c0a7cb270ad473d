/**
 * What the visits to one URL come to. A URL begins in an initial state, and every change brings a
 * new one. Rules at the edges:
 *   - a change at the very instant of a visit is seen by it;
 *   - a visit captures a version when it is the first, or something changed since the one before;
 *     every other visit is redundant, so crawls = versions + redundant;
 *   - a change is caught when a visit saw its state before the next change, else lost; two changes
 *     at one instant: the former is lost;
 *   - the copy is fresh while nothing changed since it was made; before the first visit there is none,
 *     and nothing is fresh;
 *   - age is the time since the first change that no visit has seen yet, 0 without one.
 */
import type { Trace } from './trace.ts'

export class Tally {
  crawls = 0
  versions = 0
  caught = 0
  freshMs = 0
  /** Age integrated over time, in ms². */
  ageMs2 = 0
  /** Of what the last visit found; 0 without a change. */
  magnitude = 0
  readonly trace: Trace
  /** Changes up to the last visit. */
  #seen = 0
  #lastAt: number

  constructor(trace: Trace) {
    this.trace = trace
    this.#lastAt = trace.start
  }

  /** Did anything change since the visit before? */
  visit(at: number): boolean {
    const { changes, magnitudes } = this.trace
    let upTo = this.#seen
    let magnitude = 0
    while (upTo < changes.length && changes[upTo]! <= at) {
      magnitude = Math.max(magnitude, magnitudes?.[upTo] ?? 1)
      upTo++
    }
    this.#passUntil(at)
    const changed = upTo > this.#seen
    if (changed) this.caught++
    if (changed || this.crawls === 0) this.versions++
    this.crawls++
    this.magnitude = magnitude
    this.#seen = upTo
    this.#lastAt = at
    return changed
  }

  /** Has the change of this number not been seen by any visit? */
  isUnseen(change: number): boolean {
    return change >= this.#seen
  }

  end(): void {
    this.#passUntil(this.trace.end)
    this.#lastAt = this.trace.end
  }

  #passUntil(at: number): void {
    const firstUnseen = this.trace.changes[this.#seen] ?? Infinity
    const staleFrom = Math.min(firstUnseen, at)
    if (this.crawls > 0) this.freshMs += staleFrom - this.#lastAt
    this.ageMs2 += (at - staleFrom) ** 2 / 2
  }
}
