/**
 * Time is passed in, never reached for, so that the same code runs live, in tests and in
 * simulations. This file is the only place that touches the machine's clocks and timers.
 */

/** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
export type Instant = number

export interface Clock {
  /** Wall time, for what is written down or compared across machines. */
  now(): Instant
  /** Milliseconds that never go backwards, for durations and deadlines inside one machine. */
  monotonicMs(): number
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects: callers check the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not performance.now(): its zero differs between the threads of a process.
  monotonicMs: () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1_000_000
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done, { once: true })
    }),
}
