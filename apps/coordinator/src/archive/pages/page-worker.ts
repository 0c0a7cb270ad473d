/**
 * Reads pages for the coordinator. Pages and the selectors of watches are written by strangers: reading them happens
 * in a thread with a deadline and a memory limit, so that one that takes for ever costs itself and a new thread
 * instead of the main loop. The thread starts with the first page that needs it.
 */
import { DeadlineWorker, systemClock, WorkerTooSlow, type Clock } from '@minga/protocol'
import { PageTooSlow, PageUnreadable } from './errors.ts'
import { doPageJob, type PageJobArgs, type PageJobName, type PageJobResult } from './page-jobs.ts'
import type { PageCall, PageReply } from './page-thread.ts'

/** A page of a megabyte takes half a second. Too short fails pages on a busy machine; too long delays an upload. */
const PAGE_MS = 5_000
const LARGE_PAGE_MS = 60_000
const SELECTED = { deadlineMs: PAGE_MS }
const LARGE_BYTES = 256 * 1024
/** A page of 32 MB and its tree take some 500 MB. */
const PAGE_HEAP_MB = 1_024
/** Up to this a page is read in place: even at a cost that grows with the square of its size it takes no second. */
const IN_PLACE_BYTES = 16 * 1024

type PageThread = DeadlineWorker<PageCall, PageReply>

class PageWorker {
  readonly #thread: PageThread
  readonly #largePages: PageThread

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#thread = startable(clock, PAGE_MS)
    this.#largePages = startable(clock, LARGE_PAGE_MS)
  }

  /** Fails with `PageTooSlow` or `PageUnreadable` alone. */
  async run<N extends PageJobName>(name: N, args: PageJobArgs<N>): Promise<PageJobResult<N>> {
    try {
      const sizeBytes = sizeOf(args)
      const isQuick = sizeBytes <= IN_PLACE_BYTES && !isPacked(args) && !hasSelectors(args)
      if (isQuick) return doPageJob(name, args)
      const thread = sizeBytes > LARGE_BYTES ? this.#largePages : this.#thread
      // Selectors that take for ever are not to keep all other large pages waiting for a minute at each visit.
      const reply = await thread.call({ name, args }, hasSelectors(args) ? SELECTED : {})
      // The thread answers with the result of the job that was named.
      if ('result' in reply) return reply.result as PageJobResult<N>
      throw new PageUnreadable(reply.problem)
    } catch (error) {
      if (error instanceof PageUnreadable) throw error
      if (error instanceof WorkerTooSlow) throw new PageTooSlow({ cause: error })
      // As the thread reports it: whatever reading fails with, the same page would fail with again.
      throw new PageUnreadable(error instanceof Error ? error.message : String(error), {
        cause: error,
      })
    }
  }
}

/** The thread starts with the first call. */
function startable(clock: Pick<Clock, 'sleep'>, deadlineMs: number): PageThread {
  return new DeadlineWorker({
    file: new URL('./page-thread.ts', import.meta.url),
    deadlineMs,
    resourceLimits: { maxOldGenerationSizeMb: PAGE_HEAP_MB },
    clock,
  })
}

/** One for all parts of this process: reading is short, and each thread holds tens of megabytes. */
export const pageWorker = new PageWorker(systemClock)

/** A sitemap may be a gzip file, whose size says nothing of what is in it. */
function isPacked(args: PageJobArgs<PageJobName>): boolean {
  const body = 'page' in args ? args.page.body : args.body
  return body[0] === 0x1f && body[1] === 0x8b
}

/** Selectors are a user's: nested ones take for ever on any page. */
function hasSelectors(args: PageJobArgs<PageJobName>): boolean {
  if (!('selectors' in args)) return false
  const { include, exclude } = args.selectors
  return include.length > 0 || exclude.length > 0
}

function sizeOf(args: PageJobArgs<PageJobName>): number {
  const body = 'page' in args ? args.page.body : args.body
  const other = 'first' in args ? args.first.body.byteLength : 0
  return body.byteLength + other
}
