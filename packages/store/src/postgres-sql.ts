/** The SQL interface over one PostgreSQL transaction. Bulk verbs are one statement over arrays. */
import type { ClientBase, QueryResult } from 'pg'
import type { BlobTransaction } from './blobs.ts'
import { StoreMisused } from './errors.ts'
import { fromPostgresError } from './postgres-errors.ts'
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

/** Named statements live in every connection's memory on the server; beyond this they are unnamed. */
const MAX_STATEMENTS = 1000

/** What all transactions of a store have in common. */
export class PostgresCatalog {
  readonly #statements = new Map<string, { name?: string; text: string }>()
  #columns = new Map<string, string>()

  /** The statement with `$1` for `?`, and a name under which connections keep it prepared. */
  statement(sql: string): { name?: string; text: string } {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const text = withNumberedParameters(sql)
    if (this.#statements.size >= MAX_STATEMENTS) return { text }
    const statement = { name: `minga_${this.#statements.size}`, text }
    this.#statements.set(sql, statement)
    return statement
  }

  async typesOf(client: ClientBase, table: string, names: readonly string[]): Promise<string[]> {
    const isKnown = (name: string): boolean => this.#columns.has(`${table}.${name}`)
    if (!names.every(isKnown)) await this.#readColumns(client)
    return names.map((name) => {
      const type = this.#columns.get(`${table}.${name}`)
      if (type === undefined) throw new StoreMisused(`There is no column ${table}.${name}.`)
      return type
    })
  }

  async #readColumns(client: ClientBase): Promise<void> {
    const { rows } = await client.query<{ place: string; type: string }>(`
      SELECT c.relname || '.' || a.attname AS place, format_type(a.atttypid, NULL) AS type
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE pg_table_is_visible(c.oid) AND c.relkind IN ('r', 'p')
        AND a.attnum > 0 AND NOT a.attisdropped
        AND c.relnamespace <> 'pg_catalog'::regnamespace`)
    this.#columns = new Map(rows.map((row) => [row.place, row.type]))
  }
}

/** `?` to `$1`, `$2`, … outside of strings, quoted names and comments. */
export function withNumberedParameters(sql: string): string {
  let count = 0
  const parts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g
  return sql.replace(parts, (part) => (part === '?' ? `$${++count}` : part))
}

export class PostgresSql implements Sql {
  readonly dialect = 'postgres'
  readonly forUpdateSkipLocked = ' FOR UPDATE SKIP LOCKED'
  readonly #client: ClientBase
  readonly #catalog: PostgresCatalog
  readonly #blobs: BlobTransaction
  /** The first failed statement: PostgreSQL refuses everything after it. */
  failure: unknown

  constructor(client: ClientBase, catalog: PostgresCatalog, blobs: BlobTransaction) {
    this.#client = client
    this.#catalog = catalog
    this.#blobs = blobs
  }

  async wipe(): Promise<void> {}

