// Goal: on average never more than allowed, and as much as allowed. Method: random spenders on a
// virtual clock; the month's count on a wall clock that moves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createVirtualClock } from '@minga/testkit'
import { Budget } from './budget.ts'
import { MonthBytes } from './month-bytes.ts'

const CASES = process.env['MINGA_LONG'] === '1' ? 2_000 : 200

test('a caller that waits as requested spends at most the rate and what was saved up', async () => {
  const spending = fc.array(fc.record({ amount: fc.nat(50), idleMs: fc.nat(3_000) }), {
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(spending, fc.integer({ min: 1, max: 100 }), async (items, perSecond) => {
      const clock = createVirtualClock()
      const budget = new Budget(clock, { perSecond, burstMs: 500 })
      const spent: { atMs: number; amount: number }[] = []
      for (const { amount, idleMs } of items) {
        await clock.advance(idleMs)
        await clock.advance(budget.waitMs())
        budget.spend(amount)
        spent.push({ atMs: clock.monotonicMs(), amount })
      }
      for (let from = 0; from < spent.length; from++) {
        let sum = 0
        for (const { atMs, amount } of spent.slice(from)) {
          const allowed = (perSecond * (atMs - spent[from]!.atMs + 500)) / 1_000
          assert.ok(sum <= allowed + 0.001, 'beyond the last item nothing is spent ahead')
          sum += amount
        }
      }
    }),
    { numRuns: CASES },
  )
})

test('a steady spender gets the whole rate', async () => {
  const clock = createVirtualClock()
  const budget = new Budget(clock, { perSecond: 4, burstMs: 0 })
  for (let i = 0; i < 40; i++) {
    await clock.advance(budget.waitMs())
    budget.spend(1)
  }
  assert.equal(clock.monotonicMs(), 39 * 250)
})

test('without a limit no caller waits', () => {
  const budget = new Budget(createVirtualClock(), { perSecond: null, burstMs: 0 })
  budget.spend(1e12)
  assert.equal(budget.waitMs(), 0)
})

test('a month is counted in UTC, goes on after a restart and starts again with the next', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 31, 23, 59, 50))
  const month = new MonthBytes(clock, { month: '2026-01', bytes: 500 })
  month.add(100)
  assert.deepEqual(month.use, { month: '2026-01', bytes: 600 })
  await clock.advance(10_000)
  assert.deepEqual(month.use, { month: '2026-02', bytes: 0 })
  month.add(7)
  const restarted = new MonthBytes(clock, month.use)
  assert.deepEqual(restarted.use, { month: '2026-02', bytes: 7 })
  assert.deepEqual(new MonthBytes(clock, { month: '2025-12', bytes: 9 }).use.bytes, 0)
})
