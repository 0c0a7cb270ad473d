/**
 * Revisions as rows of a table, in DuckDB and in Parquet. The usual revision has one slot, `main`, with the
 * size and SHA-1 of the revision: its slot is not written a second time.
 */
import type { DuckDBConnection, DuckDBDataChunk, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import type { EditorKind, HiddenField, RevisionSource, Slot } from '../model.ts'
import type { WaitingRevision } from './batch.ts'
import { duckDbLibrary } from './duckdb.ts'

/** A revision with the number that decides between two of the same moment. */
export interface Row extends WaitingRevision {
  seq: number
}

const COLUMNS = [
  ['page_id', 'BIGINT'],
  ['rev_id', 'BIGINT'],
  ['parent_id', 'BIGINT'],
  ['at', 'BIGINT'],
  ['user', 'VARCHAR'],
  ['user_id', 'BIGINT'],
  ['editor', 'VARCHAR'],
  ['is_minor', 'BOOLEAN'],
  ['size', 'BIGINT'],
  ['sha1', 'BLOB'],
  ['comment', 'VARCHAR'],
  ['parsed_comment', 'VARCHAR'],
  ['tags', 'VARCHAR[]'],
  ['hidden', 'VARCHAR[]'],
  ['is_suppressed', 'BOOLEAN'],
  ['model', 'VARCHAR'],
  ['format', 'VARCHAR'],
  // Whether any text of it is kept, and its bytes where they are not its size.
  ['has_text', 'BOOLEAN'],
  ['text_bytes', 'BIGINT'],
  // JSON, where the revision is not of the usual form.
  ['slots', 'VARCHAR'],
  ['source', 'VARCHAR'],
  ['seen_at', 'BIGINT'],
  ['seq', 'BIGINT'],
] as const

export type ColumnName = (typeof COLUMNS)[number][0]

/** `at` and `user` are words of DuckDB's language. */
export const quotedColumns = COLUMNS.map(([name]) => `"${name}"`).join(', ')

export const tableOfRows = (name: string): string =>
  `CREATE TABLE ${name} (${COLUMNS.map(([column, type]) => `"${column}" ${type}`).join(', ')})`

/** Bytes of the kept texts of a row, as SQL. */
export const TEXT_BYTES = `CASE WHEN has_text THEN coalesce(text_bytes, size, 0) ELSE 0 END`

interface KeptSlot extends Omit<Slot, 'text'> {
  held: boolean
}

function isUsual({ slots, size, sha1, heldRoles }: WaitingRevision): boolean {
  const [slot] = slots
  return (
    slots.length === 1 &&
    slot!.role === 'main' &&
    slot!.size === size &&
    slot!.sha1 === sha1 &&
    heldRoles.every((role) => role === 'main')
  )
}

function keptSlots({ slots, heldRoles }: WaitingRevision): KeptSlot[] {
  return slots.map(({ role, model, format, size, sha1 }) => ({
    role,
    model,
    format,
    size,
    sha1,
    held: heldRoles.includes(role),
  }))
}

const big = (value: number | null): bigint | null => (value === null ? null : BigInt(value))

type ValueMakers = Pick<typeof import('@duckdb/node-api'), 'blobValue' | 'listValue'>

function valuesOf(row: Row, { blobValue, listValue }: ValueMakers): DuckDBValue[] {
  const main = row.slots[0]
  const hasText = row.heldRoles.length > 0
  return [
    BigInt(row.pageId),
    BigInt(row.revId),
    big(row.parentId),
    BigInt(row.at),
    row.user,
    big(row.userId),
    row.editor,
    row.isMinor,
    big(row.size),
    row.sha1 === null ? null : blobValue(Buffer.from(row.sha1, 'hex')),
    row.comment,
    row.parsedComment,
    listValue(row.tags),
    listValue(row.hidden),
    row.isSuppressed,
    main?.model ?? null,
    main?.format ?? null,
    hasText,
    hasText && row.textBytes !== row.size ? BigInt(row.textBytes) : null,
    isUsual(row) ? null : JSON.stringify(keptSlots(row)),
    row.source,
    BigInt(row.seenAt),
    BigInt(row.seq),
  ]
}

/** DuckDB works on vectors of so many. */
const CHUNK_ROWS = 2048

/** Rows on their way into a table. */
export class RowAppender {
  readonly #library: typeof import('@duckdb/node-api')
  readonly #types: DuckDBType[]
  readonly #append: (chunk: DuckDBDataChunk) => void
  readonly #close: () => void
  #columns: DuckDBValue[][] = COLUMNS.map(() => [])

  private constructor(
    library: typeof import('@duckdb/node-api'),
    append: (chunk: DuckDBDataChunk) => void,
    close: () => void,
  ) {
    this.#library = library
    this.#append = append
    this.#close = close
    const { BIGINT, BLOB, BOOLEAN, LIST, VARCHAR } = library
    const types = { BIGINT, BLOB, BOOLEAN, VARCHAR, 'VARCHAR[]': LIST(VARCHAR) }
    this.#types = COLUMNS.map(([, type]) => types[type])
  }

  static async into(connection: DuckDBConnection, table: string): Promise<RowAppender> {
    const appender = await connection.createAppender(table)
    return new RowAppender(
      await duckDbLibrary(),
      (chunk) => appender.appendDataChunk(chunk),
      () => {
        appender.flushSync()
        appender.closeSync()
      },
    )
  }

  add(row: Row): void {
    const values = valuesOf(row, this.#library)
    for (const [index, value] of values.entries()) this.#columns[index]!.push(value)
    if (this.#columns[0]!.length >= CHUNK_ROWS) this.#flush()
  }

  close(): void {
    this.#flush()
    this.#close()
  }

  #flush(): void {
    const rows = this.#columns[0]!.length
    if (rows === 0) return
    const chunk = this.#library.DuckDBDataChunk.create(this.#types, rows)
    chunk.setColumns(this.#columns)
    this.#append(chunk)
    this.#columns = COLUMNS.map(() => [])
  }
}

type Cell = string | number | bigint | boolean | null | Uint8Array | readonly string[]

/** The way back; `cells` are in the order of `quotedColumns`, as DuckDB gives them to JavaScript. */
export function rowOf(cells: readonly unknown[]): Row {
  const cell = (name: ColumnName): Cell =>
    (cells[COLUMNS.findIndex(([column]) => column === name)] ?? null) as Cell
  const text = (name: ColumnName): string | null => cell(name) as string | null
  const count = (name: ColumnName): number | null => {
    const value = cell(name)
    return value === null ? null : Number(value)
  }
  const digest = cell('sha1') as Uint8Array | null
  const bare = {
    pageId: count('page_id')!,
    revId: count('rev_id')!,
    parentId: count('parent_id'),
    at: count('at')!,
    user: text('user'),
    userId: count('user_id'),
    editor: text('editor') as EditorKind,
    isMinor: cell('is_minor') as boolean,
    size: count('size'),
    sha1: digest === null ? null : Buffer.from(digest).toString('hex'),
    comment: text('comment'),
    parsedComment: text('parsed_comment'),
    tags: [...(cell('tags') as string[])],
    hidden: [...(cell('hidden') as HiddenField[])],
    isSuppressed: cell('is_suppressed') as boolean,
    source: text('source') as RevisionSource,
    seenAt: count('seen_at')!,
    seq: count('seq')!,
  }
  const hasText = cell('has_text') as boolean
  const textBytes = hasText ? (count('text_bytes') ?? bare.size ?? 0) : 0
  const kept = text('slots')
  if (kept !== null) return { ...bare, ...slotsOf(kept), textBytes }
  const { size, sha1 } = bare
  const main = {
    role: 'main',
    model: text('model'),
    format: text('format'),
    size,
    sha1,
    text: null,
  }
  return { ...bare, slots: [main], heldRoles: hasText ? ['main'] : [], textBytes }
}

function slotsOf(json: string): Pick<Row, 'slots' | 'heldRoles'> {
  const kept = JSON.parse(json) as KeptSlot[]
  return {
    slots: kept.map(({ role, model, format, size, sha1 }) => ({
      role,
      model,
      format,
      size,
      sha1,
      text: null,
    })),
    heldRoles: kept.filter(({ held }) => held).map(({ role }) => role),
  }
}
