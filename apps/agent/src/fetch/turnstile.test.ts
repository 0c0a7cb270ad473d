// Goal: never more lanes at work than there are permits, no lane overtakes another, no permit is
// lost or doubled. Method: random crowds on a virtual clock, and the corner cases one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createVirtualClock } from '@minga/testkit'
import { Turnstile } from './turnstile.ts'

const CASES = process.env['MINGA_LONG'] === '1' ? 5_000 : 300

/** One entry per stay of a lane: how long it works and how long it rests afterwards. */
const lane = fc.array(fc.record({ workMs: fc.nat(20), restMs: fc.nat(20) }), { maxLength: 4 })

test('of any crowd as many as there are places work at a time, and all get their turns', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(lane, { maxLength: 8 }),
      async (places, lanes) => {
        const clock = createVirtualClock()
        const turnstile = new Turnstile(places)
        let inside = 0
        let most = 0
        let stays = 0
        const working = lanes.map(async (turns) => {
          const place = turnstile.place()
          for (const { workMs, restMs } of turns) {
            await place.enter()
            most = Math.max(most, ++inside)
            await clock.sleep(workMs)
            inside--
            place.leave()
            stays++
            await clock.sleep(restMs)
          }
        })
        await clock.runUntilIdle()
        await Promise.all(working)
        assert.ok(most <= places)
        const crowd = lanes.filter((turns) => turns.length > 0).length
        // All lanes come at the same moment: places that stay empty then were lost.
        assert.ok(most >= Math.min(places, crowd))
        assert.equal(stays, lanes.flat().length)
      },
    ),
    { numRuns: CASES },
  )
})

/** The order in which lanes came through; each entry waits for its own turn. */
function comers(turnstile: Turnstile, names: string[]) {
  const through: string[] = []
  const places = names.map((name) => {
    const place = turnstile.place()
    void place.enter().then(() => through.push(name))
    return place
  })
  return { through, places }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('who waits longest is next, and a newcomer cannot slip in between', async () => {
  const turnstile = new Turnstile(1)
  const { through, places } = comers(turnstile, ['a', 'b', 'c'])
  await settled()
  assert.deepEqual(through, ['a'])
  places[0]!.leave()
  // In the same turn of the loop, before b has noticed that it is next.
  const late = comers(turnstile, ['late'])
  await settled()
  assert.deepEqual(through, ['a', 'b'])
  assert.deepEqual(late.through, [])
  places[1]!.leave()
  places[2]!.leave()
  await settled()
  assert.deepEqual(late.through, ['late'])
})

test('who is inside enters again without a second place, and leaves but once', async () => {
  const turnstile = new Turnstile(2)
  const place = turnstile.place()
  await place.enter()
  await place.enter()
  const others = comers(turnstile, ['b', 'c'])
  await settled()
  assert.deepEqual(others.through, ['b'])
  place.leave()
  place.leave()
  const last = comers(turnstile, ['d'])
  await settled()
  assert.deepEqual(others.through, ['b', 'c'])
  assert.deepEqual(last.through, [])
})

test('with more permits waiting lanes start; with fewer none is interrupted and none follows', async () => {
  const turnstile = new Turnstile(1)
  const { through, places } = comers(turnstile, ['a', 'b', 'c', 'd', 'e'])
  await settled()
  turnstile.resize(3)
  await settled()
  assert.deepEqual(through, ['a', 'b', 'c'])
  turnstile.resize(2)
  places[0]!.leave()
  await settled()
  assert.deepEqual(through, ['a', 'b', 'c'], 'two are inside, as many as may be')
  places[1]!.leave()
  await settled()
  assert.deepEqual(through, ['a', 'b', 'c', 'd'])
})

test('all who wait are sent away at once; who is inside stays, and the next one waits again', async () => {
  const turnstile = new Turnstile(1)
  const inside = turnstile.place()
  assert.equal(await inside.enter(), true)
  const waiting = [1, 2, 3].map(() => turnstile.place().enter())
  turnstile.dismiss()
  assert.deepEqual(await Promise.all(waiting), [false, false, false])
  const next = comers(turnstile, ['next'])
  await settled()
  assert.deepEqual(next.through, [])
  inside.leave()
  await settled()
  assert.deepEqual(next.through, ['next'])
})
