// Goal: history made elsewhere teaches as much as visits of our own. Method: revision dates and
// captures of pages with known rates; lists out of order, doubled and outside the span.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBelief, rateOf } from './belief.ts'
import { DAY_MS } from './grid.ts'
import {
  exponentialDays,
  MONDAY,
  randomOf,
  weekdayAt,
  type Random,
} from '../../test/estimate/pages-fixture.ts'
import { trainBelief, trainFromCaptures } from './train.ts'

function changesOf(random: Random, perDay: number, days: number): number[] {
  const times: number[] = []
  for (let at = exponentialDays(random, perDay); at < days; at += exponentialDays(random, perDay)) {
    times.push(Math.round(MONDAY + at * DAY_MS))
  }
  return times
}

test('revision dates give the rate with a narrow interval', () => {
  for (const perDay of [0.05, 0.7, 12]) {
    const belief = newBelief()
    const days = 60 / perDay
    trainBelief(belief, changesOf(randomOf(41), perDay, days), MONDAY, MONDAY + days * DAY_MS)
    const { low, high } = rateOf(belief, 0.99)
    assert.ok(low < perDay && perDay < high, `${perDay} outside ${low}–${high}`)
    assert.ok(high / low < 4, `${high / low}`)
  }
})

test('a silent end of history counts, and an empty history says the page is slow', () => {
  const times = changesOf(randomOf(42), 1, 30)
  const [busy, silent, empty] = [newBelief(), newBelief(), newBelief()]
  trainBelief(busy, times, MONDAY, MONDAY + 30 * DAY_MS)
  trainBelief(silent, times, MONDAY, MONDAY + 130 * DAY_MS)
  trainBelief(empty, [], MONDAY, MONDAY + 130 * DAY_MS)
  assert.ok(rateOf(silent).perDay < 0.6 * rateOf(busy).perDay)
  assert.ok(rateOf(empty).perDay < 0.03)
})

test('order, doubles and moments outside the span do not matter', () => {
  const times = changesOf(randomOf(43), 1, 30)
  const end = MONDAY + 30 * DAY_MS
  const [tidy, untidy] = [newBelief(), newBelief()]
  trainBelief(tidy, times, MONDAY, end)
  const strays = [NaN, MONDAY - DAY_MS, end + DAY_MS]
  trainBelief(untidy, [...times.toReversed(), ...times, ...strays], MONDAY, end)
  assert.deepEqual(untidy, tidy)
})

test('a span that ends before it begins teaches nothing', () => {
  const belief = newBelief()
  trainBelief(belief, [MONDAY], MONDAY + DAY_MS, MONDAY)
  assert.deepEqual(belief, newBelief())
})

test('revision dates teach the rhythm of the week', () => {
  const times = changesOf(randomOf(44), 3, 90).filter((at) => weekdayAt(at) < 5)
  const belief = newBelief()
  trainBelief(belief, times, MONDAY, MONDAY + 90 * DAY_MS)
  assert.equal(belief.season.weekly, true)
})

test('captures teach by their digests what visits would have', () => {
  const random = randomOf(45)
  const changes = changesOf(random, 0.4, 200)
  const captures = Array.from({ length: 200 }, (_, day) => {
    const at = MONDAY + day * DAY_MS
    return { at, digest: String(changes.filter((change) => change <= at).length) }
  })
  const belief = newBelief()
  trainFromCaptures(belief, [...captures.toReversed(), { at: NaN, digest: 'broken' }])
  const { low, high } = rateOf(belief, 0.99)
  assert.ok(low < 0.4 && 0.4 < high, `${low}–${high}`)
  assert.equal(belief.visits, 199)
})

test('one capture, and two of the same moment, teach nothing', () => {
  const belief = newBelief()
  trainFromCaptures(belief, [{ at: MONDAY, digest: 'a' }])
  trainFromCaptures(belief, [
    { at: MONDAY, digest: 'a' },
    { at: MONDAY, digest: 'b' },
  ])
  assert.deepEqual(belief, newBelief())
})
