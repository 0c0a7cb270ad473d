/** Sorted lists, walked page by page as a reader does. */
import assert from 'node:assert/strict'
import type { FoundPage, PageArgs, PageEnd } from '../src/sorted-page.ts'

/** Odd and small: rows that sort alike fall on both sides of a page's end. */
const PAGE_ROWS = 3

/** Parameters of a list that all lists share. */
type Part = Omit<PageArgs, 'text'>

/** `read` calls the operation of the list with the part of it that is wanted. */
export async function allPages<Row>(
  read: (part: Part) => Promise<FoundPage<Row>>,
  isDescending = false,
): Promise<Row[]> {
  const rows: Row[] = []
  let after: PageEnd | null = null
  let total: number | null = null
  do {
    const page: FoundPage<Row> = await read({ isDescending, after, limit: PAGE_ROWS })
    if (after === null) total = page.total
    else assert.equal(page.total, null, 'counted once')
    rows.push(...page.rows)
    after = page.next
  } while (after !== null)
  assert.equal(rows.length, total, 'as many as were counted')
  return rows
}

interface OrderedList<Row, Order extends string> {
  orders: readonly Order[]
  read: (part: Part & { order: Order }) => Promise<FoundPage<Row>>
  idOf: (row: Row) => string | number
}

/** In every order each row comes once, and descending is ascending from behind. */
export async function assertEveryOrder<Row, Order extends string>(
  list: OrderedList<Row, Order>,
): Promise<void> {
  const { orders, read, idOf } = list
  for (const order of orders) {
    const up = await allPages((part) => read({ ...part, order }))
    const down = await allPages((part) => read({ ...part, order }), true)
    assert.ok(up.length > PAGE_ROWS, 'more than a page')
    assert.equal(new Set(up.map(idOf)).size, up.length, `each once by ${order}`)
    assert.deepEqual(down.map(idOf), up.map(idOf).toReversed(), `both ways by ${order}`)
  }
}
