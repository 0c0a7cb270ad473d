/** What the page asks about money: balances, statements, budgets, the leaderboard. */
import type { Balance, LeaderRow, QuotaView, StatementRow } from './api-types.ts'
import { queryOf } from './call.ts'
import { station } from './station.ts'

/** Money spent as a client, or earned as a volunteer. */
export type Side = 'client' | 'volunteer'

export const readBalance = (as: Side, account?: string): Promise<Balance> =>
  station('GET /balance', { query: { as, account } })

/** Newest first, after the line of this posting. */
export const readStatement = (
  as: Side,
  after: string | null,
  limit: number,
): Promise<StatementRow[]> => station('GET /statement/page', { query: { as, after, limit } })

export const statementPath = (as: Side, format: 'csv' | 'jsonl'): string =>
  `/statement${queryOf({ as, format })}`

export const readQuota = (account?: string): Promise<QuotaView> =>
  station('GET /quota', { query: { account } })

export const setQuota = (
  account: string,
  quota: { openMax: number | null; dayMax: number | null },
): Promise<object> => station('POST /accounts/{id}/quota', { params: { id: account }, body: quota })

export const topUp = (
  account: string,
  amount: { micros: number; note: string | null },
): Promise<object> =>
  station('POST /accounts/{id}/top-up', { params: { id: account }, body: amount })

export const readLeaders = (days: number): Promise<LeaderRow[]> =>
  station('GET /leaderboard', { query: { days } })
