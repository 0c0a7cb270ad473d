/**
 * Keeps the index of texts up to date with the archive, in the background: captures are read back
 * in the order in which they were stored, in small batches, and the position is committed with
 * their texts in one transaction. After a crash a capture is either indexed or still queued. While
 * a crawl adds new captures it works slowly; with nothing new it checks every few seconds and does
 * nothing.
 */
import {
  DeadlineWorker,
  faultPoint,
  isMingaError,
  systemClock,
  type TextIndexState,
} from '@minga/protocol'
import type { Calls } from '@minga/store'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { BYTES_MOST, pageOf } from '../compare/capture-diff.ts'
import { readArchived, type ContentOperations } from '../captures/capture-content.ts'
import { advanced } from '../id-cursor.ts'
import type { Station } from '../../station/station.ts'
import { isRead, type PageWords, type ReadPage } from './page-words.ts'
import type {
  CommitTexts,
  NewText,
  ReadTexts,
  TextOperations,
  TextsLeft,
  WaitingCapture,
} from './text-operations.ts'

/** The largest page takes a second or two. No one waits for it. */
const PAGE_MS = 10_000
const PAGE_HEAP_MB = 1_024

/**
 * Reads pages for the index in a thread of its own, one after another, each with a deadline; without work the thread
 * is let go.
 */
class PageReader {
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

interface TextIndexParts extends Pick<Station, 'clock' | 'data' | 'log'> {
  store: Calls<TextOperations & ContentOperations>
  /** Letters of one page, as they are set now; 0: nothing is indexed. */
  charactersMost: () => number
}

/** Captures read in one turn: most are not pages. */
const CAPTURES_AT_ONCE = 500
/** Letters of one commit: some hundredths of a second of the store's time. */
const LETTERS_AT_ONCE = 250_000
/** Texts that are taken out in one call, likewise. */
const PURGED_AT_ONCE = 50
/** With nothing to do. */
const LOOK_EVERY_MS = 5_000
/**
 * Share of every half second spent on indexing: during a crawl, which needs the machine, and
 * without one.
 */
const WORK_BESIDE_MS = 50
const WORK_ALONE_MS = 400
/** Then the thread, with its memory, is let go. */
const IDLE_MS = 10_000
/** How long a count of captures is good enough to be shown again. */
const COUNTED_MS = 5_000
const TRIES = 5

export class TextIndex {
  readonly #parts: TextIndexParts
  readonly #reader = new PageReader()
  #dueAt = 0
  #usedAt = 0
  /** The newest capture at the last check: while it grows, a collection is running. */
  #newest = 0
  #isClosed = false
  #working: Promise<void> | null = null
  #counted: { at: number; left: TextsLeft } | null = null

  constructor(parts: TextIndexParts) {
    this.#parts = parts
  }

  get isOn(): boolean {
    return this.#parts.charactersMost() > 0
  }

