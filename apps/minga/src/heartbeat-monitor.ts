/**
 * Whether a child's main loop still turns, judged by its beats. Time is counted in the watcher's own periods: one
 * that was stopped or slept itself wakes up to one missed period and not to four, and so does not report a child as hung.
 */

/** Too few restart healthy processes under load; too many only delay a replacement. */
const MISSED_MOST = 4
/** Until the first beat: code is loaded before any loop turns, and a busy machine takes its time. */
const START_MS = 60_000

export class HeartbeatMonitor {
  readonly #everyMs: number
  readonly #startPeriods: number
  #wasHeard = false
  #hasBegun = false
  #missed = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
    this.#startPeriods = Math.ceil(START_MS / everyMs)
  }

  heard(): void {
    this.#wasHeard = true
    this.#hasBegun = true
  }

  /** For how long nothing was heard. */
  get silentMs(): number {
    return this.#missed * this.#everyMs
  }

  /** A period is over. Answers whether the child has been silent for too long. */
  isSilent(): boolean {
    this.#missed = this.#wasHeard ? 0 : this.#missed + 1
    this.#wasHeard = false
    return this.#missed >= (this.#hasBegun ? MISSED_MOST : this.#startPeriods)
  }
}
