/** SQLite in memory behind the store's own interface, used again for each seed. */
import { DatabaseSync } from 'node:sqlite'
import { callsOn } from '@minga/store'
import { migrate } from '../../../../store/src/migrations.ts'
import { SqliteSql } from '../../../../store/src/sqlite-sql.ts'
import { clearLake } from '../contract-operations.ts'
import { scheduleOperations } from '../../../src/schedule/schedule-operations.ts'
import { RECOUNT } from '../recount-fixture.ts'
import { expect, type OwnerLoad } from './judge.ts'
import type { Database } from './simulation.ts'

/** Upkeep is not ready while a client waits for an answer. */
const LOADS = `SELECT owner, sum(running) AS running, max(weight) AS weight,
    sum(CASE WHEN kind = 'compact' AND EXISTS (
      SELECT 1 FROM lake_queries o WHERE o.state = 'running' AND o.kind <> 'compact'
    ) THEN 0 ELSE ready END) AS ready
  FROM lake_queries WHERE state = 'running' GROUP BY owner`
const LEASED_AFTER_ALL = `SELECT 1 FROM lake_tasks t JOIN lake_queries q ON q.number = t.query
  WHERE q.state <> 'running' AND t.state IN ('leased', 'ready', 'resting')`
const TWICE = `SELECT 1 FROM lake_outputs GROUP BY query, stage, output, part, task HAVING count(*) > 1`

export class MemoryDatabases {
  readonly #db = new DatabaseSync(':memory:')
  readonly #sql = new SqliteSql(this.#db, 'memory')

  async setUp(): Promise<void> {
    await migrate((step) => this.#transact(() => step(this.#sql)))
  }

  /** As new. */
  async next(): Promise<Database> {
    await this.#transact(() => clearLake(this.#sql))
    const fence = await this.#sql.get<{ value: number }>(
      `SELECT value FROM sequences WHERE name = 'task'`,
    )
    const calls = callsOn(this.#sql, scheduleOperations)
    return {
      lastFence: fence!.value,
      // Copied as on the way to the thread of a store, so that no side keeps objects of the other.
      call: async (operation, args) =>
        structuredClone(await this.#transact(() => calls.call(operation, args))),
      loads: () => this.#sql.all<OwnerLoad>(LOADS),
      recount: async () => {
        expect((await this.#sql.all(RECOUNT)).length === 0, 'counters differ from what they count')
        const leased = await this.#sql.all(LEASED_AFTER_ALL)
        expect(leased.length === 0, 'a task of an ended query is not void')
        expect((await this.#sql.all(TWICE)).length === 0, 'a task has two outputs of one name')
      },
      segments: async (table) => {
        const rows = await this.#sql.all<{ file: string }>(
          `SELECT s.file FROM lake_segments s JOIN lake_tables t ON t.id = s.table_id
           WHERE t.name = ? AND s.removed_in IS NULL ORDER BY s.place`,
          [table],
        )
        return rows.map(({ file }) => file)
      },
    }
  }

  async #transact<R>(work: () => Promise<R>): Promise<R> {
    this.#db.exec('BEGIN')
    try {
      const answer = await work()
      const failure = this.#sql.takeFailure()
      if (failure !== undefined) throw failure
      this.#db.exec('COMMIT')
      return answer
    } catch (error) {
      this.#sql.takeFailure()
      this.#db.exec('ROLLBACK')
      throw error
    }
  }
}
