/** What the page asks about money: balances, statements, budgets, the leaderboard. */
import type { Balance, LeaderRow, QuotaView, StatementRow } from './api-types.ts'
import { call, queryOf } from './call.ts'

/** Money spent as a client, or earned as a volunteer. */
export type Side = 'client' | 'volunteer'

export const readBalance = (as: Side, account?: string): Promise<Balance> =>
  call('GET', `/balance${queryOf({ as, account })}`)

/** Newest first, after the line of this posting. */
export const readStatement = (
  as: Side,
  after: string | null,
  limit: number,
): Promise<StatementRow[]> => call('GET', `/statement/page${queryOf({ as, after, limit })}`)

export const statementPath = (as: Side, format: 'csv' | 'jsonl'): string =>
  `/statement${queryOf({ as, format })}`

export const readQuota = (account?: string): Promise<QuotaView> =>
  call('GET', `/quota${queryOf({ account })}`)

export const setQuota = (
  account: string,
  quota: { openMax: number | null; dayMax: number | null },
): Promise<object> => call('POST', `/accounts/${account}/quota`, quota)

export const topUp = (
  account: string,
  amount: { micros: number; note: string | null },
): Promise<object> => call('POST', `/accounts/${account}/top-up`, amount)

export const readLeaders = (days: number): Promise<LeaderRow[]> =>
  call('GET', `/leaderboard${queryOf({ days })}`)
