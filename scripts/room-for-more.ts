/**
 * When another test file may be begun. Many of them wait for real time (clocks of hosts, leases that
 * run out, browsers): as long as processors stand idle, more run side by side than there are processors.
 */
import { idleShare, type ProcessorTimes } from './idle-processors.ts'

/** A file that was just begun shows by then what it takes: most of its first second is reading programs. */
const WINDOW_MS = 3_000
/** Of two processors nearly one, which is what most files keep busy. */
const IDLE_LEAST = 0.4

export interface RoomOptions {
  /** That many always. */
  filesAtOnce: number
  /** That many while processors stand idle. */
  filesMost: number
  now: () => number
  times: () => ProcessorTimes
}

export class RoomForMore {
  readonly #options: RoomOptions
  #since: { ms: number; times: ProcessorTimes }

  constructor(options: RoomOptions) {
    this.#options = options
    this.#since = this.#look()
  }

  /** Asked again and again: every answer that looked at the processors begins a new while. */
  isThere(running: number): boolean {
    const { filesAtOnce, filesMost } = this.#options
    if (running < filesAtOnce) return true
    if (running >= filesMost || this.#options.now() - this.#since.ms < WINDOW_MS) return false
    const before = this.#since
    this.#since = this.#look()
    return idleShare(before.times, this.#since.times) >= IDLE_LEAST
  }

  /** What was idle before a file was begun tells nothing of the time after. */
  begun(): void {
    this.#since = this.#look()
  }

  #look(): { ms: number; times: ProcessorTimes } {
    return { ms: this.#options.now(), times: this.#options.times() }
  }
}
