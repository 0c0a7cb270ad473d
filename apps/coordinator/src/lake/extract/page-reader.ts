/** Reads pages in a thread, each with a deadline: a rule that takes for ever on a page costs that page and a new thread. */
import {
  DeadlineWorker,
  WorkerTooSlow,
  type Clock,
  type ExtractRule,
  type ExtractSpec,
} from '@minga/protocol'
import type { ArchivedPage, ExtractedRow } from './extract-page.ts'
import type { PageAnswer, PageQuestion } from './extract-thread.ts'

/** A page takes milliseconds; expressions that go astray take years. */
const PAGE_MS = 2_000
/** A page of 32 MB and its tree take some 500 MB. */
const PAGE_HEAP_MB = 1_024

export const TOO_SLOW: ExtractedRow = { cells: null, reasons: ['page:too-slow'] }
const UNREADABLE: ExtractedRow = { cells: null, reasons: ['page:unreadable'] }

export class PageReader {
  readonly #worker: DeadlineWorker<PageQuestion, PageAnswer>

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#worker = new DeadlineWorker({
      file: new URL('./extract-thread.ts', import.meta.url),
      deadlineMs: PAGE_MS,
      resourceLimits: { maxOldGenerationSizeMb: PAGE_HEAP_MB },
      clock,
    })
  }

  async read(page: ArchivedPage, rules: readonly ExtractRule[]): Promise<ExtractedRow> {
    try {
      return (await this.#worker.call({ page, rules })).row ?? UNREADABLE
    } catch (error) {
      return error instanceof WorkerTooSlow ? TOO_SLOW : UNREADABLE
    }
  }

  /** Whether rules are for such a page; null when that takes for ever. */
  async matches(
    match: ExtractSpec['match'],
    { url, mime }: { url: string; mime: string },
  ): Promise<boolean | null> {
    try {
      return (await this.#worker.call({ match, url, mime })).isMatch ?? false
    } catch {
      return null
    }
  }

  close(): Promise<void> {
    return this.#worker.close()
  }
}
