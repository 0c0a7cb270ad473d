/** Sorted lists, walked page by page as a reader does. */
import assert from 'node:assert/strict'
import type { FoundPage, PageEnd } from './sorted-page.ts'
import type { Store } from './sql.ts'

/** Odd and small: rows that sort alike fall on both sides of a page's end. */
const PAGE_ROWS = 3

export async function allPages<Row>(store: Store, operation: string, args: object): Promise<Row[]> {
  const rows: Row[] = []
  let after: PageEnd | null = null
  let total: number | null = null
  do {
    const page: FoundPage<Row> = await store.call(operation, {
      isDescending: false,
      ...args,
      after,
      limit: PAGE_ROWS,
    })
    if (after === null) total = page.total
    else assert.equal(page.total, null, 'counted once')
    rows.push(...page.rows)
    after = page.next
  } while (after !== null)
  assert.equal(rows.length, total, 'as many as were counted')
  return rows
}

interface OrderedList<Row> {
  operation: string
  orders: readonly string[]
  args?: object
  idOf: (row: Row) => string | number
}

/** In every order each row comes once, and descending is ascending from behind. */
export async function assertEveryOrder<Row>(store: Store, list: OrderedList<Row>): Promise<void> {
  const { operation, orders, idOf, args = {} } = list
  for (const order of orders) {
    const up = await allPages<Row>(store, operation, { ...args, order })
    const down = await allPages<Row>(store, operation, { ...args, order, isDescending: true })
    assert.ok(up.length > PAGE_ROWS, 'more than a page')
    assert.equal(new Set(up.map(idOf)).size, up.length, `each once by ${order}`)
    assert.deepEqual(down.map(idOf), up.map(idOf).toReversed(), `both ways by ${order}`)
  }
}
