/** What calls for a page of a sorted list have in common: what they take, and what they answer. */
import type { SortedPage } from '@minga/protocol'
import type { FoundPage, PageEnd } from '@minga/store'
import { z } from 'zod'
import { cursorField, cursorOf } from './list-cursor.ts'

export const LISTING = {
  text: z.string().max(300).optional(),
  cursor: cursorField.nullable().default(null),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
}

/** From a moment on, and until before another, in milliseconds. */
export const SPAN = {
  from: z.coerce.number().int().optional(),
  to: z.coerce.number().int().optional(),
}

/** Each of them, and with `-` before it for descending. */
export function sortsOf<Order extends string>(orders: readonly Order[]) {
  return [...orders, ...orders.map((order) => `-${order}` as const)]
}

interface SortedQuery {
  sort: string
  cursor: PageEnd | null
}

/** By what is sorted: a minus before it says from the highest down. */
type OrderOf<Sort extends string> = Sort extends `-${infer Order}` ? Order : Sort

export function toPageArgs<Query extends SortedQuery>({ sort, cursor, ...query }: Query) {
  const isDescending = sort.startsWith('-')
  const order = (isDescending ? sort.slice(1) : sort) as OrderOf<Query['sort']>
  return { ...query, order, isDescending, after: cursor }
}

export function toSortedPage<Row>({ rows, next, total }: FoundPage<Row>): SortedPage<Row> {
  return { rows, next: next === null ? null : cursorOf(next), total }
}
