/**
 * SQLite with group commit: all calls that wait are run in one transaction, each inside its own
 * savepoint, then bytes are synced, then one commit makes all of them durable, then all are
 * answered. One fsync thus serves many calls, and no call is answered before it.
 */
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@minga/protocol'
import { recoverBlobs } from './blob-recovery.ts'
import { Blobs, type BlobTransaction } from './blobs.ts'
import { operationNamed, type Answer, type Call, type OperationsModule } from './messages.ts'
import {
  DiskFull,
  fromSystemError,
  StoreDamaged,
  StoreUnavailable,
  toPlainError,
} from './errors.ts'
import { migrate } from './migrations.ts'
import { fromSqliteError, SqliteSql } from './sqlite-sql.ts'

/** More calls per commit gain nothing measurable; fewer answer the first of them sooner. */
const MAX_CALLS_PER_GROUP = 256
/** About the time of two fsyncs: longer groups delay their first call more than a commit would. */
const MAX_GROUP_MS = 20

/**
 * 32 MB of WAL, then a checkpoint: a group that large is added before it runs, and the file
 * stays under 64 MB. A smaller number writes hot pages to the database more often.
 */
const CHECKPOINT_PAGES = 8000

/**
 * `secure_delete = FAST`: rows that move to another page leave no copy behind, which a later wipe of
 * the row could not find. It zeroes bytes of pages that are written anyway.
 */
const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -49152;
  PRAGMA mmap_size = 0;
  PRAGMA foreign_keys = OFF;
  PRAGMA secure_delete = FAST;
`

export interface SqliteOptions extends OperationsModule {
  readonly data: string
  readonly writer: string
  readonly clock: Clock
}

/** The store can say no more about its data; only opening it again can. */
class CommitInDoubt extends Error {}

export class SqliteEngine {
  readonly #options: SqliteOptions
  readonly #db: DatabaseSync
  readonly #sql: SqliteSql
  readonly #blobs: Blobs
  readonly #begin
  readonly #save
  readonly #keep

  static async open(options: SqliteOptions): Promise<SqliteEngine> {
    let engine: SqliteEngine | undefined
    try {
      fs.mkdirSync(options.data, { recursive: true })
      engine = new SqliteEngine(options)
      const { wasEmpty } = await migrate((step) => engine!.#transact(step))
      await engine.#transact((sql) => recoverBlobs(sql, engine!.#blobs, wasEmpty))
      return engine
    } catch (error) {
      engine?.close()
      throw fromSystemError(fromSqliteError(error, options.data), options.data)
    }
  }

  private constructor(options: SqliteOptions) {
    this.#options = options
    this.#blobs = new Blobs({ ...options, series: options.blobSeries })
    // No waiting for a lock: its holder will hold it until it stops.
    this.#db = new DatabaseSync(path.join(options.data, 'minga.db'), { timeout: 0 })
    try {
      this.#db.exec(SETTINGS)
      // The exclusive lock is taken by the first transaction and kept until the end.
      this.#db.exec('BEGIN IMMEDIATE; COMMIT')
      this.#begin = this.#db.prepare('BEGIN IMMEDIATE')
      this.#save = this.#db.prepare('SAVEPOINT one_call')
      this.#keep = this.#db.prepare('RELEASE one_call')
    } catch (error) {
      this.#db.close()
      throw error
    }
    this.#sql = new SqliteSql(this.#db, options.data)
  }

  /** Runs what `take` gives, in one commit. Every call taken gets its answer. */
  async runGroup(take: () => Call | undefined): Promise<{ answers: Answer[]; usable: boolean }> {
    const taken: Call[] = []
    const blobs = this.#blobs.begin()
    try {
      const answers = await this.#runCalls(take, taken, blobs)
      if (taken.length === 0) return { answers, usable: true }
      await this.#commit(blobs)
      this.#sql.endWiping()
      return { answers, usable: true }
    } catch (error) {
      const inDoubt = error instanceof CommitInDoubt
      if (inDoubt) blobs.abandon()
      else this.#rollBack(blobs)
      const meaning = inDoubt ? StoreUnavailable.because(error.message) : error
      const plain = toPlainError(meaning)
      return { answers: taken.map(({ id }) => ({ id, error: plain })), usable: !inDoubt }
    }
  }

  close(): void {
    this.#blobs.close()
    this.#db.close()
  }

  async #runCalls(
    take: () => Call | undefined,
    taken: Call[],
    blobs: BlobTransaction,
  ): Promise<Answer[]> {
    const { clock } = this.#options
    const answers: Answer[] = []
    const startedMs = clock.monotonicMs()
    let call = take()
    while (call) {
      taken.push(call)
      if (taken.length === 1) this.#beginGroup(blobs)
      answers.push(await this.#runCall(call, blobs))
      const isFull =
        taken.length >= MAX_CALLS_PER_GROUP || clock.monotonicMs() - startedMs > MAX_GROUP_MS
      call = isFull ? undefined : take()
    }
    return answers
  }

  #beginGroup(blobs: BlobTransaction): void {
    try {
      this.#begin.run()
    } catch (error) {
      throw fromSqliteError(error, this.#options.data)
    }
    this.#sql.use(blobs)
  }

  /** Throws only what ends the whole group. */
  async #runCall(call: Call, blobs: BlobTransaction): Promise<Answer> {
    const mark = blobs.mark()
    this.#save.run()
    try {
      const operation = operationNamed(this.#options.operations, call.operation)
      const value = await operation(this.#sql, call.args)
      const failure = this.#sql.takeFailure()
      if (failure !== undefined) throw failure
      this.#keep.run()
      return { id: call.id, value }
    } catch (error) {
      const failure = this.#sql.takeFailure() ?? error
      // Without room or with broken pages the savepoint cannot be trusted to roll back alone;
      // and SQLite may have rolled back the whole transaction by itself.
      const endsGroup = failure instanceof DiskFull || failure instanceof StoreDamaged
      if (endsGroup || !this.#db.isTransaction) throw failure
      this.#db.exec('ROLLBACK TO one_call; RELEASE one_call')
      blobs.rewind(mark)
      return { id: call.id, error: toPlainError(failure) }
    }
  }

  async #commit(blobs: BlobTransaction): Promise<void> {
    await blobs.prepare(this.#sql, this.#options.writer)
    try {
      this.#db.exec('COMMIT')
    } catch (error) {
      const meaning = fromSqliteError(error, this.#options.data)
      if (meaning instanceof DiskFull) throw meaning
      // After a failed fsync the kernel may have dropped the pages, or kept them.
      throw new CommitInDoubt(`the commit failed: ${String(error)}`, { cause: error })
    }
    blobs.commit()
  }

  #rollBack(blobs: BlobTransaction): void {
    this.#sql.takeFailure()
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    this.#sql.endWiping()
    blobs.rollback()
  }

  async #transact<R>(step: (sql: SqliteSql) => Promise<R>): Promise<R> {
    this.#begin.run()
    try {
      const result = await step(this.#sql)
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    } finally {
      this.#sql.takeFailure()
    }
  }
}
