/**
 * PostgreSQL: every call is one transaction on a pooled connection, begun again when it met
 * another in a deadlock. Several processes share the database; each has a writer name of its
 * own, held as a session's advisory lock so that no two append to the same files.
 */
import fs from 'node:fs'
import {
  Client,
  DatabaseError,
  Pool,
  types,
  type ClientConfig,
  type PoolClient,
  type PoolConfig,
} from 'pg'
import type { Clock } from '@minga/protocol'
import { recoverBlobs } from './blob-recovery.ts'
import { Blobs } from './blobs.ts'
import { operationNamed, type Answer, type Call, type OperationsModule } from './messages.ts'
import { fromSystemError, StoreLocked, StoreUnavailable, toPlainError } from './errors.ts'
import { migrate } from './migrations.ts'
import { fromPostgresError, isConflict, isLockTimeout } from './postgres-errors.ts'
import { PostgresCatalog, PostgresSql } from './postgres-sql.ts'

/** Transactions at a time. More of them contend for the same rows rather than go faster. */
const MAX_CONNECTIONS = 8
const CONNECT_TIMEOUT_MS = 10_000
/** Ten doublings from 5 ms: about five seconds in all, then the caller should know. */
const MAX_ATTEMPTS = 10
const FIRST_BACKOFF_MS = 5
/** A killed process's connection ends within moments; a living one's never does. */
const WRITER_LOCK_PATIENCE_MS = 3000
const WRITER_LOCK_POLL_MS = 100

/** Spaces of advisory locks: any constants that other programs in the database do not use. */
const MIGRATION_LOCK = 0x6d_69_6e_67
const WRITER_LOCKS = 0x6d_69_6e_68

export interface PostgresOptions extends OperationsModule {
  readonly url: string
  readonly data: string
  readonly writer: string
  readonly clock: Clock
  /** Uniform in [0, 1), for the jitter of repeated transactions. */
  random(): number
  /** Lent, and not ended with the store; without them it has its own. */
  readonly connections?: PostgresConnections | undefined
}

/** Connections to one database, and what is known of its tables and of the statements they prepared. */
export class PostgresConnections {
  readonly catalog = new PostgresCatalog()
  readonly pool: Pool

  constructor(url: string, options: PoolConfig = {}) {
    this.pool = new Pool({ ...connection(url), max: MAX_CONNECTIONS, ...options })
    // The query in progress gets the lost connection as an error, and the next use replaces it;
    // without listeners it would end the thread as well.
    this.pool.on('error', () => {})
    this.pool.on('connect', (client) => client.on('error', () => {}))
  }
}

type Step<R> = (sql: PostgresSql) => Promise<R>

export class PostgresEngine {
  readonly #options: PostgresOptions
  readonly #connections: PostgresConnections
  readonly #blobs: Blobs
  readonly #waiting: (() => void)[] = []
  #running = 0
  #writerLock: Promise<Client> | undefined

