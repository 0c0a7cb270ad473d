import { systemClock } from '@minga/protocol'
import { once } from 'node:events'
import { EXIT } from './exit-codes.ts'

/** One wish may arrive twice: `timeout` and npm tell us and our whole group. Nobody presses Ctrl-C again as soon;
 * if somebody does, a third time counts. */
const SAME_WISH_MS = 200

/** The first signal stops gracefully, the second at once. */
export class Interrupts {
  readonly #stop = new AbortController()
  readonly #listener: () => void

  constructor(kill: () => void) {
    let firstMs = 0
    this.#listener = () => {
      const nowMs = systemClock.monotonicMs()
      if (!this.#stop.signal.aborted) {
        firstMs = nowMs
        this.#stop.abort()
      } else if (nowMs - firstMs > SAME_WISH_MS) {
        kill()
        process.exit(EXIT.forced)
      }
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
