/** Others who answer the five questions, each as a process of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BooksFacts } from '@minga/lake'
import { measure, type Measured } from './measured-process.ts'
import { installPeer, peerFolder } from './peers.ts'
import { fromCsv, MACROS, NAMES, STATEMENTS, type Relations } from './query-statements.ts'

const TIMEOUT_MS = 60 * 60_000

type Files = Pick<BooksFacts, 'booksPath' | 'reviewsPath'>

/** Five statements, each from the files. */
export function duckDbFromCsv({ booksPath, reviewsPath }: Files, out: string): Promise<Measured> {
  return runDuckDb(out, [...relations('VIEW', fromCsv(booksPath, reviewsPath)), ...answers(out)])
}

/** The files become tables in its memory, once; then five statements. */
export function duckDbFromTables(
  { booksPath, reviewsPath }: Files,
  out: string,
): Promise<Measured> {
  return runDuckDb(out, [...relations('TABLE', fromCsv(booksPath, reviewsPath)), ...answers(out)])
}

/** The files become Parquet. */
export function duckDbImport({ booksPath, reviewsPath }: Files, out: string): Promise<Measured> {
  const copies = Object.entries(fromCsv(booksPath, reviewsPath)).map(
    ([name, sql]) => `COPY (${sql}) TO '${parquet(out, name)}' (FORMAT parquet, COMPRESSION zstd)`,
  )
  return runDuckDb(out, copies)
}

export function duckDbFromParquet(imported: string, out: string): Promise<Measured> {
  const read = (name: string): string => `FROM read_parquet('${parquet(imported, name)}')`
  const views = relations('VIEW', { books: read('books'), reviews: read('reviews') })
  return runDuckDb(out, [...views, ...answers(out)])
}

const parquet = (folder: string, name: string): string => join(folder, `${name}.parquet`)

const relations = (kind: 'TABLE' | 'VIEW', { books, reviews }: Relations): string[] => [
  `CREATE TEMP ${kind} books AS ${books}`,
  `CREATE TEMP ${kind} reviews AS ${reviews}`,
]

const answers = (out: string): string[] =>
  NAMES.map(
    (name) =>
      `COPY (${STATEMENTS[name]}) TO '${join(out, `${name}.csv`)}' (FORMAT csv, HEADER true)`,
  )

function runDuckDb(out: string, statements: readonly string[]): Promise<Measured> {
  mkdirSync(out, { recursive: true })
  const file = join(out, 'statements.json')
  writeFileSync(file, JSON.stringify([...MACROS, ...statements]))
  return runNode('query-duckdb-main.ts', [file, join(out, 'spill')])
}

export function sqliteFromCsv({ booksPath, reviewsPath }: Files, out: string): Promise<Measured> {
  mkdirSync(out, { recursive: true })
  return runNode('query-sqlite-main.ts', [booksPath, reviewsPath, out])
}

const POLARS = 'nodejs-polars'
const POLARS_VERSION = '0.26.1'

/** Why it takes no part, if so. */
export const preparePolars = (): string | null => installPeer(POLARS, POLARS_VERSION)

export function polarsFromCsv({ booksPath, reviewsPath }: Files, out: string): Promise<Measured> {
  mkdirSync(out, { recursive: true })
  return runNode('query-polars-main.ts', [booksPath, reviewsPath, out, peerFolder(POLARS)])
}

function runNode(module: string, args: readonly string[]): Promise<Measured> {
  const main = fileURLToPath(new URL(module, import.meta.url))
  return measure({
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', main, ...args],
    timeoutMs: TIMEOUT_MS,
  })
}
