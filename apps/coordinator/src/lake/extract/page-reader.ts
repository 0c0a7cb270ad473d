/** Reads pages in a thread, each within a time: a rule that takes for ever on a page costs that page and a new thread. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Clock, ExtractRule, ExtractSpec } from '@minga/protocol'
import type { ArchivedPage, ExtractedRow } from './extract-page.ts'
import type { PageQuestion } from './extract-thread.ts'

/** A page takes milliseconds; expressions that go astray take years. */
const PAGE_MS = 2_000

export const TOO_SLOW: ExtractedRow = { cells: null, reasons: ['page:too-slow'] }

export class PageReader {
  /** By the time of the machine: a thread goes astray in real time. */
  readonly #clock: Pick<Clock, 'sleep'>
  #thread: Worker | null = null

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock
  }

  /** One page after another. */
  async read(page: ArchivedPage, rules: readonly ExtractRule[]): Promise<ExtractedRow> {
    return (await this.#ask<ExtractedRow>({ page, rules })) ?? TOO_SLOW
  }

  /** Whether rules are for such a page; null when that takes for ever. */
  matches(
    match: ExtractSpec['match'],
    { url, mime }: { url: string; mime: string },
  ): Promise<boolean | null> {
    return this.#ask({ match, url, mime })
  }

  async #ask<R>(question: PageQuestion): Promise<R | null> {
    this.#thread ??= new Worker(new URL('./extract-thread.ts', import.meta.url))
    const thread = this.#thread
    thread.ref()
    const over = new AbortController()
    const ending = { signal: over.signal }
    thread.postMessage(question)
    try {
      const answer = await Promise.race([
        once(thread, 'message', ending).then(([said]) => said as R),
        this.#clock.sleep(PAGE_MS, over.signal).then(() => null),
      ])
      if (answer !== null) return answer
    } finally {
      over.abort()
      thread.unref()
    }
    await this.close()
    return null
  }

  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }
}
