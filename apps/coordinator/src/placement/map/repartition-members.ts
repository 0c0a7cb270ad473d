/** Which agents hosts can be assigned to, as parts of a plan. */
import type { ReadyDevice } from '@minga/frontier'
import type { PlanPart } from '@minga/partition'

/** An agent counts while it is ready and a while after: a line that blinks is no departure. */
export class Members {
  readonly #absentMs: number
  readonly #seen = new Map<string, { at: number; success: number }>()
  #names = ''
  #since = 0

  constructor(absentMs: number) {
    this.#absentMs = absentMs
  }

  see(ready: readonly ReadyDevice[], now: number): PlanPart[] {
    for (const { device, success } of ready) this.#seen.set(device, { at: now, success })
    for (const [device, { at }] of this.#seen) {
      if (at < now - this.#absentMs) this.#seen.delete(device)
    }
    const parts = [...this.#seen].map(([name, { success }]) => ({
      name,
      capacity: capacityOf(success),
    }))
    parts.sort((a, b) => (a.name < b.name ? -1 : 1))
    this.#note(parts.map(({ name }) => name).join(' '), now)
    return parts
  }

  /** For how long they have been the same. */
  sameForMs(now: number): number {
    return now - this.#since
  }

  #note(names: string, now: number): void {
    if (names === this.#names) return
    this.#names = names
    this.#since = now
  }
}

/** In quarters, so that it seldom changes: an agent that fails half of the time carries half. */
function capacityOf(success: number): number {
  return Math.max(1, Math.round(4 * success)) / 4
}
