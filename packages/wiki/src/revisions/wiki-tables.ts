/**
 * The histories of some wikis as tables of DuckDB, as they are now: Parquet files as stored,
 * pending rows in memory. Each query first asks the store what is new.
 */
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { decodeBatch } from './batch.ts'
import type { PurgeRow } from './batch-operations.ts'
import { duckDbLibrary, openDuckDb, sqlList, type DuckDb } from './duckdb.ts'
import { isLater } from './merge-revisions.ts'
import { stripped } from './plan-fold.ts'
import type { RevisionStore } from './revision-store.ts'
import { quotedColumns, RowAppender, tableOfRows, TEXT_BYTES, type Row } from './rows.ts'
import type { WikiSnapshot, Manifest, PagesAfter, ReaderPage } from './segment-operations.ts'
import type { WikiRow } from './wiki-identity.ts'

const BATCHES_PER_READ = 500
const PAGES_PER_READ = 20_000

/** What is known of one wiki at the last snapshot. */
interface Known {
  wiki: WikiRow
  version: number
  changes: number
  manifest: Manifest | null
  /** Rows of pending batches, by the batch's number. */
  pending: Map<number, Row[]>
}

export class WikiTables {
  readonly #store: RevisionStore
  readonly #known: Known[]
  readonly #duckDb: DuckDb
  /** One refresh at a time: the next one sees what it found. */
  #refreshing: Promise<void> = Promise.resolve()

