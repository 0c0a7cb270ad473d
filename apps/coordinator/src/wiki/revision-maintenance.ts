/**
 * Folds pending revisions into files and merges files, and checks the schedule: in the background
 * and one at a time, because each may take seconds.
 */
import { isMingaError } from '@minga/protocol'
import type { WikiSchedule } from './tasks/schedule.ts'
import type { Station } from '../station/station.ts'

interface MaintenanceDeps {
  schedule: Pick<WikiSchedule, 'look'>
  /** What the wikis hid is out of the files of revisions, and not yet out of the archive. */
  onFolded: () => Promise<void>
}

/** Batches live in the database in the meantime, and count at once: there is no haste. */
const EVERY_MS = 60_000
/** A small rest is folded after this long, so that a database does not keep it for ever. */
const REST_MS = 15 * 60_000

export class RevisionMaintenance {
  readonly #station: Station
  readonly #deps: MaintenanceDeps
  #lastMs: number
  #work: Promise<void> | null = null
  #isOpen = false
  #opening: Promise<unknown> | null = null

  constructor(station: Station, deps: MaintenanceDeps) {
    this.#station = station
    this.#deps = deps
    this.#lastMs = station.clock.monotonicMs()
  }

  /** Clears away what a stop left half written: once, and before anyone writes here. */
  async open(): Promise<void> {
    this.#opening ??= this.#station.revisions.tidy({ isOpening: true })
    await this.#opening
  }

  /** Never waits for the work. */
  async tick(): Promise<void> {
    const nowMs = this.#station.clock.monotonicMs()
    if (this.#work !== null || (this.#isOpen && nowMs - this.#lastMs < EVERY_MS)) return
    this.#lastMs = nowMs
    this.#work = this.#upkeep().finally(() => {
      this.#work = null
    })
  }

  async #upkeep(): Promise<void> {
    const { revisions, clock } = this.#station
    try {
      const isOpening = !this.#isOpen
      this.#isOpen = true
      await (isOpening ? this.open() : revisions.tidy())
      await revisions.foldIfDue({ since: clock.now() - REST_MS })
      await this.#deps.onFolded()
      await revisions.compact()
      await this.#deps.schedule.look()
    } catch (error) {
      if (!isMingaError(error)) throw error
      // What could not be folded stays where it is and is folded the next time.
      process.stderr.write(`minga: ${error.message} (${error.code})\n`)
    }
  }

  async close(): Promise<void> {
    await this.#work
    const { revisions } = this.#station
    await revisions.fold().catch(() => {})
    await this.#deps.onFolded().catch(() => {})
    await revisions.close()
  }
}
