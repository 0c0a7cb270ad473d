/** Lines of an account's statement by kind, time and text, in an order that the reader chose, page by page. */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import type { PostingKind } from './posting.ts'
import { LINE_FIELDS, LINE_TABLES, type StatementLine } from './statement.ts'

/** By time it is the ledger's own order, in which each balance follows from the one before. */
const ORDERS = {
  at: 'e.booked_at',
  kind: 'p.kind',
  reference: 'p.reference',
  requests: 'e.requests',
  amountMicros: 'e.amount_micros',
  balanceMicros: 'e.balance_micros',
} as const
export const STATEMENT_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindStatementLinesArgs extends PageArgs {
  readonly account: string
  readonly kind?: PostingKind | undefined
  /** From this time on. */
  readonly from?: number | undefined
  /** Until before this time. */
  readonly to?: number | undefined
  readonly order: keyof typeof ORDERS
}

export function findStatementLines(
  sql: Sql,
  args: FindStatementLinesArgs,
): Promise<FoundPage<StatementLine>> {
  const listing = {
    columns: LINE_FIELDS,
    from: LINE_TABLES,
    id: 'e.ordinal',
    isIdNumber: true,
    order: ORDERS[args.order],
    texts: ['p.reference', `COALESCE(p.note, '')`],
    conditions: conditionsOf([
      ['e.account = ?', args.account],
      ['p.kind = ?', args.kind],
      ['e.booked_at >= ?', args.from],
      ['e.booked_at < ?', args.to],
    ]),
  }
  return readSortedPage(sql, listing, args)
}
