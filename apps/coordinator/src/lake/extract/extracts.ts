/**
 * Scraping: captures of collections that carry rules become rows of tables, some at a time, in the
 * order in which they were kept. The position is committed with the rows: after a crash it resumes,
 * and no capture is a row twice. It reads what is in the archive, so it also serves what was
 * gathered before the rules came.
 */
import { TableTaken, type LakeFiles, type Segment, type Tables } from '@minga/lake'
import {
  BadExtract,
  DeadlineWorker,
  WorkerTooSlow,
  isMingaError,
  systemClock,
  type Clock,
  type ExtractRule,
  type ExtractSpec,
} from '@minga/protocol'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { checkSelectors } from '@minga/forecast'
import { readArchived } from '../../archive/captures/capture-content.ts'
import { FEED_NAMES, type Cell } from '../feed/feed-tables.ts'
import type { OwnRows } from '../feed/purge-rows.ts'
import { FeedSegmentWriter } from '../feed/feed-segment-writer.ts'
import type { Station } from '../../station/station.ts'
import type { CommitExtract, ExtractedCollection, ScrapedCapture } from './extract-operations.ts'
import { isJsonPath, type ArchivedPage, type ExtractedRow } from './extract-page.ts'
import { REJECT_COLUMNS, columnsOf, rejectsOf } from './extract-tables.ts'
import type { PageAnswer, PageQuestion } from './extract-thread.ts'

/** A page takes milliseconds; expressions that go astray take years. */
const PAGE_MS = 2_000
/** A page of 32 MB and its tree take some 500 MB. */
const PAGE_HEAP_MB = 1_024

/** Reads pages in a thread, each with a deadline: a rule that takes for ever on a page costs that page and a new thread. */
const TOO_SLOW: ExtractedRow = { cells: null, reasons: ['page:too-slow'] }
const UNREADABLE: ExtractedRow = { cells: null, reasons: ['page:unreadable'] }

class PageReader {
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

interface ExtractsDeps {
  tables: Tables
  files: LakeFiles
  /** Whether this coordinator is the one that scrapes of its own accord. */
  mayLead: () => boolean
}

/** Captures of one segment; most are of other collections. */
const AT_ONCE = 5_000
const EVERY_MS = 30_000
/** Larger ones are no pages. */
const BODY_BYTES_MAX = 16 * 1024 * 1024

interface Gathered {
  rows: Cell[][]
  rejects: Cell[][]
}

export class Extracts {
  readonly #station: Station
  readonly #deps: ExtractsDeps
  readonly #writer = new FeedSegmentWriter()
  readonly #reader: PageReader
  #dueAt = 0
  #working: Promise<void> | null = null

  constructor(station: Station, deps: ExtractsDeps) {
    this.#station = station
    this.#deps = deps
    this.#reader = new PageReader(systemClock)
  }

  /** Every capture of before this call is a row, or a reject, of these tables when it resolves. */
  flush(names: readonly string[]): Promise<void> {
    return this.#run((table) => names.includes(table) || names.includes(rejectsOf(table)))
  }

  /** Runs at every tick of the station. Long work continues in the background. */
  async tick(): Promise<void> {
    const now = this.#station.clock.now()
    if (this.#working !== null || now < this.#dueAt || !this.#deps.mayLead()) return
    this.#dueAt = now + EVERY_MS
    this.#working = this.#run(() => true)
      .catch((error: unknown) => this.#tell(error))
      .finally(() => {
        this.#working = null
      })
  }

  async close(): Promise<void> {
    await this.#working
    await runExclusive(this, () => this.#rest())
  }

  /** Before a collection begins: rules that can be read, and a table that is its owner's. */
  async check(spec: ExtractSpec, owner: string): Promise<void> {
    checkRules(spec)
    const known = (await this.#deps.tables.list()).filter(
      ({ name }) => name === spec.table || name === rejectsOf(spec.table),
    )
    const isOwn = known.every((table) => table.owner === owner && table.kind !== 'system')
    if (!isOwn || FEED_NAMES.some((name) => name === spec.table)) throw TableTaken.named(spec.table)
  }

  /** What loses rows when captures are taken down. */
  async ownRows(): Promise<OwnRows[]> {
    return (await this.#collections()).flatMap(({ spec }) => [
      { table: spec.table, columns: columnsOf(spec) },
      { table: rejectsOf(spec.table), columns: REJECT_COLUMNS },
    ])
  }

  #run(isWanted: (table: string) => boolean): Promise<void> {
    return runExclusive(this, async () => {
      for (const collection of await this.#collections()) {
        if (!isWanted(collection.spec.table)) continue
        await this.#scrapeAll(collection)
      }
      await this.#rest()
    })
  }

  /** What is wrong with one table must not hold up the others. */
  async #scrapeAll(collection: ExtractedCollection): Promise<void> {
    try {
      while (!this.#station.closing.aborted) if (await this.#scrape(collection)) return
    } catch (error) {
      if (!isMingaError(error)) throw error
      this.#tell(error)
    }
  }

  #tell(error: unknown): void {
    this.#station.log(`scraping: ${error instanceof Error ? error.message : String(error)}`)
  }

