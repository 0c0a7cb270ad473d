/** Results on their way to the station, bounded by memory rather than number. */
import type { Result } from '@minga/protocol'
import { Bell } from './bell.ts'

export interface Parcel {
  result: Result
  members: Buffer[]
  /** By the monotonic clock; the upload turns it into an age. Undefined when nothing was dialled. */
  endedAtMonotonicMs?: number
}

export class Outbox {
  readonly #bytesMax: number
  #parcels: Parcel[] = []
  #bytes = 0
  #sending = 0
  readonly #bell = new Bell()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get size(): number {
    return this.#parcels.length
  }

  get bytes(): number {
    return this.#bytes
  }

  put(parcel: Parcel): void {
    this.#parcels.push(parcel)
    this.#bytes += weightOf(parcel)
    this.#bell.ring()
  }

  /** Waits until there is room for another response: a slow upload slows fetching, not memory. */
  async room(): Promise<void> {
    while (this.#bytes >= this.#bytesMax) await this.#bell.wait()
  }

  /** The oldest parcels up to a size; they stay counted until `sent`. */
  take(bytesMax: number): Parcel[] {
    let bytes = 0
    let count = 0
    while (count < this.#parcels.length && (count === 0 || bytes < bytesMax)) {
      bytes += weightOf(this.#parcels[count]!)
      count++
    }
    const taken = this.#parcels.splice(0, count)
    this.#sending += taken.length
    return taken
  }

  sent(parcels: readonly Parcel[]): void {
    for (const parcel of parcels) this.#bytes -= weightOf(parcel)
    this.#sending -= parcels.length
    this.#bell.ring()
  }

  async drained(): Promise<void> {
    while (this.#parcels.length > 0 || this.#sending > 0) await this.#bell.wait()
  }

  /** Resolves at the next put or sent, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return this.#bell.wait(signal)
  }
}

/** A manifest entry weighs about this much without its members. */
const MANIFEST_ENTRY_BYTES = 500

function weightOf({ members }: Parcel): number {
  let bytes = MANIFEST_ENTRY_BYTES
  for (const member of members) bytes += member.length
  return bytes
}
