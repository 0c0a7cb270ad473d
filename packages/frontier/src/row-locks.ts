/**
 * On PostgreSQL operations run in parallel: what an operation reads to decide by must not change
 * until it commits. SQLite runs one at a time and needs nothing.
 */
import type { Sql } from '@minga/store'

/** To be put at the end of a SELECT whose rows are changed, or decided by, in this transaction. */
export function forUpdate(sql: Sql): string {
  return sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
}

/** As above for a row that must not be deleted before this transaction ends; others may change it. */
export function keepRow(sql: Sql): string {
  return sql.dialect === 'postgres' ? ' FOR KEY SHARE' : ''
}

/**
 * Waits until no other transaction holds these rows. All callers use one order, so that two do not
 * wait for each other; what is read afterwards stays true.
 */
export async function lockRows(
  sql: Sql,
  args: { table: string; key: string; values: readonly number[] },
): Promise<void> {
  if (sql.dialect !== 'postgres' || args.values.length === 0) return
  const { table, key, values } = args
  const marks = values.map(() => '?').join(', ')
  await sql.all(
    `SELECT 1 FROM ${table} WHERE ${key} IN (${marks}) ORDER BY ${key}${forUpdate(sql)}`,
    values,
  )
}
