/**
 * Moves the station's own records into the lake: from time to time, and before they are read,
 * pending rows are written to a segment and join its table in the same transaction in which they
 * stop being pending. After a crash at any point, the rows are either pending or already there.
 */
import type { LakeFiles, Segment, Tables } from '@minga/lake'
import { faultPoint, isMingaError } from '@minga/protocol'
import type { Revisions } from '@minga/wiki'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { CommitFeed, FeedRead } from './feed-operations.ts'
import { FEED_TABLES, ROW_FEEDS, type FeedTable, type RowFeed } from './feed-tables.ts'
import type { NotedFeeds } from './note-upload.ts'
import { purgeRows, type OwnRows } from './purge-rows.ts'
import { bringRevisions } from './revisions-feed.ts'
import { FeedSegmentWriter } from './feed-segment-writer.ts'
import type { WriteJob } from './segment-work.ts'
import type { Station } from '../../station/station.ts'

export interface FeedLimits {
  /** What waits longer is written. */
  everyMs: number
  isOn: (feed: FeedTable) => boolean
}

export interface FeedsParts extends Pick<Station, 'store' | 'clock' | 'closing' | 'log'> {
  tables: Tables
  files: LakeFiles
  revisions: Pick<Revisions, 'writeRows'>
  limits: () => FeedLimits
  /** Whether this coordinator is the one that writes of its own accord. */
  mayLead: () => boolean
  /** Tables that were filled from captures and lose rows with them. */
  ownRows: () => Promise<OwnRows[]>
}

const FORMS: Record<RowFeed, WriteJob['form']> = {
  captures: 'captures',
  links: 'links',
  changes: 'plain',
  requests: 'requests',
  events: 'plain',
}

/** Rows in one segment, and in memory: two thirds of a second's work. */
const ROWS_AT_ONCE = 100_000
/** How often it is looked whether a wiki has hidden something. */
const HIDDEN_EVERY_MS = 5_000
const TRIES = 5
/** The thread holds a library of tens of megabytes; to start it again takes a third of a second. */
const IDLE_MS = 10_000
/** Results of which what is known is written without waiting: it would take much of the disk as it is. */
const RESULTS_AT_ONCE = 50_000

export class Feeds {
  readonly #parts: FeedsParts
  readonly #writer = new FeedSegmentWriter()
  #areTablesMade = false
  #noted = 0
  #flushedAt: number
  #hiddenAt = 0
  #usedAt = 0
  /** Background work outside of the ticks, and how it failed. */
  #working: Promise<void> | null = null

  constructor(parts: FeedsParts) {
    this.#parts = parts
    this.#flushedAt = parts.clock.now()
  }

  /** What uploads are to note, as it is set now. */
  noted(results: number): NotedFeeds {
    this.#noted += results
    const { isOn } = this.#parts.limits()
    return { links: isOn('links'), requests: isOn('requests') }
  }

  /** Everything that happened before this call is in these tables when it resolves. */
  flush(tables: readonly string[] = Object.keys(FEED_TABLES)): Promise<void> {
    return runExclusive(this, async () => {
      await this.#makeTables()
      const { isOn } = this.#parts.limits()
      for (const feed of ROW_FEEDS) if (tables.includes(feed)) await this.#drain(feed)
      if (tables.includes('revisions') && isOn('revisions')) {
        await this.#again(() => bringRevisions(this.#parts, 'all'))
      }
      this.#usedAt = this.#parts.clock.now()
    })
  }

  /** What was taken down is in no file of the lake when this resolves. */
  purge(): Promise<void> {
    return runExclusive(this, async () => {
      const { store, tables, files, clock, ownRows } = this.#parts
      const writer = this.#writer
      await this.#again(() =>
        purgeRows({ store, tables, files, clock, writer }, ownRows, async () => {
          await this.#drain('captures')
          await this.#drain('links')
        }),
      )
      await this.#again(() => bringRevisions(this.#parts, 'hidden'))
    })
  }

  /** Runs at every tick of the station. Long work continues in the background. */
  async tick(): Promise<void> {
    if (!this.#parts.mayLead() || this.#parts.closing.aborted) return
    if (!this.#areTablesMade) await runExclusive(this, () => this.#makeTables())
    if (this.#working !== null) return
    const now = this.#parts.clock.now()
    const { everyMs } = this.#parts.limits()
    if (now - this.#usedAt > IDLE_MS) await this.#writer.rest()
    if (now >= this.#hiddenAt) {
      this.#hiddenAt = now + HIDDEN_EVERY_MS
      this.#begin(() => this.purge())
    } else if (now - this.#flushedAt >= everyMs || this.#noted >= RESULTS_AT_ONCE) {
      this.#flushedAt = now
      this.#noted = 0
      this.#begin(() => this.flush(ROW_FEEDS))
    }
  }

  /** What is under way is finished; nothing more begins. */
  async close(): Promise<void> {
    await this.#working
    await runExclusive(this, () => this.#writer.close())
  }

  #begin(work: () => Promise<void>): void {
    this.#working = work()
      // Pending rows stay pending: the store may be down, or the disk full.
      .catch((error: unknown) => this.#parts.log(`tables: ${String(error)}`))
      .finally(() => {
        this.#working = null
      })
  }

  async #makeTables(): Promise<void> {
    if (this.#areTablesMade) return
    const { store, clock } = this.#parts
    await store.call('lakeMakeFeedTables', { now: clock.now() })
    this.#areTablesMade = true
  }

  async #drain(feed: RowFeed): Promise<void> {
    const { closing, limits } = this.#parts
    // What is read by its number is read later, when it is switched on again.
    if (!limits().isOn(feed) && (feed === 'captures' || feed === 'changes')) return
    while (!closing.aborted) if (await this.#again(() => this.#fold(feed))) return
  }

  /** Others may write at the same time; then what they left is read again. */
  async #again<R>(work: () => Promise<R>): Promise<R> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (tries === TRIES || !isMingaError(error) || error.retry !== 'now') throw error
      }
    }
  }

  /** Answers whether nothing is left. */
  async #fold(feed: RowFeed): Promise<boolean> {
    const { store, clock, limits } = this.#parts
    const asked = { feed, most: ROWS_AT_ONCE, now: clock.now() }
    const read = await store.call('lakeReadFeed', asked)
    const { turn, cursor, ids, rows, packed, isCut } = read
    if (rows.length === 0 && packed.length === 0) return true
    const commit = { feed, turn, cursor, ids }
    if (limits().isOn(feed)) await this.#write(commit, read)
    else await this.#commit({ ...commit, segment: null })
    return !isCut
  }

  async #write(
    commit: Pick<CommitFeed, 'feed' | 'turn' | 'cursor' | 'ids'>,
    { rows, packed }: FeedRead,
  ): Promise<void> {
    const { tables, files } = this.#parts
    const { feed } = commit
    const writing = await tables.beginWriting(feed)
    try {
      const file = `${writing.folder}/0.parquet`
      const job = { form: FORMS[feed], columns: FEED_TABLES[feed], rows, packed }
      const written = await this.#writer.write({ ...job, path: files.at(`${file}.partial`) })
      await files.settle(`${file}.partial`, file)
      faultPoint('lake:feed:after-write')
      const segment: Segment = { file, ...written }
      await this.#commit({ ...commit, segment, writer: writing.writer })
    } finally {
      await writing.end()
    }
  }

  async #commit(commit: Omit<CommitFeed, 'now'>): Promise<void> {
    const { store, clock } = this.#parts
    faultPoint('lake:feed:before-commit')
    await store.call('lakeCommitFeed', { ...commit, now: clock.now() } satisfies CommitFeed)
  }
}
