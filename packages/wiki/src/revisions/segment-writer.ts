/** Writes one segment: rows gather in DuckDB, texts stream into a pack; both get their names at the end. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { faultPoint } from '@minga/protocol'
import { packFiles } from '../packs/pack-files.ts'
import type { PackSummary } from '../packs/pack-output.ts'
import { PackWriter } from '../packs/pack-writer.ts'
import { sqlText } from './duckdb.ts'
import { fileName, type Writing } from './revision-store.ts'
import { quotedColumns, RowAppender, tableOfRows, TEXT_BYTES, type Row } from './rows.ts'
import type { NewSegment } from './segment-operations.ts'

/** Rows of a page stand together, in the order of its history. */
const ORDER = 'page_id, "at", rev_id'
/** Small enough that the history of one page does not read the whole file. */
const ROW_GROUP_ROWS = 20_480

export interface SlotText {
  role: string
  text: Uint8Array
}

interface RevisionRange {
  revMin: number
  revMax: number
}

export class SegmentWriter {
  readonly #writing: Writing
  readonly #connection: DuckDBConnection
  readonly #part: number
  readonly #table: string
  readonly #appender: RowAppender
  readonly #pack: PackWriter | null
  rawBytes = 0
  rows = 0

  private constructor(
    opened: { writing: Writing; connection: DuckDBConnection; part: number; table: string },
    appender: RowAppender,
    pack: PackWriter | null,
  ) {
    this.#writing = opened.writing
    this.#connection = opened.connection
    this.#part = opened.part
    this.#table = opened.table
    this.#appender = appender
    this.#pack = pack
  }

  /** `ownPack`: another writer makes the pack, and gives its summary at the end. */
  static async create(
    writing: Writing,
    connection: DuckDBConnection,
    { part, ownPack = false }: { part: number; ownPack?: boolean },
  ): Promise<SegmentWriter> {
    const table = `part_${part}`
    await connection.run(tableOfRows(table))
    const appender = await RowAppender.into(connection, table)
    const { files } = writing.store
    const path = files.at(writing.wikiId, fileName(writing.fold, part, 'pack'))
    const pack = ownPack ? null : await PackWriter.create(path, packFiles)
    return new SegmentWriter({ writing, connection, part, table }, appender, pack)
  }

  /** Best by page, then in the order of its history. */
  async add(row: Row, texts: readonly SlotText[]): Promise<void> {
    this.#appender.add(row)
    this.rows++
    for (const { role, text } of texts) {
      this.rawBytes += text.length
      await this.#pack?.add({ pageId: row.pageId, revId: row.revId, role, text })
    }
  }

  /** Rows straight from other files; `from` is SQL of ours. */
  async addFrom(from: string): Promise<void> {
    const result = await this.#connection.run(
      `INSERT INTO ${this.#table} SELECT ${quotedColumns} FROM ${from}`,
    )
    this.rows += result.rowsChanged
  }

  /**
   * Null when there is nothing: then there is no file either. `given`: the pack that another writer
   * made, and the revisions it may be asked for, which can be more than those with rows.
   */
  async finish(given?: { pack: PackSummary } & RevisionRange): Promise<NewSegment | null> {
    this.#appender.close()
    const writing = this.#writing
    const { files } = writing.store
    if (this.rows === 0 && (given?.pack.revisions ?? 0) === 0) {
      await this.#pack?.abandon()
      await files.remove(writing.wikiId, fileName(writing.fold, this.#part, 'pack'))
      return null
    }
    const rows = fileName(writing.fold, this.#part, 'parquet')
    const partial = `${rows}.partial`
    await this.#connection.run(
      `COPY (SELECT ${quotedColumns} FROM ${this.#table} ORDER BY ${ORDER})
       TO ${sqlText(files.at(writing.wikiId, partial))}
       (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 12, PARQUET_VERSION v2,
        ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, USE_TMP_FILE false)`,
    )
    faultPoint(`wiki:${writing.kind}:before-rename`)
    const summary = given?.pack ?? (await this.#pack!.finish())
    await files.settle(writing.wikiId, partial, rows)
    const rowsBytes = (await files.size(writing.wikiId, rows))!
    const totals = await this.#totals()
    const { revMin, revMax } = given ?? totals
    return { ...totals, revMin, revMax, rows, rowsBytes, packBytes: summary.bytes }
  }

  async abandon(): Promise<void> {
    this.#appender.close()
    await this.#pack?.abandon()
  }

  async #totals(): Promise<Omit<NewSegment, 'rows' | 'rowsBytes' | 'packBytes'>> {
    const result = await this.#connection.runAndReadAll(
      `SELECT count(*), coalesce(sum(${TEXT_BYTES}), 0), coalesce(min(rev_id), 0), coalesce(max(rev_id), 0) FROM ${this.#table}`,
    )
    const [revisions, rawBytes, revMin, revMax] = result.getRows()[0]!.map(Number)
    const { fold } = this.#writing
    const facts = { part: this.#part, fold, pack: fileName(fold, this.#part, 'pack') }
    return {
      ...facts,
      revisions: revisions!,
      rawBytes: rawBytes!,
      revMin: revMin!,
      revMax: revMax!,
    }
  }
}
