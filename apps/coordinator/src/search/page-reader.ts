/** Reads pages in a thread of its own, one after another; without work the thread is let go. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PageWords, ReadPage } from './page-words.ts'

export class PageReader {
  #thread: Worker | null = null

  async read(page: ReadPage): Promise<PageWords | null> {
    this.#thread ??= new Worker(new URL('./text-thread.ts', import.meta.url))
    const thread = this.#thread
    thread.ref()
    thread.postMessage(page)
    try {
      const [said] = (await once(thread, 'message')) as [{ words: PageWords | null }]
      return said.words
    } catch {
      // It ran out of memory: a page that does that has no words, and the next one gets a new thread.
      this.#thread = null
      return null
    } finally {
      thread.unref()
    }
  }

  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }
}
