/** Results of a batch by outcome and address, in an order that the reader chose, page by page. */
import type { Outcome } from '@minga/protocol'
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { RESULT_COLUMNS, resultOf, type RequestResult, type ResultRow } from './results.ts'

/** What was asked for, before redirects. */
const ASKED = 'COALESCE(asked, url)'

const ORDERS = {
  no: 'ended_no',
  url: ASKED,
  outcome: 'outcome',
  status: 'COALESCE(status, 0)',
  bytes: 'COALESCE(bytes, -1)',
} as const
export const RESULT_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindResultsArgs extends PageArgs {
  readonly batchId: string
  readonly outcome?: Outcome | undefined
  readonly isVerified?: boolean | undefined
  readonly order: keyof typeof ORDERS
}

export async function findResults(
  sql: Sql,
  args: FindResultsArgs,
): Promise<FoundPage<RequestResult>> {
  const { batchId, outcome, isVerified } = args
  const listing = {
    columns: RESULT_COLUMNS,
    from: 'FROM requests',
    id: 'ended_no',
    isIdNumber: true,
    order: ORDERS[args.order],
    texts: [ASKED, 'url', `COALESCE(code, '')`],
    conditions: [
      ...conditionsOf([
        ['batch_id = ?', batchId],
        ['outcome = ?', outcome],
        ['COALESCE(verified, 0) = ?', isVerified === undefined ? undefined : Number(isVerified)],
      ]),
      { text: 'outcome IS NOT NULL', params: [] },
    ],
  }
  const page = await readSortedPage<ResultRow>(sql, listing, args)
  return { ...page, rows: page.rows.map(resultOf) }
}
