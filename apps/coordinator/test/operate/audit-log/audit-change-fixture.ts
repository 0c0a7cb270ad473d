/** What no operation of a station does: it changes what stands in the audit log. For the test of the triggers. */
import type { OperationTable, Sql } from '@minga/store'
import { operations as ofStation } from '../../../src/operations.ts'

async function changeEntry(sql: Sql): Promise<void> {
  await sql.run(`UPDATE audit_log SET actor = 'eve' WHERE seq = 1`)
}

async function removeEntry(sql: Sql): Promise<void> {
  await sql.run('DELETE FROM audit_log WHERE seq = 1')
}

export const operations = { ...ofStation, changeEntry, removeEntry } satisfies OperationTable

export type ChangeOperations = typeof operations
export { blobSeries } from '../../../src/operations.ts'
