/**
 * Reads pages for the index in a thread of its own, one after another, each with a deadline; without work the thread
 * is let go.
 */
import { DeadlineWorker, systemClock } from '@minga/protocol'
import type { PageWords, ReadPage } from './page-words.ts'

/** The largest page takes a second or two. No one waits for it. */
const PAGE_MS = 10_000
const PAGE_HEAP_MB = 1_024

export class PageReader {
  readonly #worker = new DeadlineWorker<ReadPage, { words: PageWords | null }>({
    file: new URL('./text-thread.ts', import.meta.url),
    deadlineMs: PAGE_MS,
    resourceLimits: { maxOldGenerationSizeMb: PAGE_HEAP_MB },
    clock: systemClock,
  })

  /** A page that takes too long, or too much memory, has no words. */
  async read(page: ReadPage): Promise<PageWords | null> {
    try {
      return (await this.#worker.call(page)).words
    } catch {
      return null
    }
  }

  close(): Promise<void> {
    return this.#worker.close()
  }
}