  async #rest(): Promise<void> {
    await this.#reader.close()
    await this.#writer.close()
  }

  #collections(): Promise<ExtractedCollection[]> {
    return this.#station.store.call('lakeExtractedCollections', {})
  }

  /** Answers whether nothing is left. */
  async #scrape(collection: ExtractedCollection): Promise<boolean> {
    const { store, clock } = this.#station
    const read = await store.call('lakeReadExtract', {
      collectionId: collection.id,
      rules: JSON.stringify(collection.spec),
      most: AT_ONCE,
      now: clock.now(),
    })
    if (read.captures.length === 0 && !read.isCut) return true
    const gathered = await this.#gather(collection, read.captures)
    if (gathered === null) return true
    const writing = await this.#deps.tables.beginWriting(collection.spec.table)
    try {
      const place = { folder: writing.folder, collection }
      const commit: CommitExtract = {
        collection,
        turn: read.turn,
        cursor: read.cursor,
        ...(await this.#write(gathered, place)),
        writer: writing.writer,
        now: clock.now(),
      }
      await store.call('lakeCommitExtract', commit)
    } finally {
      await writing.end()
    }
    return !read.isCut
  }

  async #write(
    { rows, rejects }: Gathered,
    { folder, collection }: { folder: string; collection: ExtractedCollection },
  ): Promise<Pick<CommitExtract, 'rows' | 'rejects'>> {
    const segment = async (name: string, columns: typeof REJECT_COLUMNS, cells: Cell[][]) =>
      cells.length === 0 ? null : this.#segment(`${folder}/${name}.parquet`, columns, cells)
    return {
      rows: await segment('rows', columnsOf(collection.spec), rows),
      rejects: await segment('rejects', REJECT_COLUMNS, rejects),
    }
  }

  async #segment(file: string, columns: typeof REJECT_COLUMNS, rows: Cell[][]): Promise<Segment> {
    const { files } = this.#deps
    const path = files.at(`${file}.partial`)
    const written = await this.#writer.write({ form: 'plain', columns, rows, packed: [], path })
    await files.settle(`${file}.partial`, file)
    return { file, ...written }
  }

  async #gather(
    { spec }: ExtractedCollection,
    captures: readonly ScrapedCapture[],
  ): Promise<Gathered | null> {
    const gathered: Gathered = { rows: [], rejects: [] }
    for (const capture of captures) {
      if (this.#station.closing.aborted) return null
      const isMatch = await this.#reader.matches(spec.match, capture)
      if (isMatch === false) continue
      const { cells, reasons } = isMatch === null ? TOO_SLOW : await this.#read(capture, spec)
      const given: Cell[] = [capture.id, capture.url, capture.at]
      if (cells !== null) gathered.rows.push([...given, ...cells])
      for (const reason of reasons) gathered.rejects.push([...given, reason, cells === null])
    }
    return gathered
  }

  async #read(
    { url, at }: ScrapedCapture,
    { rules }: ExtractedCollection['spec'],
  ): Promise<ExtractedRow> {
    try {
      const { body, headers, mime } = await readArchived(
        this.#station,
        { url, at },
        BODY_BYTES_MAX + 1,
      )
      if (body.length > BODY_BYTES_MAX) return { cells: null, reasons: ['page:too-large'] }
      return await this.#reader.read({ url, headers, mime, body }, rules)
    } catch (error) {
      // Of another station's file, damaged, or taken down a moment ago.
      if (!isMingaError(error)) throw error
      return { cells: null, reasons: ['page:unreadable'] }
    }
  }
}

/** Rejects selectors and paths that can never match when a user submits them, not page by page. */
function checkRules({ rules }: ExtractSpec): void {
  for (const { field, from, select } of rules) {
    if (from === 'css') checkSelectors({ include: [select], exclude: [] })
    if (from === 'json' && !isJsonPath(select)) throw new BadExtract(field, NO_PATH(select))
  }
}

const NO_PATH = (text: string): string =>
  `${text} is no path in JSON, as $.items[0].name and $.items[*].name are`
