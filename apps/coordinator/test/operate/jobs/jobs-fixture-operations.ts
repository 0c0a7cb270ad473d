/** The station's operations and one more: rows as the parts of a station would have written them. */
import type { OperationTable, Sql, Value } from '@minga/store'
import { operations as real } from '../../../src/operations.ts'

export { blobSeries } from '../../../src/operations.ts'

export interface PutRows {
  table: string
  rows: readonly Readonly<Record<string, Value>>[]
}

async function putRows(sql: Sql, { table, rows }: PutRows): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  await sql.insertMany({
    table,
    columns,
    rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
  })
}

export const operations = { ...real, putRows } satisfies OperationTable

export type JobsFixtureOperations = typeof operations
