/** Rows of Parquet files, for people who watch: with statements of our own only, in a DuckDB of this process. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ResultFormat } from '@minga/protocol'
import { jsonRows } from './json-rows.ts'

export interface ReadRows {
  columns: { name: string; type: string }[]
  rows: unknown[][]
}

const MEMORY_MB = 256

export interface ResultPage {
  format: ResultFormat
  columns: readonly string[]
  skip: number
  most: number
}

function typesOf(columns: readonly string[], type: string): string {
  const types = columns.map((name) => `'${name.replaceAll("'", "''")}': '${type}'`)
  return `{${types.join(', ')}}`
}

/** Of a field of JSON, which DuckDB gives as the text it is. */
const valueIn = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : text)

export class RowsReader {
  #opening: Promise<DuckDBConnection> | null = null

  /** Some rows of a file, in its order. */
  ofFile(
    path: string,
    { columns, skip, most }: { columns: readonly string[]; skip: number; most: number },
  ): Promise<ReadRows> {
    const names = columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ')
    const file = `read_parquet('${path.replaceAll("'", "''")}', file_row_number = true)`
    // By its number, not by OFFSET: whole parts of the file are skipped unread.
    return this.#run(
      `SELECT ${names} FROM ${file} WHERE file_row_number >= ${skip} ORDER BY file_row_number LIMIT ${most}`,
    )
  }

  /** Some rows of a result, in the order in which its file has them. Of CSV all values are texts. */
  async ofResult(path: string, { format, columns, skip, most }: ResultPage): Promise<ReadRows> {
    if (format === 'parquet') return this.ofFile(path, { columns, skip, most })
    const file = `'${path.replaceAll("'", "''")}'`
    const page = `LIMIT ${most} OFFSET ${skip}`
    if (format === 'csv') {
      const dialect = `header = true, auto_detect = false, delim = ',', quote = '"', escape = '"'`
      const types = typesOf(columns, 'VARCHAR')
      return this.#run(`FROM read_csv(${file}, ${dialect}, columns = ${types}) ${page}`)
    }
    const types = typesOf(columns, 'JSON')
    const read = `read_json(${file}, format = 'newline_delimited', columns = ${types})`
    const said = await this.#run(`FROM ${read} ${page}`)
    return { ...said, rows: said.rows.map((row) => row.map(valueIn)) }
  }

  ofSelect(select: string, { skip, most }: { skip: number; most: number }): Promise<ReadRows> {
    return this.#run(`FROM (${select}) LIMIT ${most} OFFSET ${skip}`)
  }

  async close(): Promise<void> {
    const connection = await this.#opening
    connection?.closeSync()
  }

  async #run(sql: string): Promise<ReadRows> {
    const connection = await (this.#opening ??= openConnection())
    const reader = await connection.runAndReadAll(sql)
    const types = reader.columnTypes().map(String)
    const columns = reader.columnNames().map((name, i) => ({ name, type: types[i]! }))
    return { columns, rows: jsonRows(reader.getRowsJson(), types) }
  }
}

/** The library is large: most stations are never asked. */
async function openConnection(): Promise<DuckDBConnection> {
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
  return connection
}
