// Goal: no more visits go out than the budget allows, and none is lost to a quiet hour. Method: the
// bucket by itself, over synthetic days.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { drawAllowance } from './visit-allowance.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('over any days, whatever is wanted when, no more is taken than the budget and what was saved', () => {
  const looks = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 * HOUR }), fc.nat(500)), {
    minLength: 1,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), looks, (visitsPerDay, wishes) => {
      let before = null
      let now = 0
      let sum = 0
      for (const [waitMs, wanted] of wishes) {
        now += waitMs
        const { taken, after } = drawAllowance(before, { now, perDay: visitsPerDay, wanted })
        assert.ok(taken >= 0 && taken <= wanted)
        before = after
        sum += taken
      }
      // What six hours leave over may be used at once, at the start as well.
      assert.ok(sum <= 1 + (visitsPerDay * (now + 6 * HOUR)) / DAY)
    }),
  )
})

test('what is wanted all the time gets the whole budget of a day', () => {
  let before = null
  let sum = 0
  for (let now = 0; now <= 10 * DAY; now += HOUR) {
    const { taken, after } = drawAllowance(before, { now, perDay: 100, wanted: 1_000 })
    before = after
    sum += taken
  }
  assert.ok(sum >= 1_000 && sum <= 1_026, String(sum))
})

test('a smaller budget holds at once, and a clock that went back gives nothing', () => {
  const saved = drawAllowance(null, { now: DAY, perDay: 1_000, wanted: 0 }).after
  const { taken } = drawAllowance(saved, { now: DAY, perDay: 8, wanted: 100 })
  assert.equal(taken, 2)
  const used = drawAllowance(saved, { now: DAY, perDay: 1_000, wanted: 250 }).after
  assert.equal(drawAllowance(used, { now: 0, perDay: 1_000, wanted: 10 }).taken, 0)
})
