/** Lets agents that wait for work sleep until some may have come. */
import type { Clock } from '@minga/protocol'

export class Doorbell {
  #waiting = new Set<() => void>()

  ring(): void {
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const wake of waiting) wake()
  }

  /** Resolves at the next ring, after `ms`, or when the signal aborts. */
  async wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const over = new AbortController()
    const wake = (): void => over.abort()
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    await clock.sleep(ms, over.signal)
    signal.removeEventListener('abort', wake)
    this.#waiting.delete(wake)
  }
}
