/** Says when the disk of the station's folder runs low, and when there is room again. */
import type { Clock } from '@minga/protocol'
import type { EventLog } from './event-log.ts'

export interface DiskWatchParts {
  clock: Clock
  eventLog: Pick<EventLog, 'note'>
  /** Null when the system does not say. */
  freeBytes: () => Promise<number | null>
}

const LOOK_EVERY_MS = 60_000
const GIGABYTE = 1_000_000_000
/** Time to make room before captures have to wait; a busy station writes less than this in an hour. */
const LOW_BYTES = 2 * GIGABYTE
/** Apart, so that a disk at the edge does not fill the log. */
const ENOUGH_BYTES = 3 * GIGABYTE

export class DiskWatch {
  readonly #parts: DiskWatchParts
  #isLow = false
  #lookAtMs = 0

  constructor(parts: DiskWatchParts) {
    this.#parts = parts
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { clock, eventLog, freeBytes } = this.#parts
    if (clock.monotonicMs() < this.#lookAtMs) return
    this.#lookAtMs = clock.monotonicMs() + LOOK_EVERY_MS
    const free = await freeBytes()
    if (free === null) return
    const sentence = `The disk of the station's folder has ${Math.round(free / 1_000_000)} MB left.`
    const details = { freeBytes: free }
    if (!this.#isLow && free < LOW_BYTES) {
      this.#isLow = true
      eventLog.note({ code: 'station:disk-low', subject: '', sentence, details })
    } else if (this.#isLow && free >= ENOUGH_BYTES) {
      this.#isLow = false
      eventLog.note({ code: 'station:disk-enough', subject: '', sentence, details })
    }
  }
}