  async all<R>(sql: string, params: Row = []): Promise<R[]> {
    return (await this.#query(sql, params)).rows as R[]
  }

  async get<R>(sql: string, params: Row = []): Promise<R | undefined> {
    return (await this.#query(sql, params)).rows[0] as R | undefined
  }

  async run(sql: string, params: Row = []): Promise<number> {
    return (await this.#query(sql, params)).rowCount ?? 0
  }

  async insertMany(query: InsertMany): Promise<number> {
    const { onConflict } = query
    // One statement may not update a row twice; SQLite, going row by row, may.
    const rounds =
      onConflict === undefined || onConflict === 'ignore'
        ? [query.rows]
        : roundsWithoutRepeats(query.rows, positions(query.columns, onConflict.keys))
    let changes = 0
    for (const rows of rounds) {
      const source = await this.#source({ ...query, rows })
      const sql = `INSERT INTO ${quoted(query.table)} (${quotedList(query.columns)}) SELECT * FROM ${source.sql}`
      changes += await this.#change(sql + conflictClause(onConflict), source.arrays)
    }
    return changes
  }

  async insertNew(query: InsertNew): Promise<boolean[]> {
    if (query.rows.length === 0) return []
    const { table, columns, keys } = query
    const place = positions(columns, keys)
    const source = await this.#source({ ...query, rows: inLockingOrder(query.rows, place) })
    const sql = `INSERT INTO ${quoted(table)} (${quotedList(columns)}) SELECT * FROM ${source.sql}
      ON CONFLICT (${quotedList(keys)}) DO NOTHING RETURNING ${quotedList(keys)}`
    const rows = await this.#queryArrays(sql, source.arrays)
    const everyKey = keys.map((_, index) => index)
    const inserted = new Set(rows.map((row) => identity(row, everyKey)))
    // A key with NULL in it conflicts with nothing, so such a row is always new.
    return query.rows.map((row) => {
      const key = identity(row, place)
      return key === undefined || inserted.delete(key)
    })
  }

  async updateMany(query: UpdateMany): Promise<number> {
    const { table, keys, set } = query
    const columns = [...keys, ...set]
    const assign = set.map((name, i) => `${quoted(name)} = given.c${keys.length + i}`)
    const extra = query.where === undefined ? '' : ` AND (${query.where})`
    let changes = 0
    for (const rows of roundsWithoutRepeats(query.rows, positions(columns, keys))) {
      const source = await this.#source({ table, columns, rows })
      const sql = `UPDATE ${quoted(table)} AS t SET ${assign.join(', ')} FROM ${source.sql} WHERE ${match(keys)}${extra}`
      changes += await this.#change(sql, source.arrays)
    }
    return changes
  }

  async deleteMany(query: DeleteMany): Promise<number> {
    const { table, keys, rows } = query
    const source = await this.#source({ table, columns: keys, rows })
    const sql = `DELETE FROM ${quoted(table)} AS t USING ${source.sql} WHERE ${match(keys)}`
    return this.#change(sql, source.arrays)
  }

  async selectMany<R>(query: SelectMany): Promise<(R | undefined)[]> {
    const { table, keys, rows, columns } = query
    const found: (R | undefined)[] = rows.map(() => undefined)
    if (rows.length === 0) return found
    const source = await this.#source({ table, columns: keys, rows, numbered: true })
    const wanted = columns.map((name) => `t.${quoted(name)}`).join(', ')
    const sql = `SELECT given.n, ${wanted} FROM ${source.sql} JOIN ${quoted(table)} AS t ON ${match(keys)}`
    for (const [number, ...values] of await this.#queryArrays(sql, source.arrays)) {
      const row = Object.fromEntries(columns.map((name, i) => [name, values[i]]))
      found[Number(number) - 1] = row as R
    }
    return found
  }

  async append(series: string, chunks: readonly Uint8Array[]): Promise<BlobLocation> {
    try {
      return this.#blobs.append(series, chunks)
    } catch (error) {
      this.failure ??= error
      throw error
    }
  }

  /** Rows as a table `given(c0, c1, …)` made of one array per column. */
  async #source(query: {
    table: string
    columns: readonly string[]
    rows: readonly Row[]
    numbered?: boolean
  }): Promise<{ sql: string; arrays: Value[][] }> {
    const types = await this.#attempt(() =>
      this.#catalog.typesOf(this.#client, query.table, query.columns),
    )
    const parameters = types.map((type) => `?::${type}[]`).join(', ')
    const names = types.map((_, index) => `c${index}`)
    const ordinality = query.numbered ? ' WITH ORDINALITY' : ''
    if (query.numbered) names.push('n')
    return {
      sql: `unnest(${parameters})${ordinality} AS given(${names.join(', ')})`,
      arrays: types.map((_, index) => query.rows.map((row) => row[index] ?? null)),
    }
  }

  async #change(sql: string, arrays: Value[][]): Promise<number> {
    if (arrays[0]?.length === 0) return 0
    return (await this.#query(sql, arrays)).rowCount ?? 0
  }

  #query(sql: string, values: readonly (Value | Value[])[]): Promise<QueryResult> {
    const query = { ...this.#catalog.statement(sql), values: [...values] }
    return this.#attempt(() => this.#client.query(query))
  }

  async #queryArrays(sql: string, arrays: Value[][]): Promise<Value[][]> {
    const query = { ...this.#catalog.statement(sql), values: arrays, rowMode: 'array' as const }
    return (await this.#attempt(() => this.#client.query<Value[]>(query))).rows
  }

  async #attempt<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work()
    } catch (error) {
      const meaning = fromPostgresError(error)
      this.failure ??= meaning
      throw meaning
    }
  }
}

const match = (keys: readonly string[]): string =>
  keys.map((name, index) => `t.${quoted(name)} = given.c${index}`).join(' AND ')

const positions = (columns: readonly string[], names: readonly string[]): number[] =>
  names.map((name) => columns.indexOf(name))

/** A key as one string, as the database compares it; undefined when a part is NULL. */
function identity(row: Row, place: readonly number[]): string | undefined {
  const parts: string[] = []
  for (const index of place) {
    const value = row[index] ?? null
    if (value === null) return undefined
    // Lone surrogates become U+FFFD on their way to the server.
    const text =
      value instanceof Uint8Array
        ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
        : String(value).toWellFormed()
    parts.push(`${text.length}:${text}`)
  }
  return parts.join('')
}

/**
 * Cuts rows so that no key repeats within a round and order is kept between rounds: statements
 * over the rounds then do what going row by row would. Almost always there is one round.
 */
function roundsWithoutRepeats(rows: readonly Row[], place: readonly number[]): Row[][] {
  const rounds: Row[][] = []
  const seen = new Map<string, number>()
  for (const row of rows) {
    const key = identity(row, place)
    const round = key === undefined ? 0 : (seen.get(key) ?? 0)
    if (key !== undefined) seen.set(key, round + 1)
    const list = rounds[round]
    if (list) list.push(row)
    else rounds.push([row])
  }
  return rounds.map((round) => inLockingOrder(round, place))
}

/** Everyone locks rows in the same order, so that bulk verbs seldom deadlock (a second each). */
function inLockingOrder(rows: readonly Row[], place: readonly number[]): Row[] {
  const keyed = rows.map((row) => ({ row, key: identity(row, place) ?? '' }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return keyed.map(({ row }) => row)
}
