/**
 * Where the coordinator notes what happened. Noting costs nothing and never waits: events come together in memory and go
 * to the store in one call, at the station's pulse. What happens inside a transaction is logged there (`logEvents`).
 */
import type { Clock, EventCode, NewEvent, NotedEvent } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { Operations } from '../station-operations.ts'

export interface EventLogParts {
  store: Calls<Operations>
  clock: Clock
  /** How long lines are kept, and how many at most. */
  limits: () => { keptMs: number; most: number }
}

/** More at once is a flood, of which the first lines say what the others would. */
const WAITING_MOST = 1_000
const TIDY_EVERY_MS = 60_000
/** Short enough that no caller notices the wait. */
const TIDIED_AT_ONCE = 1_000
/** Of these, one line in this time is enough for the same subject. */
const RESTING_MS: Partial<Record<EventCode, number>> = {
  'station:trouble': 60_000,
  'federation:trouble': 60_000,
  'account:logged-in': 60_000,
  'account:refused': 60_000,
  'agent:refused': 60_000,
}
const RESTING_MOST = 10_000

export class EventLog {
  /** Until it is flushed, what was noted is lost with a kill; with nothing noted a tick costs nothing. */
  readonly isSteady = true
  readonly #parts: EventLogParts
  #waiting = new Map<string, NewEvent>()
  #lost = 0
  /** When something may be said again. */
  readonly #resting = new Map<string, number>()
  #tidyAtMs: number

  constructor(parts: EventLogParts) {
    this.#parts = parts
    this.#tidyAtMs = parts.clock.monotonicMs() + TIDY_EVERY_MS
  }

  /** Equal ones become one line that says how often. */
  note(event: NotedEvent): void {
    const key = `${event.code} ${event.subject} ${event.by ?? ''}`
    const same = this.#waiting.get(key)
    if (same !== undefined) {
      this.#waiting.set(key, { ...same, ...event, times: same.times! + 1 })
      return
    }
    if (this.#isResting(key, event.code)) return
    if (this.#waiting.size >= WAITING_MOST) this.#lost++
    else this.#waiting.set(key, { ...event, at: this.#parts.clock.now(), times: 1 })
  }

  #isResting(key: string, code: EventCode): boolean {
    const restMs = RESTING_MS[code]
    if (restMs === undefined) return false
    const nowMs = this.#parts.clock.monotonicMs()
    if ((this.#resting.get(key) ?? -Infinity) > nowMs) return true
    for (const oldest of this.#resting.keys()) {
      if (this.#resting.size < RESTING_MOST) break
      this.#resting.delete(oldest)
    }
    this.#resting.set(key, nowMs + restMs)
    return false
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    await this.flush()
    await this.#tidy()
  }

  /**
   * What the store does not take now is tried again; what was noted in the meantime comes after it.
   */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0 && this.#lost === 0) return
    const [sent, lost] = [this.#waiting, this.#lost]
    this.#waiting = new Map()
    this.#lost = 0
    try {
      await this.#parts.store.call('appendEvents', {
        events: [...sent.values(), ...this.#ofLost(lost)],
      })
    } catch (error) {
      const newer = [...this.#waiting].filter(([key]) => !sent.has(key))
      const room = Math.max(0, WAITING_MOST - sent.size)
      this.#lost += lost + Math.max(0, newer.length - room)
      this.#waiting = new Map([...sent, ...newer.slice(0, room)])
      throw error
    }
  }

  #ofLost(lost: number): NewEvent[] {
    if (lost === 0) return []
    const sentence = 'More happened at once than the log takes in; these were left out.'
    const at = this.#parts.clock.now()
    return [{ at, code: 'station:events-lost', subject: '', sentence, times: lost }]
  }

  async #tidy(): Promise<void> {
    const { store, clock, limits } = this.#parts
    if (clock.monotonicMs() < this.#tidyAtMs) return
    const { keptMs, most } = limits()
    const tidied = await store.call('tidyEvents', {
      before: clock.now() - keptMs,
      most,
      limit: TIDIED_AT_ONCE,
    })
    // Of many that are old, some go with every tick.
    if (tidied < TIDIED_AT_ONCE) this.#tidyAtMs = clock.monotonicMs() + TIDY_EVERY_MS
  }
}
