/**
 * The five questions about books: Minga with workers as processes, against DuckDB alone, SQLite and Polars, from the same files.
 *   npm run bench:query [-- --sizes 0.3,1,2.5 --workers 1,2,4 --kills 20 --no-sqlite --write]
 * Sizes are gigabytes of reviews. Every answer is compared with DuckDB's, byte for byte. With --sizes 0.3 it takes a
 * few minutes, whole about twenty.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeBooks, type BooksFacts } from '@minga/lake'
import { askMinga, fileInputs, importBooks, TABLE_INPUTS, withoutSentiment } from './query-minga.ts'
import * as peers from './query-peers.ts'
import { measureRecovery, type Recovery } from './query-recovery.ts'
import { queryReport, type QueryRow, type SizeFigures } from './query-report.ts'
import { NAMES } from './query-statements.ts'
import { machineFacts, writePart } from './report.ts'

const GB = 1e9
const SEED = 81
/** As many as there are threads of DuckDB. */
const WORKERS = 2
const RECOVERY_BYTES = 0.1 * GB

interface QueryBenchOptions {
  workers: number[]
  hasSqlite: boolean
}

/** One size: who answers, in the order of the table. A peer whose answers differ from DuckDB's is not listed. */
class SizeBench {
  readonly #books: BooksFacts
  readonly #folder: string
  readonly #rows: QueryRow[] = []

  constructor(books: BooksFacts, folder: string) {
    this.#books = books
    this.#folder = folder
  }

  async run({ workers, hasSqlite }: QueryBenchOptions): Promise<QueryRow[]> {
    const [books, at] = [this.#books, (name: string) => join(this.#folder, name)]
    await this.#add('duckdb-csv', (out) => peers.duckDbFromCsv(books, out))
    await this.#add('duckdb-tables', (out) => peers.duckDbFromTables(books, out))
    if (hasSqlite) await this.#add('sqlite', (out) => peers.sqliteFromCsv(books, out))
    const missing = peers.preparePolars()
    if (missing === null) await this.#add('polars', (out) => peers.polarsFromCsv(books, out))
    else console.error(`nodejs-polars takes no part: ${missing}`)
    const queries = await withoutSentiment(this.#folder)
    const inputs = fileInputs(books)
    for (const count of workers) {
      const asked = { data: at(`data-${count}`), workers: count, queries, inputs }
      await this.#add('minga-csv', (out) => askMinga({ ...asked, out }), count)
    }
    const fives = { data: at('data-sentiment'), workers: WORKERS, queries: NAMES, inputs }
    await this.#add('minga-sentiment', (out) => askMinga({ ...fives, out }), WORKERS)
    await this.#add('duckdb-import', (out) => peers.duckDbImport(books, out))
    await this.#add('duckdb-parquet', (out) => peers.duckDbFromParquet(at('duckdb-import'), out))
    const data = at('data-tables')
    const importing = { data, folder: this.#folder, workers: WORKERS }
    await this.#add('minga-import', () => importBooks(books, importing), WORKERS)
    for (const count of workers) {
      const asked = { data, workers: count, queries, inputs: TABLE_INPUTS }
      await this.#add('minga-tables', (out) => askMinga({ ...asked, out }), count)
    }
    return this.#rows
  }

  async #add(
    way: QueryRow['way'],
    work: (out: string) => Promise<QueryRow['run']>,
    workers: number | null = null,
  ): Promise<void> {
    const out = join(this.#folder, workers === null ? way : `${way}-${workers}`)
    const run = await work(out)
    if (!way.endsWith('import')) this.#compare(way, out)
    this.#rows.push({ way, workers, run })
    console.error(`${way} ${workers ?? ''}: ${run.seconds.toFixed(1)} s, CPU ${run.cpuSeconds} s`)
  }

  /** The mood of a text is not its length: there, four are compared. */
  #compare(way: QueryRow['way'], out: string): void {
    const names = way === 'minga-sentiment' ? NAMES.slice(0, -1) : NAMES
    for (const name of names) {
      const [theirs, expected] = [out, join(this.#folder, 'duckdb-csv')].map((folder) =>
        readFileSync(join(folder, `${name}.csv`), 'utf8'),
      )
      if (theirs !== expected) throw new Error(`${name} of ${way} differs from DuckDB's.`)
    }
  }
}

/** Files of one size are removed before those of the next are written. */
async function inFolder<R>(name: string, work: (folder: string) => Promise<R>): Promise<R> {
  const folder = mkdtempSync(join(tmpdir(), `minga-bench-query-${name}-`))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Without broken quotes and torn lines: DuckDB alone reads those by rules of its own. Without breaks inside texts,
 * too: its threads begin anywhere in a file and take the line after a break for a record, then refuse the file.
 */
const makeBooks = (folder: string, reviewBytes: number): Promise<BooksFacts> =>
  writeBooks({ folder, seed: SEED, reviewBytes, isTorn: false, hasBreaks: false })

async function runSize(size: number, options: QueryBenchOptions): Promise<SizeFigures> {
  return inFolder(String(size), async (folder) => {
    const books = await makeBooks(folder, size * GB)
    console.error(`${size} GB: ${books.reviews} reviews of ${books.books} books`)
    return { size, books, rows: await new SizeBench(books, folder).run(options) }
  })
}

function runRecovery(kills: number): Promise<Recovery[]> {
  return inFolder('recovery', async (folder) => {
    const books = await makeBooks(folder, RECOVERY_BYTES)
    const queries = await withoutSentiment(folder)
    const recoveries: Recovery[] = []
    for (const workers of [1, WORKERS]) {
      recoveries.push(await measureRecovery({ folder, books, queries, workers, kills }))
    }
    return recoveries
  })
}

const numbers = (text: string): number[] => text.split(',').map(Number)

const { values } = parseArgs({
  allowNegative: true,
  options: {
    sizes: { type: 'string', default: '0.3,1,2.5' },
    workers: { type: 'string', default: '1,2,4' },
    kills: { type: 'string', default: '20' },
    sqlite: { type: 'boolean', default: true },
    write: { type: 'boolean', default: false },
  },
})
const facts = machineFacts(new Date())
const sizes: SizeFigures[] = []
for (const size of numbers(values.sizes)) {
  const options = { workers: numbers(values.workers), hasSqlite: values.sqlite }
  sizes.push(await runSize(size, options))
}
const recoveries = Number(values.kills) > 0 ? await runRecovery(Number(values.kills)) : []
const text = `${facts}\n\n${queryReport(sizes, recoveries)}`
console.log(text)
if (values.write) writePart('query', text)
