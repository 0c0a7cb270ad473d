/** Standard output for much data: waits for the reader, and stops quietly when it has gone. */
import { once } from 'node:events'

export class Output {
  readonly #stream: NodeJS.WriteStream
  #isOpen = true

  constructor(stream: NodeJS.WriteStream = process.stdout) {
    this.#stream = stream
    // `minga archive list | head` closes the pipe early, which is no error of ours.
    stream.on('error', (error: Error & { code?: string }) => {
      if (error.code !== 'EPIPE') throw error
      this.#isOpen = false
    })
  }

  /** False when the reader is gone. */
  async write(data: string | Buffer): Promise<boolean> {
    if (!this.#isOpen) return false
    if (data.length > 0 && !this.#stream.write(data)) await this.#drained()
    return this.#isOpen
  }

  async #drained(): Promise<void> {
    const gone = new AbortController()
    this.#stream.once('error', () => gone.abort())
    await once(this.#stream, 'drain', { signal: gone.signal }).catch(() => {})
  }

  /** Resolves when everything is on its way: the process may end. */
  async end(): Promise<void> {
    if (!this.#isOpen) return
    await new Promise<void>((resolve) => {
      this.#stream.once('error', () => resolve())
      this.#stream.write('', () => resolve())
    })
  }
}
