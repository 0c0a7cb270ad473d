// Goal: never more lanes at work than there are permits, no lane overtakes another, no permit is
// lost or doubled. Method: random crowds on a virtual clock, and the corner cases one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createVirtualClock } from '@minga/testkit'
import { ResizableSemaphore } from './resizable-semaphore.ts'

const CASES = process.env['MINGA_LONG'] === '1' ? 5_000 : 300

/** One entry per stay of a lane: how long it works and how long it rests afterwards. */
const lane = fc.array(fc.record({ workMs: fc.nat(20), restMs: fc.nat(20) }), { maxLength: 4 })

test('of any crowd as many as there are permits work at a time, and all get their turns', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(lane, { maxLength: 8 }),
      async (permits, lanes) => {
        const clock = createVirtualClock()
        const semaphore = new ResizableSemaphore(permits)
        let inside = 0
        let most = 0
        let stays = 0
        const working = lanes.map(async (turns) => {
          const permit = semaphore.permit()
          for (const { workMs, restMs } of turns) {
            await permit.acquire()
            most = Math.max(most, ++inside)
            await clock.sleep(workMs)
            inside--
            permit.release()
            stays++
            await clock.sleep(restMs)
          }
        })
        await clock.runUntilIdle()
        await Promise.all(working)
        assert.ok(most <= permits)
        const crowd = lanes.filter((turns) => turns.length > 0).length
        // All lanes come at the same moment: permits that stay free then were lost.
        assert.ok(most >= Math.min(permits, crowd))
        assert.equal(stays, lanes.flat().length)
      },
    ),
    { numRuns: CASES },
  )
})

/** The order in which lanes came through; each entry waits for its own turn. */
function waiters(semaphore: ResizableSemaphore, names: string[]) {
  const through: string[] = []
  const permits = names.map((name) => {
    const permit = semaphore.permit()
    void permit.acquire().then(() => through.push(name))
    return permit
  })
  return { through, permits }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('who waits longest is next, and a newcomer cannot slip in between', async () => {
  const semaphore = new ResizableSemaphore(1)
  const { through, permits } = waiters(semaphore, ['a', 'b', 'c'])
  await settled()
  assert.deepEqual(through, ['a'])
  permits[0]!.release()
  // In the same turn of the loop, before b has noticed that it is next.
  const late = waiters(semaphore, ['late'])
  await settled()
  assert.deepEqual(through, ['a', 'b'])
  assert.deepEqual(late.through, [])
  permits[1]!.release()
  permits[2]!.release()
  await settled()
  assert.deepEqual(late.through, ['late'])
})

test('who holds a permit acquires no second one, and releases it but once', async () => {
  const semaphore = new ResizableSemaphore(2)
  const permit = semaphore.permit()
  await permit.acquire()
  await permit.acquire()
  const others = waiters(semaphore, ['b', 'c'])
  await settled()
  assert.deepEqual(others.through, ['b'])
  permit.release()
  permit.release()
  const last = waiters(semaphore, ['d'])
  await settled()
  assert.deepEqual(others.through, ['b', 'c'])
  assert.deepEqual(last.through, [])
})

test('with more permits waiting lanes start; with fewer none is interrupted and none follows', async () => {
  const semaphore = new ResizableSemaphore(1)
  const { through, permits } = waiters(semaphore, ['a', 'b', 'c', 'd', 'e'])
  await settled()
  semaphore.resize(3)
  await settled()
  assert.deepEqual(through, ['a', 'b', 'c'])
  semaphore.resize(2)
  permits[0]!.release()
  await settled()
  assert.deepEqual(through, ['a', 'b', 'c'], 'two are inside, as many as may be')
  permits[1]!.release()
  await settled()
  assert.deepEqual(through, ['a', 'b', 'c', 'd'])
})

test('all who wait are sent away at once; who is inside stays, and the next one waits again', async () => {
  const semaphore = new ResizableSemaphore(1)
  const inside = semaphore.permit()
  assert.equal(await inside.acquire(), true)
  const waiting = [1, 2, 3].map(() => semaphore.permit().acquire())
  semaphore.dismiss()
  assert.deepEqual(await Promise.all(waiting), [false, false, false])
  const next = waiters(semaphore, ['next'])
  await settled()
  assert.deepEqual(next.through, [])
  inside.release()
  await settled()
  assert.deepEqual(next.through, ['next'])
})
