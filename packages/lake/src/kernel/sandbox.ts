/**
 * One DuckDB for one task: it opens in milliseconds, so nothing of a task is ever seen by another.
 * It reads the given files and writes below one folder; everything else outside is closed to it,
 * and no statement can open it again.
 */
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from '@duckdb/node-api'
import { asTaskError } from './duckdb-errors.ts'
import { sqlText, sqlTexts } from './sql-text.ts'

export interface SandboxSettings {
  /** Of the whole process: DuckDB gets what the rest of it leaves. */
  memoryMb: number
  threads: number
  /** Where it may write, and where what does not fit in memory goes. */
  folder: string
  /** Further files that it may read. */
  readable: readonly string[]
  /** Of what is to be read, at most. */
  columns: number
  signal: AbortSignal
}

/** Of small answers: counts, names and reasons. */
export type Cell = string | number | null

/** Node itself, the bytes on their way and what DuckDB does not count of its own. */
const REST_SHARE = 0.3
const REST_LEAST_MB = 160
const DUCKDB_LEAST_MB = 96
/** DuckDB compares every expression with every other, to compute none twice: of a thousand columns for minutes, to save
 * milliseconds. */
const COMPARED_COLUMNS = 64
/** DuckDB counts 2,048 values for every column in every step of a statement, whether they are there or not: in a wide
 * file they are not, since its units are of few rows. Measured: for 3,000 columns a limit of 448 MB
 * was too little where the whole process took 424 MB. */
const WIDE_COLUMN_MB = 0.125
/** A statement that was about to begin does not hear the first interruption. */
const INTERRUPT_EVERY_MS = 20

function duckDbMemoryMb({ memoryMb, columns }: SandboxSettings): number {
  const rest = Math.max(REST_LEAST_MB, memoryMb * REST_SHARE)
  const wide = columns > COMPARED_COLUMNS ? columns * WIDE_COLUMN_MB : 0
  return Math.max(DUCKDB_LEAST_MB, Math.floor(memoryMb - rest + wide))
}

export class Sandbox {
  readonly #connection: DuckDBConnection
  readonly #instance: DuckDBInstance
  readonly #settings: SandboxSettings
  #interrupting: NodeJS.Timeout | undefined

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    settings: SandboxSettings,
  ) {
    this.#instance = instance
    this.#connection = connection
    this.#settings = settings
    settings.signal.addEventListener('abort', this.#interrupt, { once: true })
  }

  static async open(settings: SandboxSettings): Promise<Sandbox> {
    settings.signal.throwIfAborted()
    // The library is large: a process that only schedules never loads it.
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${duckDbMemoryMb(settings)}MB`,
      threads: String(settings.threads),
      temp_directory: `${settings.folder}/spill`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      default_null_order: 'nulls_last',
    })
    const sandbox = new Sandbox(instance, await instance.connect(), settings)
    try {
      await sandbox.#lock()
      return sandbox
    } catch (error) {
      sandbox.close()
      throw error
    }
  }

  async #lock(): Promise<void> {
    const { folder, readable, columns } = this.#settings
    if (columns > COMPARED_COLUMNS) {
      await this.run(`SET disabled_optimizers = 'common_subexpressions'`)
    }
    // The same answer on every machine.
    await this.run(`SET TimeZone = 'UTC'`)
    await this.run(`SET allowed_paths = ${sqlTexts(readable)}`)
    await this.run(`SET allowed_directories = [${sqlText(`${folder}/`)}]`)
    await this.run('SET enable_external_access = false')
    await this.run('SET lock_configuration = true')
  }

  /** One statement, never two: a text with a semicolon in it is refused. Gives how many rows it wrote. */
  async run(sql: string): Promise<number> {
    return this.guarded(sql, async () => {
      await this.#refuseSeveral(sql)
      return (await this.#connection.run(sql)).rowsChanged
    })
  }

  /** For answers of texts and plain numbers. */
  async rows(sql: string): Promise<Cell[][]> {
    return this.guarded(sql, async () => {
      await this.#refuseSeveral(sql)
      return (await this.#connection.runAndReadAll(sql)).getRowsJson() as Cell[][]
    })
  }

  /** Counted and not prepared: what is prepared is planned a second time when it runs, and of cleaning a few rows
   * the plan is nearly all the time. */
  async #refuseSeveral(sql: string): Promise<void> {
    const { count } = await this.#connection.extractStatements(sql)
    if (count > 1) throw new Error(`these are ${count} statements, and one is allowed`)
  }

  /** Rows as they come, chunk by chunk. */
  async stream(sql: string): Promise<DuckDBResult> {
    return this.guarded(sql, async () => (await this.#connection.prepare(sql)).stream())
  }

  /** For what must not disturb a stream. */
  connect(): Promise<DuckDBConnection> {
    return this.#instance.connect()
  }

  /** What DuckDB says against it becomes an error of ours; after an abort everything is the abort. */
  async guarded<R>(sql: string, work: () => Promise<R>): Promise<R> {
    const { signal, memoryMb, folder } = this.#settings
    signal.throwIfAborted()
    try {
      const result = await work()
      signal.throwIfAborted()
      return result
    } catch (error) {
      signal.throwIfAborted()
      throw asTaskError(error, { sql, memoryMb, folder })
    }
  }

  close(): void {
    this.#settings.signal.removeEventListener('abort', this.#interrupt)
    clearInterval(this.#interrupting)
    this.#connection.closeSync()
    this.#instance.closeSync()
  }

  readonly #interrupt = (): void => {
    this.#connection.interrupt()
    this.#interrupting = setInterval(() => this.#connection.interrupt(), INTERRUPT_EVERY_MS)
  }
}
