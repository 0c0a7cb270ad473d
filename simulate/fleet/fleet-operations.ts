/**
 * The simulation as an operation of the store, so that it runs in the store's thread, on the real
 * SQLite, with the frontier's functions called directly. One transaction holds a whole run and is
 * undone at its end: nothing is synced, and the next run finds the database as new.
 */
import type { OperationTable, Sql } from '@minga/store'
import { simulateRun, type Run, type RunResult } from './run.ts'

async function simulate(sql: Sql, run: Run): Promise<RunResult> {
  await sql.run('SAVEPOINT simulated_run')
  try {
    return await simulateRun(sql, run)
  } finally {
    await sql.run('ROLLBACK TO simulated_run')
    await sql.run('RELEASE simulated_run')
  }
}

export const operations = { simulate } satisfies OperationTable

export type SimulatorOperations = typeof operations
