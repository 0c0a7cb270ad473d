/**
 * Histories of wikis, to be read and kept in order by any process that has the store open. Reading is
 * of now: what the last transaction brought is part of it, folded or not.
 */
import type { Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { NoSuchWikiPage, WikiQuestionRefused } from '../errors.ts'
import type { Ask } from '../metrics/ask.ts'
import type { AskLimits } from '../metrics/ask.ts'
import { queryTables, type Answered, type QueryValue } from './query-tables.ts'
import type { WriteTombstone, PurgeKind } from './batch-operations.ts'
import { BatchTexts } from './batch-texts.ts'
import { decodeBatch, type StoredRevision } from './batch.ts'
import { compactWiki } from './compact.ts'
import { sqlText } from './duckdb.ts'
import { foldWiki } from './fold.ts'
import { ImportSink, type ImportOptions } from './import-sink.ts'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { PackReaderCache } from './pack-reader-cache.ts'
import { writeTombstones, finishPurges } from './purge.ts'
import { isFileGone, RevisionFiles } from './revision-files.ts'
import type { RevisionStore } from './revision-store.ts'
import { quotedColumns, rowOf, type Row } from './rows.ts'
import { tidyWikis } from './tidy.ts'
import { verifyWiki, type Verified } from './verify.ts'
import type { WikiRow } from './wiki-identity.ts'
import { WikiTables } from './wiki-tables.ts'
import type { WikiOperations } from './wiki-operations.ts'

export interface RevisionsOptions {
  /** The data folder; histories are in its folder `wiki`. */
  data: string
  store: Calls<WikiOperations>
  clock: Pick<Clock, 'now' | 'sleep'>
  /** For each of DuckDB's tasks: a question, a fold. */
  memoryMb?: number
  threads?: number
}

export interface WikiStats {
  wiki: string
  pages: number
  revisions: number
  rawBytes: number
  storedBytes: number
  gaps: number
}

export type PageChoice = { pageId: number } | { title: string }

/** Ids, both included. */
export interface PageRange {
  first: number
  last: number
}

export interface HistoryOptions {
  newestFirst?: boolean
  /** Only revisions of this moment or later, in ms. */
  from?: number
  /** Only revisions before this moment. */
  until?: number
  withText?: boolean
  /**
   * Called for texts that cannot be read, which come as null; without it the first one ends the
   * reading.
   */
  onLost?: (revId: number, reason: string) => void
}

/** Folded when so much waits: then files are of a good size, and what waits is little to read. */
const DUE_RAW_BYTES = 64 * 1024 * 1024
const DUE_REVISIONS = 20_000
/** Tables of so many choices of wikis stay open. */
const TABLES_MOST = 4
const ROWS_MAX = 100_000
const TIME_MS = 30_000

export function openRevisions(options: RevisionsOptions): Revisions {
  return new Revisions(options)
}

export class Revisions {
  readonly #store: RevisionStore
  readonly #readers: PackReaderCache
  readonly #tables = new Map<string, Promise<WikiTables>>()
  /** Folds, compactions and purges of this process come one after another. */
  /** Owner of what must not run at the same time: callers have work of their own on a `Revisions`. */
  readonly #exclusive = {}

  constructor({ data, store, clock, memoryMb = 512, threads = 2 }: RevisionsOptions) {
    const files = new RevisionFiles(data)
    const call: RevisionStore['call'] = (name, args) => store.call(name, args)
    this.#store = { call, files, clock, limits: { memoryMb, threads } }
    this.#readers = new PackReaderCache(this.#store)
  }

  /** The exact bytes; null when there is no such text, or it may not be shown. */
  async text(wiki: string, revId: number, role = 'main'): Promise<Uint8Array | null> {
    return this.#retried(async () => {
      const found = await this.#store.call('wikiLocateRevisionByName', { wiki, revId })
      if (found.purge?.fields.split(',').includes('text')) return null
      for (const batch of found.batches) {
        const revision = decodeBatch(batch).find((one) => one.revId === revId)
        const text = revision?.slots.find((slot) => slot.role === role)?.text
        if (text) return text
      }
      return this.#readers.text(found, { revId, role })
    })
  }

  /** Without its texts. */
  async revision(wiki: string, revId: number): Promise<StoredRevision | null> {
    const [row] = await this.#rows(await this.#find(wiki), 'rev_id = $1 LIMIT 1', [revId])
    return row ? withoutSeq(row) : null
  }

  /** Oldest first by default. Only the current portion of DuckDB, and one text, are in memory. */
  async *history(
    wiki: string,
    page: PageChoice,
    options: HistoryOptions = {},
  ): AsyncGenerator<StoredRevision> {
    const found = await this.#find(wiki)
    const pageId = 'pageId' in page ? page.pageId : await this.#pageOf(found, page.title)
    yield* this.#histories(found, { first: pageId, last: pageId }, options)
  }

  /** Of the pages whose ids lie between these two, page after page. They are sorted in memory: not too many. */
  async *histories(
    wiki: string,
    pages: PageRange,
    options: HistoryOptions = {},
  ): AsyncGenerator<StoredRevision> {
    yield* this.#histories(await this.#find(wiki), pages, options)
  }

  async *#histories(
    wiki: WikiRow,
    { first, last }: PageRange,
    options: HistoryOptions,
  ): AsyncGenerator<StoredRevision> {
    const { from = 0, until = Number.MAX_SAFE_INTEGER, newestFirst = false, withText } = options
    const way = newestFirst ? 'DESC' : 'ASC'
    const tables = await this.#tablesOf([wiki])
    const connection = await tables.connect()
    try {
      const texts = withText ? await this.#textsOf(wiki, tables, options.onLost) : null
      const result = await connection.stream(
        `SELECT ${quotedColumns} FROM stored_rows
         WHERE page_id BETWEEN $1 AND $2 AND "at" >= $3 AND "at" < $4
         ORDER BY page_id, "at" ${way}, rev_id ${way}`,
        [BigInt(first), BigInt(last), BigInt(from), BigInt(until)],
      )
      for await (const rows of result.yieldRowsJs()) {
        for (const cells of rows) {
          const row = rowOf(cells)
          yield texts === null ? withoutSeq(row) : withoutSeq(await texts(row))
        }
      }
    } finally {
      connection.closeSync()
    }
  }

  async stats(): Promise<WikiStats[]> {
    const wikis = await this.wikis()
    const totals = await this.#store.call('wikiTotals', undefined)
    const waiting = await this.#store.call('wikiPendingTotals', undefined)
    const stats: WikiStats[] = []
    for (const wiki of wikis) {
      const { wikiId, ...total } = totals.find((one) => one.wikiId === wiki.wikiId)!
      const isPending = waiting.some((one) => one.wikiId === wikiId)
      const counts = isPending ? await this.#countNow(wiki.key) : {}
      stats.push({ wiki: wiki.key, ...total, ...counts })
    }
    return stats
  }

  wikis(): Promise<WikiRow[]> {
    return this.#store.call('wikiList', undefined)
  }

  /** Throws when there is no such wiki. */
  wiki(wiki: string): Promise<WikiRow> {
    return this.#find(wiki)
  }

  /**
   * One SELECT over the views `revisions` and `pages` of these wikis; null: of all. Values go in as `$1`, `$2`…
   */
  async sql(
    wikis: readonly string[] | null,
    text: string,
    params: readonly QueryValue[] = [],
    { rowsMax = ROWS_MAX, timeMs = TIME_MS }: Partial<AskLimits> = {},
  ): Promise<Answered> {
    const found =
      wikis === null ? await this.wikis() : await Promise.all(wikis.map((wiki) => this.#find(wiki)))
    return this.#retried(async () => {
      const connection = await (await this.#tablesOf(found)).connect()
      try {
        const question = { text, params, rowsMax, timeMs }
        return await queryTables(connection, question, this.#store.clock)
      } finally {
        connection.closeSync()
      }
    })
  }

  /** Writes what a SELECT over the views of one wiki says to a Parquet file. Answers how many rows. */
  async writeRows(
    wiki: string,
    { select, folder, name }: { select: string; folder: string; name: string },
  ): Promise<number> {
    const found = await this.#find(wiki)
    return this.#retried(async () => {
      // Of its own: tables that questions are asked of can write nowhere.
      const tables = await WikiTables.open(this.#store, [found], [folder])
      try {
        const connection = await tables.connect()
        const target = sqlText(`${folder}/${name}`)
        const written = await connection.runAndReadAll(
          `COPY (${select}) TO ${target} (FORMAT parquet, COMPRESSION zstd)`,
        )
        connection.closeSync()
        return Number(written.getRows()[0]![0])
      } finally {
        tables.close()
      }
    })
  }

  /** Rows as objects: what metrics ask through. */
  ask(wikis: readonly string[] | null, limits: Partial<AskLimits> = {}): Ask {
    return async (text, params, ownLimits) => {
      const asked = { rowsMax: ROWS_MAX, ...limits, ...ownLimits }
      const { columns, rows, isCut } = await this.sql(wikis, text, params, asked)
      // A metric over a part of the rows would be wrong without saying so.
      if (isCut) throw WikiQuestionRefused.tooManyRows(asked.rowsMax)
      return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])))
    }
  }

  /** Everything that waits becomes files; with a name, of that wiki. Returns how many revisions. */
  fold(wiki?: string): Promise<number> {
    return runExclusive(this.#exclusive, async () => {
      const waiting = await this.#store.call('wikiPendingTotals', undefined)
      return this.#foldThese(await this.#chosen(waiting, wiki))
    })
  }

  /** Folds the wikis of which enough waits, or something waits since before `since`. */
  foldIfDue({ since = 0 }: { since?: number } = {}): Promise<number> {
    return runExclusive(this.#exclusive, async () => {
      const waiting = await this.#store.call('wikiPendingTotals', undefined)
      return this.#foldThese(
        waiting.filter(
          (one) =>
            one.rawBytes >= DUE_RAW_BYTES || one.revisions >= DUE_REVISIONS || one.since < since,
        ),
      )
    })
  }

  /** Small segments become few; `isWhole`: one per part. Returns how many were rewritten. */
  compact(wiki?: string, options: { isWhole?: boolean } = {}): Promise<number> {
    return runExclusive(this.#exclusive, async () => {
      let compacted = 0
      for (const { wikiId } of await this.#chosen(await this.wikis(), wiki)) {
        compacted += await compactWiki(this.#store, wikiId, options)
      }
      return compacted
    })
  }

  /** Finishes purges that a stop interrupted and removes files that count no more. */
  tidy({ isOpening = false }: { isOpening?: boolean } = {}): Promise<{ removed: number }> {
    return runExclusive(this.#exclusive, async () => {
      const tidied = await tidyWikis(this.#store, { isOpening })
      for (const { wikiId } of await this.wikis()) await this.#finishPurges(wikiId)
      return tidied
    })
  }

  /** Reads everything: each text, SHA-1, size and parent. */
  async verify(wiki: string): Promise<Verified> {
    return verifyWiki(this.#store, this, await this.#find(wiki))
  }

  /** Text, or what else is named, leaves every file; tombstones stay. */
  async purge(
    wiki: string,
    revIds: readonly number[],
    asked: { reason: string; kind?: PurgeKind; fields?: readonly string[] },
  ): Promise<void> {
    const { wikiId } = await this.#find(wiki)
    const { reason, kind = 'takedown', fields = ['text'] } = asked
    const revisions = revIds.map((revId) => ({ revId, fields }))
    const request: WriteTombstone = {
      wikiId,
      revisions,
      kind,
      reason,
      now: this.#store.clock.now(),
    }
    await runExclusive(this.#exclusive, async () => {
      await writeTombstones(this.#store, request)
      await this.#readers.forget()
    })
  }

  /** Where the import of a dump puts what it reads. */
  importSink(options: ImportOptions): ImportSink {
    return new ImportSink(this.#store, options)
  }

  /** Changes whenever anything that is read here does: for caches. */
  async versionOf(wiki: string): Promise<string> {
    const { wikiId } = await this.#find(wiki)
    const { version, changes } = await this.#store.call('wikiManifest', { wikiId })
    return `${wikiId}.${version}.${changes}`
  }

  async close(): Promise<void> {
    await runExclusive(this.#exclusive, async () => {})
    for (const opening of this.#tables.values()) (await opening).close()
    this.#tables.clear()
    await this.#readers.close()
  }

  #find(wiki: string): Promise<WikiRow> {
    return this.#store.call('wikiFind', { wiki })
  }

  async #pageOf({ wikiId, key }: WikiRow, title: string): Promise<number> {
    const titles = [title.replaceAll('_', ' ')]
    const [page] = await this.#store.call('wikiPageRows', { wikiId, titles })
    if (page === undefined) throw NoSuchWikiPage.titled(title, key)
    return page.pageId
  }

  async #chosen<T extends { wikiId: number }>(all: readonly T[], wiki?: string): Promise<T[]> {
    if (wiki === undefined) return [...all]
    const { wikiId } = await this.#find(wiki)
    return all.filter((one) => one.wikiId === wikiId)
  }

  async #foldThese(wikis: readonly { wikiId: number }[]): Promise<number> {
    let folded = 0
    for (const { wikiId } of wikis) {
      folded += await foldWiki(this.#store, wikiId)
      await this.#finishPurges(wikiId)
    }
    return folded
  }

  async #finishPurges(wikiId: number): Promise<void> {
    if ((await finishPurges(this.#store, wikiId)) > 0) await this.#readers.forget()
  }

  async #countNow(wiki: string): Promise<{ revisions: number; rawBytes: number }> {
    const { rows } = await this.sql(
      [wiki],
      'SELECT count(*), CAST(coalesce(sum(text_bytes), 0) AS BIGINT) FROM revisions',
    )
    const [revisions, rawBytes] = rows[0]!
    return { revisions: Number(revisions), rawBytes: Number(rawBytes) }
  }

  async #rows(wiki: WikiRow, where: string, params: readonly number[]): Promise<Row[]> {
    return this.#retried(async () => {
      const connection = await (await this.#tablesOf([wiki])).connect()
      try {
        const sql = `SELECT ${quotedColumns} FROM stored_rows WHERE ${where}`
        const result = await connection.runAndReadAll(sql, params.map(BigInt))
        return result.getRowsJS().map(rowOf)
      } finally {
        connection.closeSync()
      }
    })
  }

  /** Gives rows their texts. Tombstones are asked for once: a long reading sees those of its beginning. */
  async #textsOf(
    { wikiId }: WikiRow,
    tables: WikiTables,
    onLost?: HistoryOptions['onLost'],
  ): Promise<(row: Row) => Promise<Row>> {
    const purges = await this.#store.call('wikiListPurges', { wikiId })
    const hidden = new Set(
      purges.filter(({ fields }) => fields.split(',').includes('text')).map(({ revId }) => revId),
    )
    const waiting = new BatchTexts(this.#store.call, wikiId)
    const seqs = tables.pendingSeqs(wikiId)
    const version = tables.versionOf(wikiId)
    const textOf = async (revId: number, role: string): Promise<Uint8Array | null> => {
      const wanted = (seqs.get(revId) ?? []).map((seq) => ({ role, seq }))
      const [pending] = await waiting.of(revId, wanted)
      return pending?.text ?? this.#readers.text({ wikiId, version }, { revId, role })
    }
    return async (row) => {
      if (hidden.has(row.revId)) return row
      const slots: Row['slots'] = []
      for (const slot of row.slots) {
        const isHeld = row.heldRoles.includes(slot.role)
        const reading = isHeld || seqs.has(row.revId) ? textOf(row.revId, slot.role) : null
        const text = await (onLost ? readOrTell(reading, { row, isHeld, onLost }) : reading)
        slots.push({ ...slot, text })
      }
      return { ...row, slots }
    }
  }

  async #tablesOf(wikis: readonly WikiRow[]): Promise<WikiTables> {
    const key = wikis.map(({ wikiId }) => wikiId).join(' ')
    const open = this.#tables.get(key) ?? WikiTables.open(this.#store, wikis)
    this.#tables.delete(key)
    this.#tables.set(key, open)
    open.catch(() => this.#tables.delete(key))
    if (this.#tables.size > TABLES_MOST) await this.#closeOldestTables()
    return open
  }

  async #closeOldestTables(): Promise<void> {
    const [key, opening] = this.#tables.entries().next().value!
    this.#tables.delete(key)
    ;(await opening).close()
  }

  /** Once more when files were removed beneath the reader: a purge does not wait. */
  async #retried<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!isFileGone(error)) throw error
      await this.#readers.forget()
      return read()
    }
  }
}

interface Reading {
  row: Row
  isHeld: boolean
  onLost: NonNullable<HistoryOptions['onLost']>
}

async function readOrTell(
  reading: Promise<Uint8Array | null> | null,
  { row, isHeld, onLost }: Reading,
): Promise<Uint8Array | null> {
  try {
    const text = await reading
    if (isHeld && text === null) onLost(row.revId, 'no pack has it.')
    return text
  } catch (error) {
    onLost(row.revId, error instanceof Error ? error.message : String(error))
    return null
  }
}

function withoutSeq(row: Row): StoredRevision {
  const { seq: _, heldRoles: __, textBytes: ___, ...revision } = row
  return revision
}