  /** Runs about twice a second. Long work continues in parallel. */
  async tick(): Promise<void> {
    const now = this.#parts.clock.now()
    if (this.#working !== null || this.#isClosed || now < this.#dueAt) return
    if (now - this.#usedAt > IDLE_MS) await this.#reader.close()
    this.#working = runExclusive(this, () => this.#workAWhile())
      // The store may be down, or the disk full: pending captures stay pending.
      .catch((error: unknown) => this.#parts.log(`texts: ${String(error)}`))
      .finally(() => {
        this.#working = null
      })
  }

  /** Every capture of before this call is indexed when it resolves. */
  flush(): Promise<void> {
    return runExclusive(this, async () => {
      while (await this.#turn()) if (this.#isClosed) return
    })
  }

  /** How far it is. */
  async state(): Promise<TextIndexState> {
    const { store, clock } = this.#parts
    const now = clock.now()
    if (this.#counted === null || now - this.#counted.at > COUNTED_MS) {
      this.#counted = { at: now, left: await store.call('countWaiting', {}) }
    }
    const { indexed, waiting } = this.#counted.left
    return { isOn: this.isOn, indexed, captures: indexed + waiting }
  }

  /** What is under way is finished; nothing more begins. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#working
    await runExclusive(this, () => this.#reader.close())
  }

  async #workAWhile(): Promise<void> {
    const { clock } = this.#parts
    const startedMs = clock.monotonicMs()
    const newest = this.#newest
    for (;;) {
      if (!(await this.#turn())) {
        this.#dueAt = clock.now() + LOOK_EVERY_MS
        return
      }
      const workMs = this.#newest > newest ? WORK_BESIDE_MS : WORK_ALONE_MS
      if (this.#isClosed || clock.monotonicMs() - startedMs >= workMs) return
    }
  }

  /** Answers whether there may be more to do. */
  async #turn(): Promise<boolean> {
    const { store } = this.#parts
    const isMoreToPurge = await store.call('purgeTexts', { most: PURGED_AT_ONCE })
    if (!this.isOn) return isMoreToPurge
    for (let tries = 1; ; tries++) {
      try {
        return (await this.#index()) || isMoreToPurge
      } catch (error) {
        // Captures were taken away in the meantime: what is left is read again.
        if (tries === TRIES || !isMingaError(error) || error.retry !== 'now') throw error
      }
    }
  }

  async #index(): Promise<boolean> {
    const { store, clock } = this.#parts
    const asked = { most: CAPTURES_AT_ONCE, now: clock.now() }
    const read = await store.call('readTexts', asked)
    if (read.ids.length === 0) return false
    this.#newest = Math.max(this.#newest, read.ids.at(-1)!)
    const { texts, captures, upTo } = await this.#gather(read)
    const ids = read.ids.filter((id) => id <= upTo)
    const isWhole = ids.length === read.ids.length
    // A hole may only be given up when everything that was found in it is indexed.
    const horizon = read.horizon && (isWhole ? read.horizon : { ...read.horizon, oldest: 0 })
    const cursor = advanced(read.cursor, ids, horizon)
    faultPoint('texts:before-commit')
    await store.call('commitTexts', {
      turn: read.turn,
      cursor,
      texts,
      captures,
    } satisfies CommitTexts)
    faultPoint('texts:after-commit')
    const isMore = read.isCut || !isWhole
    if (!isMore) this.#counted = null
    return isMore
  }

  /** As many as one commit takes; `upTo` is the last capture that was read. */
  async #gather({
    captures: waiting,
    ids,
  }: ReadTexts): Promise<Pick<CommitTexts, 'texts' | 'captures'> & { upTo: number }> {
    const texts = new Map<string, NewText | null>()
    const captures: [id: number, digest: string][] = []
    let letters = 0
    for (const capture of waiting) {
      const { id, digest, isKnown } = capture
      if (letters > LETTERS_AT_ONCE || this.#isClosed)
        return { texts: found(texts), captures, upTo: id - 1 }
      if (!isKnown && !texts.has(digest)) {
        const read = await this.#read(capture)
        letters += read?.words.length ?? 0
        texts.set(digest, read && { digest, ...read })
      }
      captures.push([id, digest])
    }
    return { texts: found(texts), captures, upTo: ids.at(-1)! }
  }

  async #read({ url, at, title }: WaitingCapture): Promise<PageWords | null> {
    this.#usedAt = this.#parts.clock.now()
    try {
      const answer = await readArchived(this.#parts, { url, at }, BYTES_MOST + 1)
      if (!isRead(answer.mime)) return null
      const charactersMost = this.#parts.charactersMost()
      return await this.#reader.read({ page: pageOf(answer), title, charactersMost })
    } catch (error) {
      // Of another station's file, damaged, or taken down a moment ago.
      if (!isMingaError(error)) throw error
      return null
    }
  }
}

function found(texts: ReadonlyMap<string, NewText | null>): NewText[] {
  return [...texts.values()].filter((text) => text !== null)
}
