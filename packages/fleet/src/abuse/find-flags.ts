/** Flags by client, kind, weight and what was decided, in an order that the reader chose, page by page. */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import type { FlagKind, Severity } from './anomalies.ts'
import {
  FLAG_FIELDS,
  flagOf,
  type Flag,
  type FlagEffect,
  type FlagRow,
  type FlagState,
} from './flags.ts'

/** Later than any time: what waits for a decision comes together, each part by its age. */
const LATE = 1_000_000_000_000_000

const ORDERS = {
  openedAt: 'opened_at',
  changedAt: 'changed_at',
  client: 'client',
  kind: 'kind',
  severity: 'severity',
  state: `(CASE WHEN state = 'open' THEN opened_at + ${LATE} ELSE opened_at END)`,
  effect: 'effect',
} as const
export const FLAG_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindFlagsArgs extends PageArgs {
  readonly state?: FlagState | null | undefined
  readonly client?: string | null | undefined
  readonly kind?: FlagKind | undefined
  readonly severity?: Severity | undefined
  readonly effect?: FlagEffect | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof ORDERS
}

export async function findFlags(sql: Sql, args: FindFlagsArgs): Promise<FoundPage<Flag>> {
  const listing = {
    columns: FLAG_FIELDS,
    from: 'FROM abuse_flags',
    id: 'id',
    order: ORDERS[args.order],
    texts: ['client', `COALESCE(note, '')`, 'id'],
    conditions: conditionsOf([
      ['state = ?', args.state],
      ['client = ?', args.client],
      ['kind = ?', args.kind],
      ['severity = ?', args.severity],
      ['effect = ?', args.effect],
      ['opened_at >= ?', args.from],
      ['opened_at < ?', args.to],
    ]),
  }
  const page = await readSortedPage<FlagRow>(sql, listing, args)
  return { ...page, rows: page.rows.map(flagOf) }
}
