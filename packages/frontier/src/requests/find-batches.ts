/** Batches by state, time and id, in an order that the reader chose, page by page. */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import type { BatchState, BatchStatus } from './batches.ts'
import { statusOf, type BatchRow } from './results.ts'

const ORDERS = {
  createdAt: 'created_at',
  id: 'id',
  state: 'state',
  total: 'total',
  captured: 'captured',
  failed: 'failed',
  denied: 'denied',
  bytes: 'bytes',
} as const
export const BATCH_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindBatchesArgs extends PageArgs {
  /** Null for everyone's. */
  readonly client: string | null
  readonly state?: BatchState | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof ORDERS
}

export async function findBatches(
  sql: Sql,
  args: FindBatchesArgs,
): Promise<FoundPage<BatchStatus>> {
  const listing = {
    columns: '*',
    from: 'FROM batches',
    id: 'id',
    order: ORDERS[args.order],
    texts: ['id'],
    conditions: conditionsOf([
      ['client = ?', args.client],
      ['state = ?', args.state],
      ['created_at >= ?', args.from],
      ['created_at < ?', args.to],
    ]),
  }
  const page = await readSortedPage<BatchRow>(sql, listing, args)
  return { ...page, rows: page.rows.map(statusOf) }
}
