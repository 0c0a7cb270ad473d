/** What the page asks about money: balances, statements, budgets, the leaderboard. */
import { queryOf } from './call.ts'

/** Money spent as a client, or earned as a volunteer. */
export type Side = 'client' | 'volunteer'

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

export const statementPath = (as: Side, format: 'csv' | 'jsonl'): string =>
  `/statement${queryOf({ as, format })}`
