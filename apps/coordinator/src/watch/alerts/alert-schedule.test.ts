// Goal: messages go out at the hour that people chose, never in their quiet hours, also when clocks
// change. Method: known dates of known zones, and many seeded moments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertSettings, type AlertSettings } from '@minga/protocol'
import * as fc from 'fast-check'
import { dueAt, endOfQuiet } from './alert-schedule.ts'

const due = (at: string, settings: Partial<AlertSettings>): string =>
  new Date(dueAt(alertSettings.parse(settings), Date.parse(at))).toISOString()

test('an immediate alert is due at once, and a digest at its next hour', () => {
  const at = '2026-05-06T10:20:30.400Z'
  assert.equal(due(at, {}), at)
  assert.equal(due(at, { digest: 'hourly' }), '2026-05-06T11:00:00.000Z')
  assert.equal(due(at, { digest: 'hourly', zone: '+05:30' }), '2026-05-06T10:30:00.000Z')
  assert.equal(due(at, { digest: 'daily', digestHour: 10 }), '2026-05-07T10:00:00.000Z')
  const lima = { zone: 'America/Lima', digestHour: 8 }
  assert.equal(due(at, { ...lima, digest: 'daily' }), '2026-05-06T13:00:00.000Z')
  // 6 May 2026 is a Wednesday.
  assert.equal(due(at, { ...lima, digest: 'weekly' }), '2026-05-11T13:00:00.000Z')
  assert.equal(due(at, { ...lima, digest: 'weekly', digestDay: 3 }), '2026-05-06T13:00:00.000Z')
})

test('a digest at an hour that the clock skips or shows twice goes out once that day', () => {
  const madrid = { zone: 'Europe/Madrid', digest: 'daily' as const, digestHour: 2 }
  assert.equal(due('2026-03-28T23:30:00Z', madrid), '2026-03-29T01:00:00.000Z')
  assert.equal(due('2026-03-29T01:00:00Z', madrid), '2026-03-30T00:00:00.000Z')
  assert.equal(due('2026-10-24T23:30:00Z', madrid), '2026-10-25T00:00:00.000Z')
  assert.equal(due('2026-10-25T00:00:00Z', madrid), '2026-10-26T01:00:00.000Z')
})

test('quiet hours end when they end, also past midnight and over a change of clocks', () => {
  const quiet = { quiet: { from: '22:00', to: '07:30' }, zone: 'Europe/Madrid' }
  assert.equal(due('2026-05-06T19:59:59Z', quiet), '2026-05-06T19:59:59.000Z')
  assert.equal(due('2026-05-06T20:00:00Z', quiet), '2026-05-07T05:30:00.000Z')
  assert.equal(due('2026-05-07T05:29:59Z', quiet), '2026-05-07T05:30:00.000Z')
  assert.equal(due('2026-03-28T23:00:00Z', quiet), '2026-03-29T05:30:00.000Z')
  assert.equal(due('2026-10-24T23:00:00Z', quiet), '2026-10-25T06:30:00.000Z')
})

test('nothing is ever due in the past, in quiet hours or later than a week and a day', () => {
  const zones = ['UTC', 'America/Lima', 'Europe/Madrid', 'Asia/Kathmandu', '-03:30']
  const time = fc
    .record({ hour: fc.nat(23), minute: fc.nat(59) })
    .map(({ hour, minute }) => [hour, minute].map((n) => String(n).padStart(2, '0')).join(':'))
  const settings = fc.record({
    zone: fc.constantFrom(...zones),
    quiet: fc.option(fc.record({ from: time, to: time })),
    digest: fc.constantFrom('at-once' as const, 'hourly', 'daily', 'weekly'),
    digestHour: fc.nat(23),
    digestDay: fc.integer({ min: 1, max: 7 }),
  })
  const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
  fc.assert(
    fc.property(settings, moment, (given, now) => {
      const times = alertSettings.parse(given)
      const at = dueAt(times, now)
      assert.ok(at >= now && at <= now + 9 * 86_400_000)
      assert.equal(endOfQuiet(times, at), at)
    }),
    { seed: 4, numRuns: 300 },
  )
})