  private constructor(store: RevisionStore, wikis: readonly WikiRow[], duckDb: DuckDb) {
    this.#store = store
    this.#duckDb = duckDb
    this.#known = wikis.map((wiki) => ({
      wiki,
      version: -1,
      changes: -1,
      manifest: null,
      pending: new Map<number, Row[]>(),
    }))
  }

  /** `writable`: a folder into which what was asked may be written, if there is one. */
  static async open(
    store: RevisionStore,
    wikis: readonly WikiRow[],
    writable: readonly string[] = [],
  ): Promise<WikiTables> {
    const duckDb = await openDuckDb({ ...store.limits, spillFolder: null })
    const tables = new WikiTables(store, wikis, duckDb)
    await tables.#prepare(writable)
    return tables
  }

  /** Brings the tables up to now, and gives a connection of one's own to ask them. */
  async connect(): Promise<DuckDBConnection> {
    const refreshing = this.#refreshing.then(() => this.#refresh())
    this.#refreshing = refreshing.catch(() => {})
    await refreshing
    return this.#duckDb.connect()
  }

  /** Batches that wait now, by revision: where its newest text may be. */
  pendingSeqs(wikiId: number): ReadonlyMap<number, number[]> {
    const seqs = new Map<number, number[]>()
    const known = this.#known.find(({ wiki }) => wiki.wikiId === wikiId)
    for (const [seq, rows] of known?.pending ?? []) {
      for (const { revId, heldRoles } of rows) {
        if (heldRoles.length > 0) seqs.set(revId, [seq, ...(seqs.get(revId) ?? [])])
      }
    }
    return seqs
  }

  versionOf(wikiId: number): number {
    return this.#known.find(({ wiki }) => wiki.wikiId === wikiId)?.version ?? 0
  }

  close(): void {
    this.#duckDb.close()
  }

  async #prepare(writable: readonly string[]): Promise<void> {
    const { connection } = this.#duckDb
    await connection.run(tableOfRows('pending_rows'))
    await connection.run('ALTER TABLE pending_rows ADD COLUMN wiki_id BIGINT')
    await connection.run(`CREATE TABLE page_rows (wiki_id BIGINT, page_id BIGINT, ns INTEGER, title VARCHAR,
      redirect VARCHAR, state VARCHAR, first_at BIGINT, last_at BIGINT, last_rev_id BIGINT, source VARCHAR,
      PRIMARY KEY (wiki_id, page_id))`)
    await connection.run('CREATE TABLE superseded (file VARCHAR, rev_id BIGINT)')
    // The keys of wikis are hosts and folders; they go in as values all the same.
    await connection.run('CREATE TABLE wiki_keys (wiki_id BIGINT, wiki VARCHAR)')
    for (const { wiki } of this.#known) {
      await connection.run('INSERT INTO wiki_keys VALUES ($1, $2)', [BigInt(wiki.wikiId), wiki.key])
    }
    const folders = this.#known.map(({ wiki }) => this.#store.files.folder(wiki.wikiId))
    // From here on nothing but these folders can be read, and no setting changed, by any caller.
    await connection.run(`SET allowed_directories = ${sqlList([...folders, ...writable])}`)
    await connection.run('SET enable_external_access = false')
    await connection.run('SET lock_configuration = true')
  }

  async #refresh(): Promise<void> {
    let isChanged = false
    for (const known of this.#known) {
      const { version, changes } = known
      const asked = { wikiId: known.wiki.wikiId, version, changes }
      const snapshot = await this.#store.call('wikiReadSnapshot', asked)
      if (snapshot === null) continue
      await this.#take(known, snapshot)
      isChanged = true
    }
    if (isChanged) await this.#describe()
  }

  async #take(known: Known, snapshot: WikiSnapshot): Promise<void> {
    if (snapshot.manifest !== null) known.manifest = snapshot.manifest
    await this.#takePending(known, snapshot)
    await this.#readPages(known)
    known.version = snapshot.version
    known.changes = snapshot.changes
  }

  async #takePending(known: Known, { pending, purges }: WikiSnapshot): Promise<void> {
    const { wikiId } = known.wiki
    const now = new Set(pending)
    for (const seq of known.pending.keys()) if (!now.has(seq)) known.pending.delete(seq)
    const missing = pending.filter((seq) => !known.pending.has(seq))
    for (let from = 0; from < missing.length; from += BATCHES_PER_READ) {
      const seqs = missing.slice(from, from + BATCHES_PER_READ)
      const batches = await this.#store.call('wikiReadBatches', { wikiId, seqs })
      for (const batch of batches) {
        const rows = decodeBatch(batch).map((revision) => ({ ...revision, seq: batch.seq }))
        known.pending.set(batch.seq, rows)
      }
    }
    await this.#writePending(known, purges)
  }

  /** Of several that wait for one revision, the one that counts. */
  async #writePending(known: Known, purges: readonly PurgeRow[]): Promise<void> {
    const hidden = new Map(purges.map((purge) => [purge.revId, purge]))
    const newest = new Map<number, Row>()
    for (const row of [...known.pending.values()].flat()) {
      const other = newest.get(row.revId)
      if (other === undefined || isLater(row, other)) newest.set(row.revId, row)
    }
    const { connection } = this.#duckDb
    const wikiId = BigInt(known.wiki.wikiId)
    await connection.run('DELETE FROM pending_rows WHERE wiki_id = $1', [wikiId])
    if (newest.size === 0) return
    await connection.run(tableOfRows('arriving').replace('CREATE TABLE', 'CREATE OR REPLACE TABLE'))
    const appender = await RowAppender.into(connection, 'arriving')
    for (const row of newest.values()) appender.add(stripped(row, hidden.get(row.revId)))
    appender.close()
    await connection.run('INSERT INTO pending_rows SELECT *, $1 FROM arriving', [wikiId])
    await connection.run('DROP TABLE arriving')
  }

  async #readPages(known: Known): Promise<void> {
    // Behind the last change that was seen: all of that number were seen together.
    let last = { changed: known.changes, pageId: Number.MAX_SAFE_INTEGER }
    for (;;) {
      const asked: PagesAfter = { wikiId: known.wiki.wikiId, ...last, limit: PAGES_PER_READ }
      const pages = await this.#store.call('wikiPagesAfter', asked)
      await this.#takePages(known, pages)
      if (pages.length < PAGES_PER_READ) return
      const { changed, pageId } = pages.at(-1)!
      last = { changed, pageId }
    }
  }

  async #takePages(known: Known, pages: readonly ReaderPage[]): Promise<void> {
    if (pages.length === 0) return
    const { BIGINT, INTEGER, VARCHAR, DuckDBDataChunk } = await duckDbLibrary()
    const types = [
      BIGINT,
      BIGINT,
      INTEGER,
      VARCHAR,
      VARCHAR,
      VARCHAR,
      BIGINT,
      BIGINT,
      BIGINT,
      VARCHAR,
    ]
    const { connection } = this.#duckDb
    await connection.run('CREATE OR REPLACE TABLE new_pages AS FROM page_rows LIMIT 0')
    const appender = await connection.createAppender('new_pages')
    const wikiId = BigInt(known.wiki.wikiId)
    for (let from = 0; from < pages.length; from += 2048) {
      const rows = pages.slice(from, from + 2048).map((page) => pageValues(wikiId, page))
      const chunk = DuckDBDataChunk.create(types, rows.length)
      chunk.setRows(rows)
      appender.appendDataChunk(chunk)
    }
    appender.flushSync()
    appender.closeSync()
    await connection.run('INSERT OR REPLACE INTO page_rows FROM new_pages')
    await connection.run('DROP TABLE new_pages')
  }

  /** The views that questions are asked of. */
  async #describe(): Promise<void> {
    const { connection } = this.#duckDb
    const { files } = this.#store
    await connection.run('DELETE FROM superseded')
    const parts: string[] = []
    for (const { wiki, manifest } of this.#known) {
      if (manifest === null || manifest.segments.length === 0) continue
      const fileOf = new Map(
        manifest.segments.map(({ id, wikiId, rows }) => [id, files.at(wikiId, rows)]),
      )
      await this.#noteSuperseded(manifest, fileOf)
      parts.push(segmentRows(wiki.wikiId, [...fileOf.values()], manifest.superseded.length > 0))
    }
    parts.push(`SELECT wiki_id, ${quotedColumns} FROM pending_rows`)
    await connection.run(
      `CREATE OR REPLACE VIEW stored_rows AS ${parts.join(' UNION ALL BY NAME ')}`,
    )
    await connection.run(REVISIONS_VIEW)
    await connection.run(PAGES_VIEW)
  }

  async #noteSuperseded(
    { superseded }: Manifest,
    fileOf: ReadonlyMap<number, string>,
  ): Promise<void> {
    if (superseded.length === 0) return
    const { BIGINT, LIST, listValue, VARCHAR } = await duckDbLibrary()
    const own = superseded.filter(({ segmentId }) => fileOf.has(segmentId))
    await this.#duckDb.connection.run(
      'INSERT INTO superseded SELECT unnest($1), unnest($2)',
      [
        listValue(own.map(({ segmentId }) => fileOf.get(segmentId)!)),
        listValue(own.map(({ revId }) => BigInt(revId))),
      ],
      [LIST(VARCHAR), LIST(BIGINT)],
    )
  }
}

