// Goal: a list is read to its end or to its bound, and never passes a part off as the whole. Method: pages made by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadPage } from './list-rows.ts'
import { readWhole } from './whole-rows.ts'

/** Numbers from 0 on, so many of them. */
const numbers =
  (count: number): ReadPage<number> =>
  async ({ cursor, limit }) => {
    const from = Number(cursor ?? 0)
    const to = Math.min(count, from + limit)
    const rows = Array.from({ length: to - from }, (_, i) => from + i)
    return { rows, cursor: to === count ? null : String(to) }
  }

const bounds = { signal: new AbortController().signal, rowsAPage: 10, rowsMax: 30 }

test('a list within the bound is whole, also when it ends exactly there', async () => {
  for (const count of [0, 1, 10, 25, 30]) {
    const { rows, hasUnread } = await readWhole(numbers(count), bounds)
    assert.deepEqual(rows, [...Array(count).keys()])
    assert.equal(hasUnread, false)
  }
})

test('a longer list is read up to the bound, and says that there is more', async () => {
  const { rows, hasUnread } = await readWhole(numbers(31), bounds)
  assert.deepEqual([rows.length, hasUnread], [30, true])
})

test('reading stops when the reader has left', async () => {
  const left = { ...bounds, signal: AbortSignal.abort() }
  await assert.rejects(readWhole(numbers(5), left), { name: 'AbortError' })
})
