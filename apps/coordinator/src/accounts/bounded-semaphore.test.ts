// Goal: a flood of log-ins takes neither all threads nor all memory. Method: work that the test ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedSemaphore } from './bounded-semaphore.ts'

test('two run, thirty-two wait in order, and further callers are asked to come back later', async () => {
  const semaphore = new BoundedSemaphore()
  const ends: (() => void)[] = []
  const order: number[] = []
  let inside = 0
  const work = (i: number) => async (): Promise<number> => {
    order.push(i)
    inside++
    assert.ok(inside <= 2)
    await new Promise<void>((resolve) => ends.push(resolve))
    inside--
    // What fails inside lets the next one in as well.
    if (i % 2) throw new Error('failed inside')
    return i
  }
  const callers = Array.from({ length: 34 }, (_, i) => semaphore.run(work(i)))
  const results = Promise.allSettled(callers)
  await assert.rejects(semaphore.run(work(99)), { code: 'MINGA_RATE_LIMITED', retryAfterS: 2 })
  for (let ended = 0; ended < 34;) {
    const batch = ends.splice(0)
    ended += batch.length
    batch.forEach((end) => end())
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal((await results).filter(({ status }) => status === 'fulfilled').length, 17)
  assert.deepEqual(
    order,
    Array.from({ length: 34 }, (_, i) => i),
  )
  const again = semaphore.run(async () => 'free again')
  assert.equal(await again, 'free again')
})
