/** A store that knows queries and tables of the lake, and raw SQL so that a test can recount what is kept. */
import type { OperationTable, Sql } from '@minga/store'
import { rawSqlOperations } from '../../../store/test/raw-sql-fixture.ts'
import { lakeOperations } from '../../src/operations.ts'

const TABLES = [
  'lake_queries',
  'lake_plans',
  'lake_owners',
  'lake_stages',
  'lake_tasks',
  'lake_outputs',
  'lake_rejects',
  'lake_tables',
  'lake_versions',
  'lake_segments',
]

/** As if the store were new, fences apart: they never come again. */
export async function clearLake(sql: Sql): Promise<void> {
  for (const table of TABLES) await sql.run(`DELETE FROM ${table}`)
}

export const operations = {
  ...lakeOperations,
  clear: clearLake,
  ...rawSqlOperations,
} satisfies OperationTable

export type ContractOperations = typeof operations

export const blobSeries = {}
