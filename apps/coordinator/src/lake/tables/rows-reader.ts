/**
 * Rows of Parquet files, for people who watch, by statements of our own only. Workers wrote the files, and a broken one
 * may crash the native code that reads it: a process of its own does that (rows-process.ts), which stays for the next page.
 */
import { dirname } from 'node:path'
import { BadInput, type LakeFiles } from '@minga/lake'
import type { Clock, ResultFormat } from '@minga/protocol'
import { z } from 'zod'
import type { DuckDbRunner } from '../duckdb/runner.ts'
import { LastingProcess } from '../duckdb/run-process.ts'
import type { ReadRows, RowsAnswer, RowsQuestion } from './rows-process.ts'

export interface RowsReaderParts {
  files: Pick<LakeFiles, 'root'>
  runner: DuckDbRunner
  /** The machine's own: a process that hangs does so in real time. */
  clock: Pick<Clock, 'sleep'>
  closing: AbortSignal
}

/**
 * A page takes milliseconds, the last of a result of gigabytes some seconds. Others wait in the
 * meantime.
 */
const PAGE_MS = 30_000

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
  readonly #folder: string
  readonly #runner: DuckDbRunner
  readonly #child: LastingProcess<RowsQuestion, RowsAnswer>

  constructor({ files, runner, clock, closing }: RowsReaderParts) {
    this.#folder = files.root
    this.#runner = runner
    // A station that has no table yet has no folder of them either.
    const folder = dirname(files.root)
    this.#child = new LastingProcess({ runner, name: 'rows', folder, work: '', clock, closing })
  }

  /** Of the process that reads; null while there is none. */
  get pid(): number | null {
    return this.#child.pid
  }

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
      [path],
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
      return this.#run(`FROM read_csv(${file}, ${dialect}, columns = ${types}) ${page}`, [path])
    }
    const types = typesOf(columns, 'JSON')
    const read = `read_json(${file}, format = 'newline_delimited', columns = ${types})`
    const said = await this.#run(`FROM ${read} ${page}`, [path])
    return { ...said, rows: said.rows.map((row) => row.map(valueIn)) }
  }

  /** `files`: all that the statement reads. */
  ofSelect(
    select: string,
    { skip, most, files }: { skip: number; most: number; files: readonly string[] },
  ): Promise<ReadRows> {
    return this.#run(`FROM (${select}) LIMIT ${most} OFFSET ${skip}`, files)
  }

  async #run(sql: string, files: readonly string[]): Promise<ReadRows> {
    await this.#runner.share(files)
    const said = await this.#child.ask({ sql, folder: this.#folder }, PAGE_MS)
    if (said === 'late') {
      throw new BadInput(`Reading the rows took longer than ${PAGE_MS / 1_000} s.`)
    }
    if (said === 'dead') throw new BadInput('A file of these rows crashed its reader.')
    if ('problem' in said) {
      // What DuckDB says names paths of this machine, which concern no reader.
      throw new BadInput('A file of these rows cannot be read. Check that it is complete.', {
        cause: new Error(said.problem),
      })
    }
    return said.read
  }
}

export interface Cursor {
  upTo: number
  /** The number of the output that was read in part. */
  within: number | null
  /** How many rows of it. */
  rows: number
}

/**
 * How far a client has read the rows of a query: all of the outputs up to a number, and some of a
 * later one.
 */
export const cursorField = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,15}\.\d{1,15})?$/, 'must be what the station gave as `after`')

export function readCursor(text: string): Cursor {
  const [upTo = 0, within = null, rows = 0] = text.split('.').map(Number)
  return { upTo, within, rows }
}

export function writeCursor({ upTo, within, rows }: Cursor): string {
  return within === null ? `${upTo}` : `${upTo}.${within}.${rows}`
}