  static async open(options: PostgresOptions): Promise<PostgresEngine> {
    const engine = new PostgresEngine(options)
    try {
      fs.mkdirSync(options.data, { recursive: true })
      await engine.#holdWriterLock()
      const { wasEmpty } = await engine.#migrate()
      await engine.#transact(async (sql) => {
        await sql.run(`SET LOCAL lock_timeout = ${CONNECT_TIMEOUT_MS}`)
        await recoverBlobs(sql, engine.#blobs, wasEmpty)
      })
      return engine
    } catch (error) {
      await engine.close()
      if (isLockTimeout(error)) throw StoreLocked.writer(options.writer)
      throw fromSystemError(fromPostgresError(error), options.data)
    }
  }

  private constructor(options: PostgresOptions) {
    this.#options = options
    this.#blobs = new Blobs({ ...options, series: options.blobSeries })
    this.#connections = options.connections ?? new PostgresConnections(options.url)
  }

  async run(call: Call): Promise<Answer> {
    await this.#enter()
    try {
      await this.#holdWriterLock()
      const operation = operationNamed(this.#options.operations, call.operation)
      const value = await this.#transact((sql) => operation(sql, call.args))
      return { id: call.id, value }
    } catch (error) {
      return { id: call.id, error: toPlainError(fromPostgresError(error)) }
    } finally {
      this.#leave()
    }
  }

  async close(): Promise<void> {
    this.#blobs.close()
    const lock = this.#writerLock
    this.#writerLock = undefined
    const isOwn = this.#options.connections === undefined
    const ended = isOwn ? this.#connections.pool.end() : undefined
    await Promise.allSettled([ended, lock?.then((client) => client.end())])
  }

  /** The pool's own queue would count waiting as failing to connect. */
  async #enter(): Promise<void> {
    if (this.#running < MAX_CONNECTIONS) this.#running++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }

  async #transact<R>(step: Step<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transactOnce(step)
      } catch (error) {
        if (!isConflict(error)) throw error
        if (attempt === MAX_ATTEMPTS) {
          throw StoreUnavailable.because(`other transactions were in the way ${attempt} times`)
        }
        const backoffMs = FIRST_BACKOFF_MS * 2 ** (attempt - 1)
        await this.#options.clock.sleep(this.#options.random() * backoffMs)
      }
    }
  }

  async #transactOnce<R>(step: Step<R>): Promise<R> {
    const { pool, catalog } = this.#connections
    const client = await pool.connect()
    const blobs = this.#blobs.begin()
    const sql = new PostgresSql(client, catalog, blobs)
    let isCommitting = false
    try {
      await client.query('BEGIN')
      const value = await step(sql)
      if (sql.failure !== undefined) throw sql.failure
      await blobs.prepare(sql, this.#options.writer)
      isCommitting = true
      await client.query('COMMIT')
      blobs.commit()
      client.release()
      return value
    } catch (error) {
      const failure = sql.failure ?? error
      // The server refused, so it rolled back; if it died or stayed silent, the outcome is unknown.
      const isRefused = error instanceof DatabaseError && error.severity === 'ERROR'
      if (isCommitting && !isRefused) blobs.abandon()
      else blobs.rollback()
      await endBroken(client)
      throw failure
    }
  }

  async #migrate(): Promise<{ wasEmpty: boolean }> {
    const client = new Client(connection(this.#options.url))
    client.on('error', () => {})
    await client.connect()
    try {
      // Held by the session: each migration is a transaction of its own below it.
      await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
      return await migrate((step) => this.#transact(step))
    } finally {
      await client.end()
    }
  }

  /** Takes the lock at first, and again after its connection was lost. */
  async #holdWriterLock(): Promise<void> {
    const lock = (this.#writerLock ??= this.#takeWriterLock())
    try {
      await lock
    } catch (error) {
      if (this.#writerLock === lock) this.#writerLock = undefined
      throw error
    }
  }

  async #takeWriterLock(): Promise<Client> {
    const { clock, writer, url } = this.#options
    const client = new Client(connection(url))
    client.on('error', () => {})
    await client.connect()
    const deadlineMs = clock.monotonicMs() + WRITER_LOCK_PATIENCE_MS
    while (!(await tryWriterLock(client, writer))) {
      if (clock.monotonicMs() > deadlineMs) {
        await client.end()
        throw StoreLocked.writer(writer)
      }
      await clock.sleep(WRITER_LOCK_POLL_MS)
    }
    client.once('end', () => {
      // Until the lock is back, another process may have opened these files.
      this.#writerLock = undefined
      this.#blobs.abandonAll()
    })
    return client
  }
}

async function tryWriterLock(client: Client, writer: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked',
    [WRITER_LOCKS, writer],
  )
  return rows[0]?.locked ?? false
}

/** Rolls back; a connection that cannot even do that is thrown away. */
async function endBroken(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK')
    client.release()
  } catch {
    client.release(true)
  }
}

function connection(url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'minga',
    types: parsers,
  }
}

/** Type numbers of PostgreSQL's catalog; they never change. */
const OID = { bytea: 17, int8: 20, numeric: 1700 } as const

/** As SQLite gives them: numbers for every kind of number, plain bytes for bytes. */
const parsers: NonNullable<ClientConfig['types']> = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === OID.int8 || oid === OID.numeric) return toNumber
    if (oid === OID.bytea) return toBytes
    return types.getTypeParser(oid, format)
  },
}

function toNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new RangeError(`The database holds ${text}, which is too large for an exact number.`)
  }
  return number
}

/** `\x…` to bytes that own their memory: a view of Buffer's pool would be cloned with the pool. */
const toBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'))
