/** Whether and how a volunteer is named on the leaderboard: not at all, unless they say so. */
import type { Sql } from '@minga/store'
import { leaderboard, type Leader } from '../ledger/leaderboard.ts'

export async function setBoardName(
  sql: Sql,
  args: { accountId: string; name: string | null },
): Promise<void> {
  await sql.run('UPDATE accounts SET board_name = ? WHERE id = ?', [args.name, args.accountId])
}

/** Null: not named. */
export async function boardNameOf(sql: Sql, args: { accountId: string }): Promise<string | null> {
  const row = await sql.get<{ board_name: string | null }>(
    'SELECT board_name FROM accounts WHERE id = ?',
    [args.accountId],
  )
  return row?.board_name ?? null
}

export async function shownLeaders(
  sql: Sql,
  args: { since: number; limit: number },
): Promise<Leader[]> {
  const rows = await sql.all<{ id: string; board_name: string }>(
    'SELECT id, board_name FROM accounts WHERE board_name IS NOT NULL',
  )
  const names = Object.fromEntries(rows.map(({ id, board_name: name }) => [id, name]))
  return leaderboard(sql, { ...args, names })
}
