/** A table as a Parquet file, which every tool of data reads. */
import { duckDbLibrary, openDuckDb, sqlList, sqlText } from '../revisions/duckdb.ts'
import {
  attributedRows,
  columnsOf,
  type ExportColumn,
  type ExportKind,
  type ExportRow,
  type ExportTable,
  type ExportValue,
} from './export-table.ts'

const TYPES: Record<ExportKind, string> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  flag: 'BOOLEAN',
  time: 'TIMESTAMP',
  list: 'VARCHAR[]',
}

const MEMORY_MB = 256
/** Rows in memory at a time: they become a file, and the files one at the end. */
const PART_ROWS = 50_000

export interface ParquetTarget {
  file: string
  /** A folder for files in progress; the caller removes it. */
  partsFolder: string
}

/** Resolves to the number of rows; the file is there when it is whole. */
export async function writeParquet(
  table: ExportTable,
  { file, partsFolder }: ParquetTarget,
): Promise<number> {
  const limits = { memoryMb: MEMORY_MB, threads: 1, spillFolder: `${partsFolder}/spill` }
  const duckDb = await openDuckDb(limits)
  try {
    const { parts, rows } = await writeParts(duckDb.connection, table, partsFolder)
    const { source, licence } = table.attribution
    await duckDb.connection.run(
      `COPY (FROM read_parquet(${sqlList(parts)})) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION zstd,
        KV_METADATA {source: ${sqlText(source)}, licence: ${sqlText(licence ?? '')}})`,
    )
    return rows
  } finally {
    duckDb.close()
  }
}

type Connection = Awaited<ReturnType<typeof openDuckDb>>['connection']

/** At least one, so that a table without rows has its columns. */
async function writeParts(
  connection: Connection,
  table: ExportTable,
  folder: string,
): Promise<{ parts: string[]; rows: number }> {
  const columns = columnsOf(table)
  const described = columns.map(({ name, kind }) => `${quoted(name)} ${TYPES[kind]}`)
  await connection.run(`CREATE TABLE rows (${described.join(', ')})`)
  const source = attributedRows(table)
  const parts: string[] = []
  let rows = 0
  for (;;) {
    const appended = await appendRows(connection, columns, source)
    rows += appended
    if (appended === 0 && parts.length > 0) return { parts, rows }
    const part = `${folder}/${parts.length}.part`
    await connection.run(`COPY rows TO ${sqlText(part)} (FORMAT parquet, COMPRESSION zstd)`)
    await connection.run('TRUNCATE rows')
    parts.push(part)
  }
}

/** As many as belong together; resolves to how many there were. */
async function appendRows(
  connection: Connection,
  columns: readonly ExportColumn[],
  source: AsyncGenerator<ExportRow>,
): Promise<number> {
  const append = await valueAppender(connection)
  let rows = 0
  while (rows < PART_ROWS) {
    const next = await source.next()
    if (next.done) break
    for (const { name, kind } of columns) append.value(next.value[name] ?? null, kind)
    append.endRow()
    rows += 1
  }
  append.close()
  return rows
}

async function valueAppender(connection: Connection) {
  const { LIST, timestampValue, VARCHAR } = await duckDbLibrary()
  const appender = await connection.createAppender('rows')
  const value = (given: ExportValue, kind: ExportKind): void => {
    if (given === null) appender.appendNull()
    else if (kind === 'integer') appender.appendBigInt(BigInt(Number(given)))
    else if (kind === 'number') appender.appendDouble(Number(given))
    else if (kind === 'flag') appender.appendBoolean(Boolean(given))
    else if (kind === 'time')
      appender.appendTimestamp(timestampValue(BigInt(Number(given)) * 1000n))
    else if (kind === 'list')
      appender.appendList(Array.isArray(given) ? given : [String(given)], LIST(VARCHAR))
    else appender.appendVarchar(String(given))
  }
  return { value, endRow: () => appender.endRow(), close: () => appender.closeSync() }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
