/** The tables of `bench:query`. */
import type { BooksFacts } from '@minga/lake'
import type { Measured } from './measured-process.ts'
import type { MingaRun } from './query-minga.ts'
import type { Recovery } from './query-recovery.ts'
import { figure, markdownTable, quantile } from './report.ts'

export interface QueryRow {
  way: keyof typeof WAYS
  workers: number | null
  run: Omit<Measured, 'stdout'> & Partial<Pick<MingaRun, 'peakWorkerBytes'>>
}

export interface SizeFigures {
  size: number
  books: Pick<BooksFacts, 'books' | 'reviews' | 'bookBytes' | 'reviewBytes'>
  rows: readonly QueryRow[]
}

const WAYS = {
  'duckdb-csv': 'DuckDB from CSV, five statements',
  'duckdb-tables': 'DuckDB, CSV into tables once, five statements',
  sqlite: 'SQLite, CSV into tables once, five statements',
  polars: 'nodejs-polars, reviews folded in one pass, the rest in plain code',
  'minga-csv': '**Minga** from CSV',
  'minga-sentiment': '**Minga** from CSV, with sentiment',
  'duckdb-import': 'DuckDB, CSV to Parquet',
  'duckdb-parquet': 'DuckDB from Parquet, five statements',
  'minga-import': '**Minga**, `table import`, two commands',
  'minga-tables': '**Minga** from tables',
} as const

const MB = 1e6
const FROM_CSV = 1.5
const FROM_TABLES = 1.2
const WORKER_BYTES = 1024 ** 3
const RECOVERY_MS = 3_000

export function queryReport(
  sizes: readonly SizeFigures[],
  recoveries: readonly Recovery[],
): string {
  return [
    ...sizes.flatMap((size) => [sizeWords(size), sizeTable(size), sentimentWords(size)]),
    ...(recoveries.length === 0
      ? []
      : ['From SIGKILL of a worker to the next committed task:', recoveryTable(recoveries)]),
    'Against the targets:',
    targetTable(sizes, recoveries),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const sizeWords = ({ books: { books, reviews, bookBytes, reviewBytes } }: SizeFigures): string =>
  `${figure(reviews)} reviews (${figure(reviewBytes / MB)} MB) of ${figure(books)} books ` +
  `(${figure(bookBytes / MB)} MB):`

function sizeTable({ rows }: SizeFigures): string {
  const base = runOf(rows, 'duckdb-csv')
  return markdownTable(
    rows.map(({ way, workers, run }) => ({
      'who answers': WAYS[way],
      workers: workers === null ? '' : String(workers),
      s: figure(run.seconds),
      'of DuckDB from CSV': `${figure(run.seconds / (base?.seconds ?? Number.NaN))}×`,
      'CPU s': figure(run.cpuSeconds),
      'of its CPU': `${figure(run.cpuSeconds / (base?.cpuSeconds ?? Number.NaN))}×`,
      'peak MB': figure(Math.round(run.peakRssBytes / MB)),
      'a worker': run.peakWorkerBytes ? figure(Math.round(run.peakWorkerBytes / MB)) : '',
    })),
  )
}

function runOf(
  rows: readonly QueryRow[],
  way: QueryRow['way'],
  workers?: number,
): QueryRow['run'] | undefined {
  return rows.find((row) => row.way === way && (workers === undefined || row.workers === workers))
    ?.run
}

/** What reading moods costs, of all that a run costs: its share of processor time. */
function sentimentWords({ rows, books }: SizeFigures): string {
  const withMoods = runOf(rows, 'minga-sentiment')
  const without = runOf(rows, 'minga-csv', 2)
  if (withMoods === undefined || without === undefined) return ''
  const megabytes = (books.reviewBytes + books.bookBytes) / MB
  return (
    `With sentiment ${figure(megabytes / withMoods.cpuSeconds)} MB/s of a core, ` +
    `without ${figure(megabytes / without.cpuSeconds)}.`
  )
}

function recoveryTable(recoveries: readonly Recovery[]): string {
  return markdownTable(
    recoveries.map(({ workers, ms }) => ({
      workers: String(workers),
      kills: figure(ms.length),
      'p50 ms': quantile(ms, 0.5).toFixed(0),
      'p99 ms': quantile(ms, 0.99).toFixed(0),
      'worst ms': quantile(ms, 1).toFixed(0),
    })),
  )
}

type TargetRow = [target: string, measured: string, isMet: boolean]

/** The best count of workers is what a user would choose. */
function fastest(rows: readonly QueryRow[], way: QueryRow['way']): number {
  return Math.min(...rows.filter((row) => row.way === way).map(({ run }) => run.seconds))
}

function targetTable(sizes: readonly SizeFigures[], recoveries: readonly Recovery[]): string {
  const { rows = [], size } = sizes.at(-1) ?? {}
  const csv = runOf(rows, 'duckdb-csv')?.seconds ?? Number.NaN
  const parquet = runOf(rows, 'duckdb-parquet')?.seconds ?? Number.NaN
  const memory = Math.max(
    ...sizes.flatMap((one) => one.rows.map(({ run }) => run.peakWorkerBytes ?? 0)),
  )
  const recovery = Math.max(...recoveries.map(({ ms }) => quantile(ms, 0.99)))
  const ratio = (way: QueryRow['way'], to: number, most: number, words: string): TargetRow => {
    const times = fastest(rows, way) / to
    return [`at most ${most}× ${words}`, `${figure(times)}×`, times <= most]
  }
  const targets: TargetRow[] = [
    ratio('minga-csv', csv, FROM_CSV, `DuckDB from CSV, ${size} GB`),
    ratio('minga-tables', csv, FROM_TABLES, 'DuckDB from CSV, once imported'),
    ratio('minga-tables', parquet, FROM_TABLES, 'DuckDB from its own Parquet, once imported'),
    ['a worker at most 1 GiB', `${figure(Math.round(memory / MB))} MB`, memory <= WORKER_BYTES],
    ...(recoveries.length === 0
      ? []
      : [
          [
            'recovery under 3 s (p99)',
            `${recovery.toFixed(0)} ms`,
            recovery < RECOVERY_MS,
          ] satisfies TargetRow,
        ]),
  ]
  return markdownTable(
    targets.map(([target, measured, isMet]) => ({
      target,
      measured,
      '': isMet ? 'met' : 'missed',
    })),
  )
}
