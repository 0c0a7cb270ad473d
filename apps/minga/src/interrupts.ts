import { systemClock } from '@minga/protocol'
import { once } from 'node:events'
import { EXIT } from './exit-codes.ts'

/** One interrupt may arrive twice: `timeout` and npm signal us and our whole group. No user presses Ctrl-C again as soon;
 * if one does, a third time counts. */
const SAME_WISH_MS = 200
/** Five seconds after the first signal nothing runs any more. The children are killed a little earlier, so that the
 * command can still say how far it came. */
const KILL_AFTER_MS = 4_300
const EXIT_AFTER_MS = 400

/** The first signal stops gracefully and within five seconds, the second at once. */
export class Interrupts {
  readonly #stop = new AbortController()
  readonly #over = new AbortController()
  readonly #kill: () => void
  readonly #exitCode: number | null
  readonly #listener: () => void

  /** `exitCode`: how the command ends when a graceful stop takes too long; null lets it take its time. */
  constructor(kill: () => void, exitCode: number | null = EXIT.interrupted) {
    this.#kill = kill
    this.#exitCode = exitCode
    let firstMs = 0
    this.#listener = () => {
      const nowMs = systemClock.monotonicMs()
      if (!this.#stop.signal.aborted) {
        firstMs = nowMs
        this.begin()
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

  /** Acts as the first signal does. */
  begin(): void {
    if (this.#stop.signal.aborted) return
    this.#stop.abort()
    if (this.#exitCode !== null) void this.#limit(this.#exitCode)
  }

  /** A page, a disk or a thread may hang in any process: the graceful stop is not relied upon. */
  async #limit(exitCode: number): Promise<void> {
    await systemClock.sleep(KILL_AFTER_MS, this.#over.signal)
    if (this.#over.signal.aborted) return
    this.#kill()
    await systemClock.sleep(EXIT_AFTER_MS, this.#over.signal)
    if (!this.#over.signal.aborted) process.exit(exitCode)
  }

  /** Resolves at the first signal. */
  async first(): Promise<void> {
    if (!this.signal.aborted) await once(this.signal, 'abort')
  }

  end(): void {
    this.#over.abort()
    process.off('SIGINT', this.#listener)
    process.off('SIGTERM', this.#listener)
  }
}
