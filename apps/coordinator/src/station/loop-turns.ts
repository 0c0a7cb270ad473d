/** Long work on the main loop stops now and then, so that everyone else has a turn. */
import type { Clock } from '@minga/protocol'

/** How long work may keep everyone else waiting. */
const HELD_MS_MAX = 20

export class LoopTurns {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  #sinceMs: number

  constructor(clock: Pick<Clock, 'monotonicMs' | 'sleep'>) {
    this.#clock = clock
    this.#sinceMs = clock.monotonicMs()
  }

  /** To be called between two small pieces of work. */
  async offer(): Promise<void> {
    if (this.#clock.monotonicMs() - this.#sinceMs < HELD_MS_MAX) return
    await this.#clock.sleep(0)
    this.#sinceMs = this.#clock.monotonicMs()
  }
}
