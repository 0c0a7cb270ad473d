/**
 * The one SQL interface that operations are written against, whichever database is below.
 *
 * What an operation may rely on, on both engines:
 * - it runs in one transaction; when it throws, nothing of it stays, appended bytes included;
 * - a statement that fails makes the whole call fail, even if the operation catches the error;
 * - it may run again from its start (PostgreSQL: after a conflict), so it must not change `args`;
 * - it awaits nothing but `sql`: on SQLite all other calls wait in the meantime.
 *
 * Numbers are safe integers or doubles. A bare `?` number has no type of its own (SQLite takes it
 * as a double, PostgreSQL guesses from the context): it is fine next to a column, but in arithmetic
 * between parameters write `CAST(? AS BIGINT)`. Text must not contain NUL, which PostgreSQL
 * refuses. Names of tables and columns are lower case.
 */

export type Value = number | string | null | Uint8Array
export type Row = readonly Value[]

export interface InsertMany {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** Without it a conflict fails the call. Later rows win over earlier ones on `update`. */
  readonly onConflict?:
    | 'ignore'
    | { readonly keys: readonly string[]; readonly update: readonly string[] }
}

export interface InsertNew {
  readonly table: string
  readonly columns: readonly string[]
  readonly keys: readonly string[]
  readonly rows: readonly Row[]
}

export interface UpdateMany {
  readonly table: string
  readonly keys: readonly string[]
  readonly set: readonly string[]
  /** Values of `keys`, then of `set`. */
  readonly rows: readonly Row[]
  /** Constant SQL over the row's columns, for example `fence < 7`. */
  readonly where?: string
}

export interface DeleteMany {
  readonly table: string
  readonly keys: readonly string[]
  readonly rows: readonly Row[]
}

export interface SelectMany {
  readonly table: string
  /** A unique key, so that every row of `rows` names at most one row of the table. */
  readonly keys: readonly string[]
  readonly rows: readonly Row[]
  readonly columns: readonly string[]
}

/** Where appended bytes are: `file` is a name inside the series' folder. */
export interface BlobLocation {
  readonly file: string
  readonly offset: number
  readonly length: number
}

export interface Sql {
  readonly dialect: Dialect
  /** To be put at the end of a SELECT that claims rows; SQLite has one writer and needs nothing. */
  readonly forUpdateSkipLocked: string
  all<R>(sql: string, params?: Row): Promise<R[]>
  get<R>(sql: string, params?: Row): Promise<R | undefined>
  /** Resolves to the number of changed rows. */
  run(sql: string, params?: Row): Promise<number>
  /** Resolves to the number of inserted or updated rows. */
  insertMany(query: InsertMany): Promise<number>
  /** For every row: was it new? Of rows with the same key, the first is inserted. */
  insertNew(query: InsertNew): Promise<boolean[]>
  /** Resolves to the number of updates. Of rows with the same key, the last stays. */
  updateMany(query: UpdateMany): Promise<number>
  deleteMany(query: DeleteMany): Promise<number>
  /** The found rows, aligned with `rows`. */
  selectMany<R>(query: SelectMany): Promise<(R | undefined)[]>
  /** Writes the chunks one after another at the end of a file of the series. */
  append(series: string, chunks: readonly Uint8Array[]): Promise<BlobLocation>
  /**
   * What this operation deletes or replaces from here on leaves no bytes in SQLite's files: it is
   * overwritten, and the journal emptied after the commit. PostgreSQL's vacuum does so on its own
   * schedule. Callers that do so often, for data whose removal was not requested, let the journal
   * be emptied on its own schedule.
   */
  wipe(how?: { keepsJournal: boolean }): Promise<void>
}

export type Dialect = 'sqlite' | 'postgres'

export type Operation<A = unknown, R = unknown> = (sql: Sql, args: A) => Promise<R>

/** Operations by their names; their literal names are what a caller is checked by. */
export type OperationTable = Readonly<Record<string, Operation<never>>>

/** An operation without arguments accepts anything: both `{}` and `undefined` are sent. */
export type OperationArgs<F> = F extends (sql: Sql, args: infer A) => unknown ? A : never

export type OperationResult<F> = F extends (...given: never) => Promise<infer R> ? R : never

/** What a caller needs: the operations of its own room. A store with more operations fits. */
export interface Calls<Ops extends OperationTable> {
  /** Never set. Without it a store of other operations would be accepted, because methods are bivariant. */
  readonly operations?: Ops
  /** Runs an operation in a transaction. Resolves only when its effects are durable. */
  call<K extends keyof Ops & string>(
    name: K,
    args: OperationArgs<Ops[K]>,
    transfer?: ArrayBuffer[],
  ): Promise<OperationResult<Ops[K]>>
}

export interface Store<Ops extends OperationTable> extends Calls<Ops> {
  /** Finishes the calls under way, then lets go of the folder or the database. */
  close(): Promise<void>
}

export const quoted = (name: string): string => `"${name}"`

export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')

/** The ON CONFLICT clause of an insertMany; the same words in both dialects. */
export function conflictClause(onConflict: InsertMany['onConflict']): string {
  if (onConflict === undefined) return ''
  if (onConflict === 'ignore') return ' ON CONFLICT DO NOTHING'
  const set = onConflict.update.map((name) => `${quoted(name)} = excluded.${quoted(name)}`)
  return ` ON CONFLICT (${quotedList(onConflict.keys)}) DO UPDATE SET ${set.join(', ')}`
}
