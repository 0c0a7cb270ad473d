/** An account as a whole, in the store: everything that is stored about it, and its deletion. */
import { NoSuchAccount, OPERATOR, OperatorStays, type Account } from '@minga/fleet'
import type { Sql, OperationTable } from '@minga/store'
import { ACCOUNT_TABLES } from './account-tables.ts'

/** Of one table; a busy client has more lines in the ledger than anyone reads. */
const ROWS_MOST = 20_000
const NAME_CHARS = 12

export interface ExportedTable {
  table: string
  /** By which column they are the account's. */
  column: string
  rows: Record<string, unknown>[]
  /** There are more than are shown. */
  isCut: boolean
}

async function exportAccount(sql: Sql, args: { id: string }): Promise<ExportedTable[]> {
  const tables: ExportedTable[] = []
  for (const { table, column, hidden = [], prefix = '' } of ACCOUNT_TABLES) {
    const rows = await sql.all<Record<string, unknown>>(
      `SELECT * FROM ${table} WHERE ${column} = ? LIMIT ${ROWS_MOST + 1}`,
      [`${prefix}${args.id}`],
    )
    if (rows.length === 0) continue
    const shown = rows.slice(0, ROWS_MOST).map((row) => withoutColumns(row, hidden))
    tables.push({ table, column, rows: shown, isCut: rows.length > ROWS_MOST })
  }
  return tables
}

function withoutColumns(
  row: Record<string, unknown>,
  hidden: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.includes(name)))
}

/** Batches of a client that are to be cancelled before its account goes: their money comes back in the ledger. */
async function listOpenBatches(sql: Sql, args: { client: string }): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `SELECT id FROM batches WHERE client = ? AND state IN ('filling', 'running')`,
    [args.client],
  )
  return rows.map(({ id }) => id)
}

export interface DeleteAccountArgs {
  id: string
  now: number
}

/** Ends what an account has in a later folder, where it is more than rows of one table. */
type EndOfAccount = (sql: Sql, args: DeleteAccountArgs) => Promise<void>

/**
 * One transaction, so that no account is ever half deleted. The row stays under another name and
 * with nothing else, because the ledger and other users' views of collections refer to it.
 */
async function deleteAccount(
  sql: Sql,
  args: DeleteAccountArgs,
  ends: readonly EndOfAccount[],
): Promise<Account> {
  const { id } = args
  if (id === OPERATOR) throw new OperatorStays()
  const name = `deleted-${id.slice(-NAME_CHARS)}`
  const changed = await sql.run(
    `UPDATE accounts SET name = ?, name_key = ?, password_hash = NULL, roles = '', board_name = NULL,
       email = NULL, email_key = NULL WHERE id = ?`,
    [name, name, id],
  )
  if (changed === 0) throw new NoSuchAccount(id)
  for (const end of ends) await end(sql, args)
  await sql.run(
    'UPDATE neutrality_monitors SET next_run_at = NULL, every_ms = NULL WHERE account = ?',
    [id],
  )
  for (const { table, column, end } of ACCOUNT_TABLES) {
    if (end === 'deleted') await sql.run(`DELETE FROM ${table} WHERE ${column} = ?`, [id])
    if (end === 'operator') {
      await sql.run(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`, [OPERATOR, id])
    }
  }
  const row = await sql.get<{ created_at: number }>(
    'SELECT created_at FROM accounts WHERE id = ?',
    [id],
  )
  return { id, name, roles: [], createdAt: row!.created_at, hasPassword: false }
}

/** `ends` are in the order of their locks. */
export function accountEndOperations(ends: readonly EndOfAccount[]) {
  return {
    deleteAccount: (sql: Sql, args: DeleteAccountArgs): Promise<Account> =>
      deleteAccount(sql, args, ends),
    exportAccount,
    listOpenBatches,
  } satisfies OperationTable
}
