/** The SQL interface over `node:sqlite`. Nothing in here waits: the promises are already settled. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { BlobTransaction } from './blobs.ts'
import {
  ConstraintBroken,
  DiskFull,
  StoreDamaged,
  StoreLocked,
  StoreUnavailable,
} from './errors.ts'
import {
  conflictClause,
  quoted,
  quotedList,
  type BlobLocation,
  type DeleteMany,
  type InsertMany,
  type InsertNew,
  type Row,
  type SelectMany,
  type Sql,
  type UpdateMany,
  type Value,
} from './sql.ts'

/** Operations use a few hundred texts; more means that values are written into SQL. */
const MAX_STATEMENTS = 1000

export class SqliteSql implements Sql {
  readonly dialect = 'sqlite'
  readonly forUpdateSkipLocked = ''
  readonly #db: DatabaseSync
  readonly #folder: string
  readonly #statements = new Map<string, StatementSync>()
  #blobs: BlobTransaction | undefined
  #failure: unknown
  #isWiping = false
  #isJournalWiped = false

  constructor(db: DatabaseSync, folder: string) {
    this.#db = db
    this.#folder = folder
  }

  /** Appends go to this from now on. */
  use(blobs: BlobTransaction | undefined): void {
    this.#blobs = blobs
  }

  /** The first failed statement since the last asking: its call must fail whatever it caught. */
  takeFailure(): unknown {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  async all<R>(sql: string, params: Row = []): Promise<R[]> {
    return this.#attempt(() => this.#prepare(sql).all(...(params as Value[])) as R[])
  }

  async get<R>(sql: string, params: Row = []): Promise<R | undefined> {
    return this.#attempt(() => this.#prepare(sql).get(...(params as Value[])) as R | undefined)
  }

  async run(sql: string, params: Row = []): Promise<number> {
    return this.#attempt(() => Number(this.#prepare(sql).run(...(params as Value[])).changes))
  }

  async insertMany(query: InsertMany): Promise<number> {
    return this.#changes(insertInto(query) + conflictClause(query.onConflict), query.rows)
  }

  async insertNew(query: InsertNew): Promise<boolean[]> {
    const conflict = ` ON CONFLICT (${quotedList(query.keys)}) DO NOTHING`
    return this.#attempt(() => {
      const statement = this.#prepare(insertInto(query) + conflict)
      return query.rows.map((row) => statement.run(...(row as Value[])).changes === 1)
    })
  }

  async updateMany(query: UpdateMany): Promise<number> {
    // The numbers let a row give its keys first, although SET comes before WHERE.
    const set = query.set.map((name, i) => `${quoted(name)} = ?${query.keys.length + i + 1}`)
    const where = query.keys.map((name, i) => `${quoted(name)} = ?${i + 1}`)
    if (query.where !== undefined) where.push(`(${query.where})`)
    const sql = `UPDATE ${quoted(query.table)} SET ${set.join(', ')} WHERE ${where.join(' AND ')}`
    return this.#changes(sql, query.rows)
  }

  async deleteMany(query: DeleteMany): Promise<number> {
    return this.#changes(
      `DELETE FROM ${quoted(query.table)} WHERE ${match(query.keys)}`,
      query.rows,
    )
  }

  async selectMany<R>(query: SelectMany): Promise<(R | undefined)[]> {
    const columns = quotedList(query.columns)
    const sql = `SELECT ${columns} FROM ${quoted(query.table)} WHERE ${match(query.keys)}`
    return this.#attempt(() => {
      const statement = this.#prepare(sql)
      return query.rows.map((row) => statement.get(...(row as Value[])) as R | undefined)
    })
  }

  async append(series: string, chunks: readonly Uint8Array[]): Promise<BlobLocation> {
    return this.#attempt(() => {
      if (!this.#blobs) throw new TypeError('Bytes are appended inside a call only.')
      return this.#blobs.append(series, chunks)
    })
  }

  async wipe({ keepsJournal = false } = {}): Promise<void> {
    this.#isJournalWiped ||= !keepsJournal
    if (this.#isWiping) return
    this.#isWiping = true
    this.#attempt(() => this.#db.exec('PRAGMA secure_delete = ON'))
  }

  /** When a transaction has ended: the journal still holds pages as they were. */
  endWiping(): void {
    if (!this.#isWiping) return
    this.#isWiping = false
    const emptying = this.#isJournalWiped ? '; PRAGMA wal_checkpoint(TRUNCATE)' : ''
    this.#isJournalWiped = false
    try {
      this.#db.exec(`PRAGMA secure_delete = FAST${emptying}`)
    } catch {
      // What was committed stays so; the next checkpoint empties the journal.
    }
  }

  #changes(sql: string, rows: readonly Row[]): number {
    return this.#attempt(() => {
      const statement = this.#prepare(sql)
      let changes = 0
      for (const row of rows) changes += statement.run(...(row as Value[])).changes as number
      return changes
    })
  }

  #prepare(sql: string): StatementSync {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #attempt<R>(work: () => R): R {
    try {
      return work()
    } catch (error) {
      const meaning = fromSqliteError(error, this.#folder)
      this.#failure ??= meaning
      throw meaning
    }
  }
}

function insertInto(query: { table: string; columns: readonly string[] }): string {
  const marks = query.columns.map(() => '?').join(', ')
  return `INSERT INTO ${quoted(query.table)} (${quotedList(query.columns)}) VALUES (${marks})`
}

const match = (keys: readonly string[]): string =>
  keys.map((name) => `${quoted(name)} = ?`).join(' AND ')

/** Primary result codes, https://sqlite.org/rescode.html; extended ones carry them in the low byte. */
const SQLITE = {
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
  notadb: 26,
} as const

/** What an error of SQLite means for the store; other errors come back unchanged. */
export function fromSqliteError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  switch (Number(error.errcode) & 0xff) {
    case SQLITE.full:
      return DiskFull.at(folder)
    case SQLITE.corrupt:
    case SQLITE.notadb:
      return StoreDamaged.because(`${folder}/minga.db`, error.message)
    case SQLITE.busy:
    case SQLITE.locked:
      return StoreLocked.folder(folder)
    case SQLITE.constraint:
      return ConstraintBroken.rule(error.message)
    case SQLITE.ioerr:
    case SQLITE.cantopen:
    case SQLITE.readonly:
      return StoreUnavailable.because(`${folder}/minga.db: ${error.message}`)
    default:
      return error
  }
}
