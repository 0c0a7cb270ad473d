// Goal: rhythms are found where they are, not invented where they are not, and integrals of them
// behave as integrals. Method: seeded pages with known weeks; properties of the integral.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { chanceOfChange, newBelief, observeChanges } from './belief.ts'
import { DAY_MS } from './grid.ts'
import {
  beliefFrom,
  exponentialDays,
  HOUR_MS,
  MONDAY,
  randomOf,
  watch,
  weekdayAt,
  workingWeek,
} from '../../test/estimate/pages-fixture.ts'
import { integratedSeason, newSeason, shapeOf, type Season } from './season.ts'

function workingSeason(): Season {
  const visits = watch(randomOf(1), { rateAt: workingWeek(2), everyDays: 0.5, visits: 300 })
  return beliefFrom(visits).season
}

test('without evidence a day is a day', () => {
  const season = newSeason()
  assert.equal(integratedSeason(season, MONDAY, MONDAY + 3.5 * DAY_MS), 3.5)
  assert.deepEqual([...shapeOf(season).weekdays], [1, 1, 1, 1, 1, 1, 1])
})

test('a whole week is seven days of average activity wherever it begins, and spans add up', () => {
  const season = workingSeason()
  assert.equal(season.weekly, true)
  const moment = fc.double({ min: -60, max: 60, noNaN: true }).map((days) => MONDAY + days * DAY_MS)
  fc.assert(
    fc.property(moment, moment, moment, (a, b, c) => {
      const week = integratedSeason(season, a, a + 7 * DAY_MS)
      assert.ok(Math.abs(week - 7) < 1e-6, `${week}`)
      const [ab, bc, ac] = [
        integratedSeason(season, a, b),
        integratedSeason(season, b, c),
        integratedSeason(season, a, c),
      ]
      assert.ok(Math.abs(ab + bc - ac) < 1e-6)
      assert.ok(a <= b ? ab >= -1e-9 : ab <= 1e-9)
    }),
    { seed: 2 },
  )
})

test('visits teach a working week, and forecasts then expect little of a Sunday', () => {
  const random = randomOf(3)
  let [found, onWednesdays, onSundays] = [0, 0, 0]
  for (let page = 0; page < 20; page++) {
    const visits = watch(random, { rateAt: workingWeek(2), everyDays: 1 / 3, visits: 360 })
    const belief = beliefFrom(visits)
    if (!belief.season.weekly) continue
    found += 1
    const { weekdays } = shapeOf(belief.season)
    assert.ok(Math.max(...weekdays.slice(5)) < 0.7, weekdays.join(' '))
    const chanceOn = (day: number): number => {
      return chanceOfChange(belief, MONDAY + day * DAY_MS, MONDAY + (day + 1) * DAY_MS)
    }
    onWednesdays += chanceOn(2)
    onSundays += chanceOn(6)
  }
  assert.ok(onSundays < 0.65 * onWednesdays, `${onSundays} of ${onWednesdays}`)
  assert.ok(found >= 18, `${found} of 20`)
})

test('hours of the day are learnt in the local time of the page', () => {
  const offset = -4 * HOUR_MS
  const hourAt = (at: number): number => Math.floor((at + offset) / HOUR_MS) % 24
  const rateAt = (at: number): number => (hourAt(at) >= 9 && hourAt(at) < 18 ? 2.4 : 0.16)
  const visits = watch(randomOf(4), { rateAt, everyDays: 1 / 6, visits: 600 })
  const { season } = beliefFrom(visits, newBelief(undefined, offset))
  assert.equal(season.daily, true)
  const parts = shapeOf(season).dayParts
  assert.ok(Math.min(parts[3]!, parts[4]!, parts[5]!) > 1.3, parts.join(' '))
  assert.ok(Math.max(parts[0]!, parts[1]!, parts[7]!) < 0.7, parts.join(' '))
})

test('a page without rhythm is hardly ever given one', () => {
  const random = randomOf(5)
  let invented = 0
  for (const perDay of [0.5, 2, 6]) {
    for (let page = 0; page < 30; page++) {
      const everyDays = [0.125, 0.5, 1][page % 3]!
      const visits = watch(random, { perDay, everyDays, spacing: 'fixed', visits: 240 })
      const { season } = beliefFrom(visits)
      if (season.weekly || season.daily) invented += 1
    }
  }
  assert.ok(invented <= 2, `${invented} of 90`)
})

test('exact moments teach a rhythm even across gaps of more than a week', () => {
  const random = randomOf(6)
  let [found, longest] = [0, 0]
  for (let page = 0; page < 20; page++) {
    const belief = newBelief()
    let before = MONDAY
    for (let n = 0; n < 150; n++) {
      let at = before
      do at += exponentialDays(random, 0.5) * DAY_MS
      while (weekdayAt(at) >= 5)
      observeChanges(belief, { at, count: 1, spanMs: at - before, times: [at] })
      longest = Math.max(longest, at - before)
      before = at
    }
    if (!belief.season.weekly) continue
    found += 1
    assert.ok(Math.max(...shapeOf(belief.season).weekdays.slice(5)) < 0.7)
  }
  assert.ok(longest > 7 * DAY_MS)
  assert.ok(found >= 16, `${found} of 20`)
})

test('spans longer than a week leave the rhythm alone', () => {
  const visits = watch(randomOf(7), { rateAt: workingWeek(1), everyDays: 9, spacing: 'fixed' })
  assert.ok(beliefFrom(visits).season.tallies.every((tally) => tally === 0))
})
