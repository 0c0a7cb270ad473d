/** Wakes everybody who waits for "something changed"; each looks for itself what it was. */
export class Bell {
  #waiting: (() => void)[] = []

  ring(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** Resolves at the next ring, or when the signal aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = (): void => {
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.push(wake)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }
}
