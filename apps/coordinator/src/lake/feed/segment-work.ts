/**
 * Writes rows to a Parquet file, and rewrites files without some of their rows. Runs in its own
 * thread.
 */
import { registrableDomainOf } from '@minga/net'
import type { Column } from '@minga/lake'
import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import type { Cell } from './feed-tables.ts'
import { linkRows, requestRows, type Packed } from './packed-rows.ts'

/** Rows as they are in the store, or packed; `form` says how they become rows of the table. */
export interface WriteJob {
  job: 'write'
  form: 'plain' | 'captures' | 'links' | 'requests'
  columns: readonly Column[]
  rows: readonly (readonly Cell[])[]
  packed: readonly Packed[]
  path: string
}

/** The same files without the rows that are to be purged. */
export interface SiftJob {
  job: 'sift'
  files: readonly { path: string; siftedPath: string }[]
  purged: { columns: readonly Column[]; rows: readonly (readonly Cell[])[] }
  /** SQL over a row `r` of the files and a row `d` of what is to be purged. */
  condition: string
}

export interface Sifted {
  path: string
  rows: number
}

const CHUNK_ROWS = 2_048

export async function writeRows(connection: DuckDBConnection, job: WriteJob): Promise<number> {
  const rows = await fillTable(connection, 'rows_in', job.columns, formed(job))
  await copyOut(connection, `SELECT ${job.columns.map(outSql).join(', ')} FROM rows_in`, job.path)
  return rows
}

function* formed({ form, rows, packed }: WriteJob): Generator<readonly Cell[]> {
  if (form === 'links') for (const batch of packed) yield* linkRows(batch)
  else if (form === 'requests') for (const batch of packed) yield* requestRows(batch)
  else if (form === 'plain') yield* rows
  else for (const row of rows) yield withDomain(row)
}

/** After the host, which may have a port. */
function withDomain(row: readonly Cell[]): readonly Cell[] {
  const host = row[3] as string | null
  const domain = host === null ? null : registrableDomainOf(host.replace(/:\d+$/, ''))
  return row.toSpliced(4, 0, domain)
}

/** Finds the files that hold rows to purge, and rewrites them. */
export async function siftRows(connection: DuckDBConnection, job: SiftJob): Promise<Sifted[]> {
  await fillTable(connection, 'purged', job.purged.columns, job.purged.rows)
  const purged = job.purged.columns.map(outSql).join(', ')
  await connection.run(`CREATE VIEW purged_rows AS SELECT ${purged} FROM purged`)
  const sifted: Sifted[] = []
  for (const { path, siftedPath } of job.files) {
    const from = `FROM read_parquet(${text(path)}, hive_partitioning = false) r`
    const isPurged = `EXISTS (SELECT 1 FROM purged_rows d WHERE ${job.condition})`
    const found = await connection.runAndReadAll(`SELECT 1 ${from} WHERE ${isPurged} LIMIT 1`)
    if (found.currentRowCount === 0) continue
    const select = `SELECT * ${from} WHERE NOT ${isPurged}`
    const count = await connection.runAndReadAll(`SELECT count(*) ${from} WHERE NOT ${isPurged}`)
    const rows = Number(count.getRows()[0]![0])
    if (rows > 0) await copyOut(connection, select, siftedPath)
    sifted.push({ path, rows })
  }
  return sifted
}

async function copyOut(connection: DuckDBConnection, select: string, path: string): Promise<void> {
  await connection.run(`COPY (${select}) TO ${text(path)} (FORMAT parquet, COMPRESSION zstd)`)
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const name = (value: string): string => `"${value.replaceAll('"', '""')}"`

/** Times come as numbers. */
const inType = (type: string): string => (type === 'TIMESTAMP' ? 'BIGINT' : type)
const outSql = ({ name: column, type }: Column): string =>
  type === 'TIMESTAMP' ? `epoch_ms(${name(column)}) AS ${name(column)}` : name(column)

async function fillTable(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
): Promise<number> {
  const declared = columns.map((column) => `${name(column.name)} ${inType(column.type)}`)
  await connection.run(`CREATE TABLE ${table} (${declared.join(', ')})`)
  const { DuckDBDataChunk } = await import('@duckdb/node-api')
  const forms = await Promise.all(columns.map(({ type }) => formOf(inType(type))))
  const appender = await connection.createAppender(table)
  let count = 0
  const append = (some: (readonly Cell[])[]): void => {
    const types = forms.map(({ type }) => type)
    const chunk = DuckDBDataChunk.create(types, some.length)
    chunk.setColumns(forms.map(({ of }, i) => some.map((row) => of(row[i] ?? null))))
    appender.appendDataChunk(chunk)
    count += some.length
  }
  let waiting: (readonly Cell[])[] = []
  for (const row of rows) {
    if (waiting.push(row) < CHUNK_ROWS) continue
    append(waiting)
    waiting = []
  }
  if (waiting.length > 0) append(waiting)
  appender.flushSync()
  appender.closeSync()
  return count
}

interface ColumnForm {
  type: DuckDBType
  of: (cell: Cell) => DuckDBValue
}

async function formOf(type: string): Promise<ColumnForm> {
  const { BIGINT, BOOLEAN, DOUBLE, INTEGER, LIST, listValue, VARCHAR } =
    await import('@duckdb/node-api')
  const asIs = (cell: Cell): DuckDBValue => cell as DuckDBValue
  if (type === 'BIGINT') {
    return {
      type: BIGINT,
      of: (cell) => (cell === null ? null : BigInt(Math.round(cell as number))),
    }
  }
  if (type === 'VARCHAR[]') {
    const listOf = (cell: Cell): DuckDBValue => (cell === null ? null : listValue(cell as string[]))
    return { type: LIST(VARCHAR), of: listOf }
  }
  if (type === 'INTEGER') return { type: INTEGER, of: asIs }
  if (type === 'DOUBLE') return { type: DOUBLE, of: asIs }
  return type === 'BOOLEAN' ? { type: BOOLEAN, of: asIs } : { type: VARCHAR, of: asIs }
}
