// Goal: a station that is back soon is found soon, and a fleet that missed it does not return as one.
// Method: pauses drawn with real dice, many times.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '@minga/testkit'
import { AGENT_BACKOFF, Backoff, WORKER_BACKOFF } from './backoff.ts'

function dice(seed: number): () => number {
  const random = seededRandom(seed)
  return () => random.next()
}

test('the first tries are quick, and quick again once the station was there', () => {
  const backoff = new Backoff(AGENT_BACKOFF, () => 0.5)
  const quick = [250, 500, 1_000, 2_000, 4_000]
  assert.deepEqual(
    quick.map(() => backoff.nextMs()),
    quick,
  )
  assert.equal(backoff.nextMs(), 17_500)
  backoff.reset()
  assert.equal(backoff.nextMs(), 250)
})

test('Jittered retry: after a long absence pauses lie between 5 and 30 seconds, spread over all of it', () => {
  const agents = Array.from({ length: 2_000 }, (_, seed) => {
    const backoff = new Backoff(AGENT_BACKOFF, dice(seed + 1))
    for (let quick = 0; quick < 5; quick++) backoff.nextMs()
    return backoff.nextMs()
  })
  for (const ms of agents) assert.ok(ms >= 5_000 && ms <= 30_000, `${ms} ms`)
  // In each of ten equal parts of the time about a tenth of the fleet returns.
  const parts = Array.from({ length: 10 }, () => 0)
  for (const ms of agents) parts[Math.min(9, Math.floor((ms - 5_000) / 2_500))]!++
  for (const count of parts) assert.ok(count > 140 && count < 260, parts.join(' '))
})

test('workers keep trying every few seconds, each at its own moment', () => {
  const pauses = (random: number): number[] => {
    const backoff = new Backoff(WORKER_BACKOFF, () => random)
    return Array.from({ length: 8 }, () => backoff.nextMs())
  }
  assert.deepEqual(pauses(0.5), [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
  assert.deepEqual(pauses(0), [50, 100, 200, 400, 800, 1_600, 2_500, 2_500])
})
