// Goal: virtual time orders sleepers exactly and never touches real time.
// Method: small programs that note when they woke; fast-check for random sets of sleepers.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { createVirtualClock } from './virtual-clock.ts'

test('sleepers wake in the order of their due times, ties in the order of their calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 40 }), async (naps) => {
      const clock = createVirtualClock(1000)
      const woken: { nap: number; order: number; at: number }[] = []
      naps.forEach((nap, order) => {
        void clock.sleep(nap).then(() => woken.push({ nap, order, at: clock.monotonicMs() }))
      })
      await clock.runUntilIdle()
      const expected = naps
        .map((nap, order) => ({ nap, order, at: nap }))
        .toSorted((a, b) => a.nap - b.nap || a.order - b.order)
      assert.deepEqual(woken, expected)
      assert.equal(clock.sleeping(), 0)
    }),
    { numRuns: 200 },
  )
})

test('advance wakes exactly those who are due, and who sleeps again on the way is woken too', async () => {
  const clock = createVirtualClock(0)
  const beats: number[] = []
  void (async () => {
    for (;;) {
      await clock.sleep(10)
      beats.push(clock.now())
    }
  })()
  await clock.advance(35)
  assert.deepEqual(beats, [10, 20, 30])
  assert.equal(clock.monotonicMs(), 35)
  await clock.advance(5)
  assert.deepEqual(beats, [10, 20, 30, 40])
})

test('running until idle stops at its limit when a heartbeat never ends', async () => {
  const clock = createVirtualClock(0)
  let beats = 0
  void (async () => {
    for (;;) {
      await clock.sleep(1000)
      beats += 1
    }
  })()
  assert.equal(await clock.runUntilIdle(10_000), 10_000)
  assert.equal(beats, 10)
})

test('the wall clock jumps backwards while monotonic time goes on', async () => {
  const clock = createVirtualClock(1_000_000)
  let woken = false
  void clock.sleep(100).then(() => (woken = true))
  clock.jumpWall(-500_000)
  assert.equal(clock.now(), 500_000)
  await clock.advance(99)
  assert.equal(woken, false)
  await clock.advance(1)
  assert.equal(woken, true)
  assert.equal(clock.now(), 500_100)
  assert.equal(clock.monotonicMs(), 100)
})

test('an aborted sleeper wakes at once and is not woken again', async () => {
  const clock = createVirtualClock(0)
  const controller = new AbortController()
  const wakes: number[] = []
  void clock.sleep(50, controller.signal).then(() => wakes.push(clock.now()))
  await clock.advance(20)
  controller.abort()
  await clock.advance(0)
  assert.deepEqual(wakes, [20])
  assert.equal(clock.sleeping(), 0)
  await clock.runUntilIdle()
  assert.equal(clock.now(), 20)
  await clock.sleep(1, controller.signal)
})