function pageValues(wikiId: bigint, page: ReaderPage): DuckDBValue[] {
  const big = (value: number | null): bigint | null => (value === null ? null : BigInt(value))
  return [
    wikiId,
    BigInt(page.pageId),
    page.ns,
    page.title,
    page.redirect,
    page.state,
    big(page.firstAt),
    big(page.lastAt),
    big(page.lastRevId),
    page.source,
  ]
}

function segmentRows(wikiId: number, files: readonly string[], hasSuperseded: boolean): string {
  const given = hasSuperseded ? ', filename = true' : ''
  const gone = `AND NOT EXISTS (SELECT 1 FROM superseded s WHERE s.file = r.filename AND s.rev_id = r.rev_id)`
  return `SELECT CAST(${wikiId} AS BIGINT) AS wiki_id, ${quotedColumns}
    FROM read_parquet(${sqlList(files)}${given}) AS r
    WHERE NOT EXISTS (SELECT 1 FROM pending_rows p WHERE p.wiki_id = ${wikiId} AND p.rev_id = r.rev_id)
    ${hasSuperseded ? gone : ''}`
}

const REVISIONS_VIEW = `CREATE OR REPLACE VIEW revisions AS
  SELECT k.wiki, r.page_id, p.ns, p.title, r.rev_id, r.parent_id, r."at", r."user", r.user_id, r.editor,
    r.is_minor, r.size, r.sha1, r.comment, r.parsed_comment, r.tags, r.hidden, r.is_suppressed, r.model,
    r.format, r.has_text, ${TEXT_BYTES.replaceAll(/\b(has_text|text_bytes|size)\b/g, 'r.$1')} AS text_bytes,
    r.source, r.seen_at
  FROM stored_rows r
  LEFT JOIN wiki_keys k ON k.wiki_id = r.wiki_id
  LEFT JOIN page_rows p ON p.wiki_id = r.wiki_id AND p.page_id = r.page_id`

const PAGES_VIEW = `CREATE OR REPLACE VIEW pages AS
  SELECT k.wiki, p.page_id, p.ns, p.title, p.redirect, p.state, p.first_at, p.last_at, p.last_rev_id, p.source
  FROM page_rows p JOIN wiki_keys k ON k.wiki_id = p.wiki_id`
