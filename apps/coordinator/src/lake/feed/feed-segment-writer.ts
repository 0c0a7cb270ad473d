/**
 * Has segments written in a thread, which is started for the first and keeps no process from
 * ending.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { SegmentFailed } from '../lake-errors.ts'
import type { Sifted, SiftJob, WriteJob } from './segment-work.ts'

export class FeedSegmentWriter {
  #thread: Worker | null = null
  #isBusy = false

  /** One job after another: the caller waits for each. */
  write(job: Omit<WriteJob, 'job'>): Promise<{ rows: number; bytes: number }> {
    return this.#run({ job: 'write', ...job })
  }

  sift(job: Omit<SiftJob, 'job'>): Promise<Sifted[]> {
    return this.#run({ job: 'sift', ...job })
  }

  /** Lets go of the thread unless it is at work. */
  async rest(): Promise<void> {
    if (!this.#isBusy) await this.close()
  }

  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }

  async #run<R>(job: WriteJob | SiftJob): Promise<R> {
    this.#thread ??= new Worker(new URL('./segment-thread.ts', import.meta.url))
    const thread = this.#thread
    thread.ref()
    this.#isBusy = true
    const ended = new AbortController()
    const [said] = (await Promise.race([
      (thread.postMessage(job), once(thread, 'message', { signal: ended.signal })),
      once(thread, 'exit', { signal: ended.signal }).then(() => {
        throw new SegmentFailed('The thread that writes segments has ended.')
      }),
    ]).finally(() => {
      ended.abort()
      thread.unref()
      this.#isBusy = false
    })) as [{ answer?: R; problem?: string }]
    if (said.problem !== undefined) throw new SegmentFailed(said.problem)
    return said.answer as R
  }
}
