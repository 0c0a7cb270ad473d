/**
 * Answers one SQL query with a separate DuckDB, which knows tables only as views of their files,
 * may touch no other file and cannot be configured otherwise. Its working directory is the lake's
 * folder, to which names of files are relative.
 */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ResultFormat } from '@minga/protocol'
import { jsonRows } from '../queries/json-rows.ts'
import { problemOfSql, tablesIn, type SerializedSql } from './sql-check.ts'

export interface SqlTask {
  sql: string
  format: ResultFormat | 'json'
  /** Names and the SELECT over the files of each table, by paths from the lake's folder. */
  views: { name: string; select: string }[]
  /** The files of those tables: nothing else can be read. */
  files: string[]
  /** A folder of its own, by its path from the lake's or from the root. */
  work: string
  rowsMax: number
  bytesMax: number
  memoryMb: number
  threads: number
}

/** The process knows its folder before it is asked. */
export type SqlQuestionTask = Omit<SqlTask, 'work'>

export type SqlTaskAnswer =
  | { file: string; bytes: number }
  | { problem: string }
  | { over: 'rows' | 'bytes' | 'memory' }

const MB = 1024 * 1024

export const answerFile = (work: string, format: string): string => join(work, `answer.${format}`)

export async function answerSql(question: SqlTask): Promise<SqlTaskAnswer> {
  const connection = await open(question)
  const parsed = await parse(connection, question.sql)
  const problem = problemOfSql(parsed)
  if (problem !== null) return { problem }
  await close(connection, question, tablesIn(parsed))
  const out = answerFile(question.work, question.format)
  // What ends it may stand behind the last line, which may be a comment.
  const asked = `FROM (${question.sql.replaceAll(/^[;\s]+|[;\s]+$/g, '')}\n)`
  const rows =
    question.format === 'json'
      ? await writeJson(connection, asked, { out, rowsMax: question.rowsMax })
      : await copy(connection, asked, { ...question, out })
  if (question.format !== 'json' && rows > question.rowsMax) return { over: 'rows' }
  const bytes = statSync(out).size
  return bytes > question.bytesMax ? { over: 'bytes' } : { file: out, bytes }
}

async function open({ work, memoryMb, threads, bytesMax }: SqlTask): Promise<DuckDBConnection> {
  // The coordinator loads this file for the path of the answer, and DuckDB never.
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: join(work, 'spill'),
    max_temp_directory_size: `${Math.ceil(bytesMax / MB)}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  return instance.connect()
}

async function parse(connection: DuckDBConnection, sql: string): Promise<SerializedSql> {
  const said = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  return JSON.parse(String(said.getRows()[0]![0])) as SerializedSql
}

/**
 * Creates the views that it uses, which costs a read of every one of their files, and locks the
 * configuration.
 */
async function close(
  connection: DuckDBConnection,
  { views, files, work }: SqlTask,
  asked: ReadonlySet<string> | null,
): Promise<void> {
  for (const { name, select } of views) {
    if (asked === null || asked.has(name))
      await connection.run(`CREATE VIEW "${name}" AS ${select}`)
  }
  const paths = files.map((file) => `'${file.replaceAll("'", "''")}'`)
  await connection.run(`SET allowed_paths = [${paths.join(', ')}]`)
  await connection.run(`SET allowed_directories = ['${work}/']`)
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
}

async function writeJson(
  connection: DuckDBConnection,
  asked: string,
  { out, rowsMax }: { out: string; rowsMax: number },
): Promise<number> {
  const reader = await connection.streamAndReadUntil(`${asked} LIMIT ${rowsMax + 1}`, rowsMax + 1)
  const types = reader.columnTypes().map(String)
  const rows = jsonRows(reader.getRowsJson(), types)
  const columns = reader.columnNames().map((name, i) => ({ name, type: types[i]! }))
  const isCut = rows.length > rowsMax
  writeFileSync(out, JSON.stringify({ columns, rows: rows.slice(0, rowsMax), isCut }))
  return rows.length
}

const COPY_OPTIONS: Record<ResultFormat, string> = {
  csv: 'FORMAT csv, HEADER',
  jsonl: 'FORMAT json',
  parquet: 'FORMAT parquet, COMPRESSION zstd',
}

async function copy(
  connection: DuckDBConnection,
  asked: string,
  { format, rowsMax, out }: Pick<SqlTask, 'rowsMax'> & { format: string; out: string },
): Promise<number> {
  const options = COPY_OPTIONS[format as ResultFormat]
  const done = await connection.run(`COPY (${asked} LIMIT ${rowsMax + 1}) TO '${out}' (${options})`)
  return Number((await done.getRows())[0]![0])
}
