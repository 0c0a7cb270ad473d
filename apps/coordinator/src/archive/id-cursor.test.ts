// Goal: rows with growing ids are read exactly once, though some appear after rows with higher
// ones. Method: synthetic transactions that are given numbers in one order and end in another, or
// never, and readers at any moment between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { advanced, START, type IdCursor } from './id-cursor.ts'

interface Transaction {
  ids: number[]
  begins: number
  ends: number
  isKept: boolean
}

/** What a reader of this moment finds by a cursor. */
function found(transactions: readonly Transaction[], cursor: IdCursor, moment: number): number[] {
  const visible = transactions.filter(({ ends, isKept }) => isKept && ends <= moment)
  return visible
    .flatMap(({ ids }) => ids)
    .filter((id) => id > cursor.last || cursor.holes.some(({ from, to }) => id >= from && id <= to))
    .toSorted((a, b) => a - b)
}

test('every row that is committed is read once, whatever the order of commits', () => {
  const transaction = fc.record({
    begins: fc.integer({ min: 0, max: 100 }),
    lasts: fc.integer({ min: 1, max: 300 }),
    count: fc.integer({ min: 1, max: 3 }),
    isKept: fc.boolean(),
  })
  const moments = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 })
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 20 }), moments, (made, at) => {
      let last = 0
      const transactions = made
        .toSorted((a, b) => a.begins - b.begins)
        .map(({ begins, lasts, count, isKept }): Transaction => {
          const ids = Array.from({ length: count }, () => ++last)
          return { ids, begins, ends: begins + lasts, isKept }
        })
      let cursor = START
      const read: number[] = []
      for (const moment of [...at.toSorted((a, b) => a - b), 1_000]) {
        const ids = found(transactions, cursor, moment)
        read.push(...ids)
        const open = transactions
          .map((one, i) => ({ ...one, xid: i }))
          .filter(({ begins, ends }) => begins <= moment && ends > moment)
        const next = transactions.filter(({ begins }) => begins <= moment).length
        const oldest = open[0]?.xid ?? next
        // A minute between two moments, so that holes are old enough to be marked.
        cursor = advanced(cursor, ids, { now: moment * 60_000, oldest, next })
      }
      const kept = transactions.filter(({ isKept }) => isKept).flatMap(({ ids }) => ids)
      assert.deepEqual(
        read.toSorted((a, b) => a - b),
        kept,
      )
    }),
    { seed: 7, numRuns: 2_000 },
  )
})

test('numbers that were given back are not looked for for ever', () => {
  const horizon = { oldest: 10, next: 12 }
  const young = advanced(START, [1, 4], { now: 0, ...horizon })
  assert.deepEqual(
    young.holes.map(({ from, to }) => [from, to]),
    [[2, 3]],
  )
  const marked = advanced(young, [], { now: 60_000, ...horizon })
  assert.equal(marked.holes[0]!.mark, 12)
  assert.equal(advanced(marked, [], { now: 70_000, oldest: 11, next: 20 }).holes.length, 1)
  assert.deepEqual(advanced(marked, [], { now: 70_000, oldest: 12, next: 20 }), {
    last: 4,
    holes: [],
  })
})

test('where one transaction comes after another there is nothing to remember', () => {
  assert.deepEqual(advanced(START, [3, 9], null), { last: 9, holes: [] })
})
