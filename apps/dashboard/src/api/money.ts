/** What the page asks about money: balances, statements, budgets, the leaderboard. */
import type { SortedPage } from '@minga/protocol'
import type { SortedQuery } from '../components/list/sorted-pages.ts'
import type { Balance, LeaderRow, QuotaView, StatementRow } from './api-types.ts'
import { queryOf } from './call.ts'
import { station } from './station.ts'

/** Money spent as a client, or earned as a volunteer. */
export type Side = 'client' | 'volunteer'

export const readBalance = (as: Side, account?: string): Promise<Balance> =>
  station('GET /balance', { query: { as, account } })

/** As the station names what moves money. */
export const POSTING_KINDS = [
  'top-up',
  'withdrawal',
  'reservation',
  'block',
  'cache',
  'refund',
  'close',
  'audit',
  'release',
  'forfeit',
  'compensation',
] as const

export const findStatementLines = (
  as: Side,
  query: SortedQuery,
): Promise<SortedPage<StatementRow>> => station('GET /statement/page', { query: { ...query, as } })

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
