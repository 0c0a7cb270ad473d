/** A store that knows tables of the lake and nothing else, for tests. */
import { isMingaError } from '@minga/protocol'
import type { OperationTable, Sql } from '@minga/store'
import { applySegments, type SegmentChanges } from '../../src/tables/apply-segments.ts'
import { tableOperations } from '../../src/tables/table-operations.ts'

/** As the end of a query does: a refusal does not undo the rest of its transaction. */
async function applyTwo(sql: Sql, changes: SegmentChanges): Promise<string> {
  try {
    await applySegments(sql, changes)
    return 'done'
  } catch (error) {
    if (isMingaError(error)) return error.code
    throw error
  }
}

async function forgetAll(sql: Sql): Promise<void> {
  const tables = ['tables', 'segments', 'versions', 'readers', 'writers']
  for (const table of tables) await sql.run(`DELETE FROM lake_${table}`)
}

export const operations = {
  ...tableOperations,
  lakeApplyTwo: applyTwo,
  lakeForgetAll: forgetAll,
} satisfies OperationTable

export type FixtureOperations = typeof operations

export const blobSeries = {}
