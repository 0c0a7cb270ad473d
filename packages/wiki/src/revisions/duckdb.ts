/** DuckDB in this process: loaded when the first question or fold needs it, and kept within bounds. */
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

export interface DuckDbLimits {
  memoryMb: number
  threads: number
  /** Where sorts that do not fit in memory may write; null: nowhere. */
  spillFolder: string | null
}

export interface DuckDb {
  connection: DuckDBConnection
  /** For a second question at the same time. */
  connect(): Promise<DuckDBConnection>
  close(): void
}

/** The library is large: most programs that know wikis never ask it anything. */
export const duckDbLibrary = (): Promise<typeof import('@duckdb/node-api')> =>
  import('@duckdb/node-api')

export async function openDuckDb(limits: DuckDbLimits): Promise<DuckDb> {
  const { DuckDBInstance } = await duckDbLibrary()
  const instance: DuckDBInstance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${limits.memoryMb}MB`,
    threads: String(limits.threads),
    temp_directory: limits.spillFolder ?? '',
    // Nothing is fetched from anywhere: all that is needed is built in.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  return {
    connection,
    connect: () => instance.connect(),
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** A text as a constant of SQL: names of our own files, never input of a user. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const sqlList = (texts: readonly string[]): string => `[${texts.map(sqlText).join(', ')}]`
