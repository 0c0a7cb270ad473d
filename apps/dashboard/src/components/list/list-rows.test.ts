// Goal: a walk through a station's pages takes every row once, and stops on request. Method: a station
// of plain numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pagesAfter, walkPages, type ListQuestion } from './list-rows.ts'

const QUESTION: ListQuestion = {
  text: '',
  filters: {},
  spans: {},
  sort: '',
  cursor: null,
  limit: 100,
}

/** Rows 1 to `count`, after the one before. */
const station = (count: number) =>
  pagesAfter(
    (after: string | null, limit) => {
      const first = Number(after ?? 0) + 1
      const length = Math.max(0, Math.min(limit, count - first + 1))
      return Promise.resolve(Array.from({ length }, (_, i) => ({ no: first + i })))
    },
    ({ no }) => String(no),
  )

for (const count of [0, 1, 99, 100, 101, 1_000]) {
  test(`a walk through ${count} rows takes each once`, async () => {
    const counts: number[] = []
    const walk = { signal: new AbortController().signal, onCount: (n: number) => counts.push(n) }
    const rows = await walkPages(station(count), QUESTION, walk)
    assert.deepEqual(
      rows.map(({ no }) => no),
      Array.from({ length: count }, (_, i) => i + 1),
    )
    assert.equal(counts.at(-1), count)
  })
}

test('a walk that is stopped asks for no further page', async () => {
  const stopper = new AbortController()
  const rows = await walkPages(station(10_000), QUESTION, {
    signal: stopper.signal,
    onCount: (count) => {
      if (count >= 300) stopper.abort()
    },
  })
  assert.equal(rows.length, 300)
})
