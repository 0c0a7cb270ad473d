// Goal: forecasts from exact times of revisions order pages by how soon they change. Method:
// hand-made histories.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastPage } from './forecast-visits.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 5)
const every = (days: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => START + i * days * DAY_MS)

test('a page that is edited daily is due sooner than one that is edited monthly, and its rate is about that', () => {
  const lookedAt = START + 360 * DAY_MS
  const daily = forecastPage(every(1, 361), { lookedAt, now: lookedAt })
  const monthly = forecastPage(every(30, 13), { lookedAt, now: lookedAt })
  assert.ok(daily.perDay > 0.8 && daily.perDay < 1.25, String(daily.perDay))
  assert.ok(monthly.perDay > 0.01 && monthly.perDay < 0.1, String(monthly.perDay))
  assert.ok(daily.low < daily.perDay && daily.perDay < daily.high)
  assert.ok(daily.dueAt - lookedAt < 2 * DAY_MS)
  assert.ok(monthly.dueAt - lookedAt > 7 * DAY_MS)
})

test('what is due is as likely as not, and a page that went quiet is asked for ever less', () => {
  const busy = every(1, 30)
  const soon = forecastPage(busy, { lookedAt: START + 30 * DAY_MS, now: START + 30 * DAY_MS })
  const later = forecastPage(busy, { lookedAt: START + 400 * DAY_MS, now: START + 400 * DAY_MS })
  assert.ok(later.dueAt - (START + 400 * DAY_MS) > 5 * (soon.dueAt - (START + 30 * DAY_MS)))
  const lookedAt = START + 30 * DAY_MS
  const { chance } = forecastPage(busy, { lookedAt, now: soon.dueAt })
  assert.ok(chance >= 0.45 && chance < 0.6, String(chance))
  assert.equal(soon.chance, 0)
})

test('a page without a revision, or visited before its first, has a forecast too', () => {
  for (const times of [[], [START + DAY_MS]]) {
    const { perDay, dueAt } = forecastPage(times, { lookedAt: START, now: START })
    assert.ok(Number.isFinite(perDay) && dueAt > START)
  }
})
