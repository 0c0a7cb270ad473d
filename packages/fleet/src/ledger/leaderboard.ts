/** Who helped most, among those who want to be named. */
import type { Sql } from '@minga/store'

export interface LeaderboardArgs {
  since: number
  limit: number
  /** The names to be shown, by owner; who is not in it is not shown. */
  names: Readonly<Record<string, string>>
}

export interface Leader {
  name: string
  earnedMicros: number
  requests: number
}

const PREFIX = 'volunteer:'

/**
 * Counts what became the owners': pay that is still held may be a liar's. Summed for all owners
 * and chosen afterwards, because a list of thousands of names does not fit in a statement.
 */
export async function leaderboard(sql: Sql, args: LeaderboardArgs): Promise<Leader[]> {
  const rows = await sql.all<{ account: string; earned: number; requests: number }>(
    `SELECT e.account AS account, sum(e.amount_micros) AS earned, sum(e.requests) AS requests
     FROM ledger_postings p JOIN ledger_entries e ON e.posting_id = p.id
     WHERE p.at >= ? AND p.kind IN ('block', 'audit', 'release') AND e.account LIKE '${PREFIX}%'
     GROUP BY e.account`,
    [args.since],
  )
  return rows
    .toSorted((a, b) => b.earned - a.earned || b.requests - a.requests || byText(a, b))
    .flatMap(({ account, earned, requests }) => {
      const owner = account.slice(PREFIX.length)
      if (!Object.hasOwn(args.names, owner)) return []
      return [{ name: args.names[owner]!, earnedMicros: earned, requests }]
    })
    .slice(0, args.limit)
}

function byText(a: { account: string }, b: { account: string }): number {
  return a.account < b.account ? -1 : 1
}

/** Whether and how a volunteer is named on the leaderboard: not at all, unless they say so. */
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
