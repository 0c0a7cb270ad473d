// Goal: the machine works when the clock on its wall says so, also over midnight and on the days when
// clocks change. Method: instants of a time zone with summer time, minute by minute.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { isWithinHours, nextOpening, parseHours } from './hours.ts'

const MINUTE_MS = 60_000
const formerZone = process.env['TZ']
process.env['TZ'] = 'Europe/Berlin'
after(() => {
  if (formerZone === undefined) delete process.env['TZ']
  else process.env['TZ'] = formerZone
})

const local = (text: string): number => new Date(text).getTime()
const windowsOf = (text: string) => parseHours(text)!

test('hours over midnight and several windows are kept to the minute', () => {
  const windows = windowsOf('22:00-06:30, 12:00-13:00')
  const at = (time: string): boolean => isWithinHours(windows, local(`2026-02-10T${time}`))
  for (const time of ['22:00:00', '23:59:59', '00:00:00', '06:29:59', '12:00:00', '12:59:59']) {
    assert.ok(at(time), time)
  }
  for (const time of ['21:59:59', '06:30:00', '11:59:59', '13:00:00']) assert.ok(!at(time), time)
})

test('until 24:00 is until midnight', () => {
  const windows = windowsOf('20:00-24:00')
  assert.ok(isWithinHours(windows, local('2026-02-10T23:59:59')))
  assert.ok(!isWithinHours(windows, local('2026-02-11T00:00:00')))
})

for (const [what, from, hours] of [
  ['loses an hour', '2026-03-28T22:00:00', 7.5],
  ['wins an hour', '2026-10-24T22:00:00', 9.5],
] as const) {
  test(`in a night that ${what} the same times of the wall clock hold`, () => {
    const windows = windowsOf('22:00-06:30')
    let minutes = 0
    for (let at = local(from); isWithinHours(windows, at); at += MINUTE_MS) minutes++
    assert.equal(minutes / 60, hours)
  })
}

for (const text of [
  '',
  '22:00',
  '22:00-',
  '25:00-06:00',
  '22:60-06:00',
  '10:00-10:00',
  '24:00-02:00',
  '1-2',
  '22:00-06:00,',
  'always',
]) {
  test(`"${text}" is not taken for hours of a day`, () => {
    assert.equal(parseHours(text), null)
  })
}

test('the next opening is the first to come, today or tomorrow', () => {
  const windows = windowsOf('22:00-06:30,12:05-13:00')
  assert.equal(nextOpening(windows, local('2026-02-10T07:00:00')), '12:05')
  assert.equal(nextOpening(windows, local('2026-02-10T13:00:00')), '22:00')
  assert.equal(nextOpening(windowsOf('8:00-9:00'), local('2026-02-10T09:00:00')), '8:00')
})

test('of any window each minute of a day is inside or outside of its mirror', () => {
  const minute = fc.integer({ min: 0, max: 24 * 60 - 1 })
  const text = (at: number): string => `${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`
  fc.assert(
    fc.property(minute, minute, minute, (from, to, at) => {
      fc.pre(from !== to)
      const instant = local('2026-02-10T00:00:00') + at * MINUTE_MS
      const inside = isWithinHours(windowsOf(`${text(from)}-${text(to)}`), instant)
      const mirrored = isWithinHours(windowsOf(`${text(to)}-${text(from)}`), instant)
      assert.notEqual(inside, mirrored)
    }),
  )
})
