/** The process that reads rows of Parquet files, page by page: a file that breaks its reader breaks this process alone. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { jsonRows } from '../queries/json-rows.ts'

export interface ReadRows {
  columns: { name: string; type: string }[]
  rows: unknown[][]
}

export interface RowsQuestion {
  /** A statement of the station's own. */
  sql: string
  /** Nothing outside of it is opened. */
  folder: string
}

export type RowsAnswer = { read: ReadRows } | { problem: string }

const MEMORY_MB = 256
/** A process that has read nothing has this much already, and pages of rows take some. */
const BARE_MB = 500
const LOOK_EVERY_MS = 100
const MB = 1024 * 1024

let opening: Promise<DuckDBConnection> | null = null

async function read({ sql, folder }: RowsQuestion): Promise<ReadRows> {
  const connection = await (opening ??= openConnection(folder))
  const reader = await connection.runAndReadAll(sql)
  const types = reader.columnTypes().map(String)
  const columns = reader.columnNames().map((name, i) => ({ name, type: types[i]! }))
  return { columns, rows: jsonRows(reader.getRowsJson(), types) }
}

/** The library is large: most stations are never asked. */
async function openConnection(folder: string): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${MEMORY_MB}MB`,
    threads: '1',
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run(`SET allowed_directories = ['${folder.replaceAll("'", "''")}/']`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
  return connection
}

/** DuckDB keeps to its own limit where it counts; a file may name sizes that it does not count. */
function watchMemory(): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > (MEMORY_MB + BARE_MB) * MB) process.exit(1)
  }, LOOK_EVERY_MS).unref()
}

if (import.meta.main) {
  process.once('disconnect', () => process.exit(1))
  watchMemory()
  process.on('message', (question: RowsQuestion) => {
    read(question).then(
      (found) => process.send!({ read: found } satisfies RowsAnswer),
      (error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error)
        process.send!({ problem } satisfies RowsAnswer)
      },
    )
  })
  process.send!({ isReady: true })
}
