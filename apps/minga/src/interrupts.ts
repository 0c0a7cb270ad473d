import { once } from 'node:events'
import { EXIT } from './exit-codes.ts'

/** The first signal stops gracefully, the second at once. */
export class Interrupts {
  readonly #stop = new AbortController()
  readonly #listener: () => void

  constructor(kill: () => void) {
    this.#listener = () => {
      if (this.#stop.signal.aborted) {
        kill()
        process.exit(EXIT.forced)
      }
      this.#stop.abort()
    }
    process.on('SIGINT', this.#listener)
    process.on('SIGTERM', this.#listener)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Resolves at the first signal. */
  async first(): Promise<void> {
    if (!this.signal.aborted) await once(this.signal, 'abort')
  }

  end(): void {
    process.off('SIGINT', this.#listener)
    process.off('SIGTERM', this.#listener)
  }
}
