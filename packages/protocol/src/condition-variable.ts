/** Those who wait for "something changed" sleep until they are notified; each looks for itself what it was. */
import type { Clock } from './clock.ts'

export class ConditionVariable {
  #waiting = new Set<() => void>()

  notifyAll(): void {
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const wake of waiting) wake()
  }

  /** Resolves at the next notification, or when the signal aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = (): void => {
        signal?.removeEventListener('abort', wake)
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }

  /** Resolves at the next notification, after `ms`, or when the signal aborts. */
  async waitFor(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
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
