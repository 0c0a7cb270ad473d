// Goal: requests begin when the owner's limits allow it, in their order, or are given back in time.
// Method: crowds of requests at the gate on a virtual clock with a processor that a test loads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import * as fc from 'fast-check'
import type { VolunteerLimits } from '../control.ts'
import { Budget, Gate } from './gate.ts'
import { USUAL_LIMITS } from './volunteer-limits.ts'
import { MonthBytes } from './month-bytes.ts'

function newGate(limits: Partial<VolunteerLimits>) {
  const clock = createVirtualClock()
  const processor = { ms: 0 }
  const all = { ...USUAL_LIMITS, cpuShare: null, ...limits }
  const gate = new Gate({ clock, cpuMs: () => processor.ms }, all)
  const stop = new AbortController()
  const begun: { name: number; atMs: number }[] = []
  const refused: number[] = []
  const come = (
    name: number,
    more: { deadlineMs?: number; isWanted?: () => boolean } = {},
  ): void => {
    const turn = { deadlineMs: Infinity, isWanted: () => true, signal: stop.signal, ...more }
    void gate.turn(turn).then((isGranted) => {
      if (isGranted) begun.push({ name, atMs: clock.monotonicMs() })
      else refused.push(name)
    })
  }
  return { clock, processor, gate, all, stop, begun, refused, come }
}

const names = (begun: { name: number }[]): number[] => begun.map(({ name }) => name)

test('requests per second are kept, first come, first served', async () => {
  const { clock, begun, come } = newGate({ requestsPerSecond: 5 })
  for (let name = 0; name < 50; name++) come(name)
  await clock.advance(5_000)
  assert.ok(begun.length >= 25 && begun.length <= 27, `${begun.length}`)
  await clock.advance(5_000)
  assert.deepEqual(
    names(begun),
    Array.from({ length: 50 }, (_, i) => i),
  )
})

test('a page that was larger than a second of the line holds back the next until it is paid for', async () => {
  const { clock, gate, begun, come } = newGate({ bytesPerSecond: 10_000 })
  come(1)
  await clock.advance(10)
  gate.spendBytes(120_000)
  come(2)
  await clock.advance(9_900)
  assert.deepEqual(names(begun), [1])
  await clock.advance(200)
  assert.deepEqual(names(begun), [1, 2], '12 s of the line, less 2 s that were saved up')
})

test('uploads and pages share one line: an upload waits for what pages took, and the reverse', async () => {
  const { clock, gate, begun, come, stop } = newGate({ bytesPerSecond: 10_000 })
  gate.spendBytes(50_000)
  let isSent = false
  void gate.roomForBytes(stop.signal).then(() => {
    isSent = true
    gate.spendBytes(50_000)
    come(1)
  })
  await clock.advance(2_900)
  assert.ok(!isSent)
  await clock.advance(200)
  assert.ok(isSent)
  await clock.advance(4_500)
  assert.deepEqual(begun, [])
  await clock.advance(700)
  assert.deepEqual(names(begun), [1])
  assert.equal(gate.uploadBytesMax, 100_000)
})

test('a busy processor makes dials wait until its share is kept on average', async () => {
  const { clock, processor, begun, come, gate } = newGate({ cpuShare: 0.25 })
  let waiting = false
  for (let atMs = 0; atMs < 20_000; atMs += 50) {
    const before = begun.length
    if (!waiting) come(atMs)
    await clock.advance(50)
    waiting = begun.length === before
    // Each request costs 40 ms of work.
    processor.ms += (begun.length - before) * 40
    if (atMs % 1_000 === 0) gate.noteCpu()
  }
  const share = processor.ms / clock.monotonicMs()
  assert.ok(share > 0.2 && share < 0.28, `${share}`)
})

test('work of idle hours is no debt when the next request comes', async () => {
  const { clock, processor, begun, come, gate } = newGate({ cpuShare: 0.1 })
  for (let second = 0; second < 3_600; second++) {
    await clock.advance(1_000)
    processor.ms += 20
    gate.noteCpu()
  }
  come(1)
  await clock.advance(1)
  assert.deepEqual(names(begun), [1])
})

test('who cannot have its turn before its lease ends is given back at once, others are not', async () => {
  const { clock, begun, refused, come } = newGate({ requestsPerSecond: 1 })
  for (let name = 0; name < 10; name++) come(name, { deadlineMs: 4_500 })
  come(10, { deadlineMs: 60_000 })
  await clock.advance(1)
  assert.deepEqual(refused, [5, 6, 7, 8, 9])
  await clock.advance(10_000)
  for (const { name, atMs } of begun) assert.ok(name === 10 || atMs < 4_500)
  assert.ok(names(begun).includes(10))
})

test('a lease that was lost in the line uses up no turn', async () => {
  const { clock, begun, refused, come } = newGate({ requestsPerSecond: 1 })
  const lost = new Set<number>()
  for (let name = 0; name < 5; name++) come(name, { isWanted: () => !lost.has(name) })
  await clock.advance(10)
  for (const name of [2, 3]) lost.add(name)
  await clock.advance(2_500)
  assert.deepEqual(names(begun), [0, 1, 4])
  assert.deepEqual(refused, [2, 3])
})

test('a pause sends the whole queue away at once, and afterwards it forms again', async () => {
  const { clock, begun, refused, come, stop } = newGate({ requestsPerSecond: 1 })
  for (let name = 0; name < 5; name++) come(name)
  await clock.advance(10)
  stop.abort()
  await clock.advance(0)
  assert.equal(begun.length + refused.length, 5)
  come(5)
  await clock.advance(0)
  assert.ok(refused.includes(5))
})

test('a limit that is lifted lets everyone through who waits', async () => {
  const { clock, begun, come, gate, all } = newGate({ requestsPerSecond: 0.01 })
  for (let name = 0; name < 5; name++) come(name)
  await clock.advance(500)
  const before = begun.length
  assert.ok(before < 5)
  gate.setLimits({ ...all, requestsPerSecond: null })
  await clock.advance(200)
  assert.equal(begun.length, 5)
})

// Goal: on average never more than allowed, and as much as allowed. Method: random spenders on a
// virtual clock; the month's count on a wall clock that moves.

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
