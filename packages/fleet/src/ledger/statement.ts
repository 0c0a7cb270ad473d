/** What happened on an account, page by page, each line with the balance after it. */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import type { Balance } from '@minga/protocol'
import { NoSuchPosting } from '../errors.ts'
import type { PostingKind } from './posting.ts'

export interface StatementArgs {
  account: string
  /** From this time on. */
  from?: number
  /** Until before this time. */
  to?: number
  /** The posting of the last line that was read; the page begins after it. */
  afterId?: string
  limit: number
  newestFirst?: boolean
}

export interface StatementLine {
  postingId: string
  at: number
  kind: PostingKind
  reference: string
  note: string | null
  amountMicros: number
  /** Served requests that the amount pays for. */
  requests: number
  /** After this line. */
  balanceMicros: number
}

export const LINE_FIELDS = `e.posting_id AS "postingId", e.booked_at AS "at", p.kind AS "kind",
  p.reference AS "reference", p.note AS "note", e.amount_micros AS "amountMicros",
  e.requests AS "requests", e.balance_micros AS "balanceMicros"`
export const LINE_TABLES = 'FROM ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id'

/** A page is one transaction: on SQLite everyone else waits for it. */
const LINES_MAX = 1_000

export async function statement(sql: Sql, args: StatementArgs): Promise<StatementLine[]> {
  const { account, newestFirst = false } = args
  const { where, params } = await range(sql, args)
  const direction = newestFirst ? 'DESC' : 'ASC'
  const limit = Math.max(0, Math.min(args.limit, LINES_MAX))
  return sql.all(
    `SELECT ${LINE_FIELDS} ${LINE_TABLES}
     WHERE e.account = ?${where}
     ORDER BY e.booked_at ${direction}, e.ordinal ${direction} LIMIT ?`,
    [account, ...params, limit],
  )
}

async function range(sql: Sql, args: StatementArgs): Promise<{ where: string; params: number[] }> {
  const { from, to, newestFirst = false } = args
  let where = ''
  const params: number[] = []
  const add = (condition: string, ...values: number[]): void => {
    where += ` AND ${condition}`
    params.push(...values)
  }
  if (from !== undefined) add('e.booked_at >= ?', from)
  if (to !== undefined) add('e.booked_at < ?', to)
  if (args.afterId !== undefined) {
    const place = await placeOf(sql, args.account, args.afterId)
    // Time and ordinal grow together: the time lets the index be used, the ordinal decides.
    add(newestFirst ? 'e.booked_at <= ?' : 'e.booked_at >= ?', place.booked_at)
    add(newestFirst ? 'e.ordinal < ?' : 'e.ordinal > ?', place.ordinal)
  }
  return { where, params }
}

async function placeOf(
  sql: Sql,
  account: string,
  postingId: string,
): Promise<{ ordinal: number; booked_at: number }> {
  const place = await sql.get<{ ordinal: number; booked_at: number }>(
    'SELECT ordinal, booked_at FROM ledger_entries WHERE posting_id = ? AND account = ?',
    [postingId, account],
  )
  if (place === undefined) throw new NoSuchPosting(postingId, account)
  return place
}

/** Aligned with `accounts`; an account that never had an entry has 0. */
export async function balancesOf(
  sql: Sql,
  args: { accounts: readonly string[] },
): Promise<Balance[]> {
  const rows = await sql.selectMany<{ balance_micros: number; requests: number }>({
    table: 'ledger_balances',
    keys: ['account'],
    rows: args.accounts.map((account) => [account]),
    columns: ['balance_micros', 'requests'],
  })
  return args.accounts.map((account, i) => ({
    account,
    balanceMicros: rows[i]?.balance_micros ?? 0,
    requests: rows[i]?.requests ?? 0,
  }))
}

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

/** Lines of an account's statement by kind, time and text, in an order that the reader chose, page by page. */
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
