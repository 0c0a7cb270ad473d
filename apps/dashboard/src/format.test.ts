// Goal: figures read well in every language. Method: plain examples; spaces that Intl chooses are made equal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFormat } from './format.ts'

const plain = (text: string): string => text.replace(/[\u00A0\u202F]/g, ' ')
const en = createFormat('en')

test('bytes are shown in the unit that keeps them short', () => {
  const cases: [number, string][] = [
    [0, '0 bytes'],
    [999, '999 bytes'],
    [-1_500_000_000, '-1.5 GB'],
    [1_000, '1 kB'],
    [1_540, '1.5 kB'],
    [999_600, '1 MB'],
    [123_456_789, '123 MB'],
    [5_000_000_000_000, '5 TB'],
  ]
  for (const [bytes, text] of cases) assert.equal(plain(en.bytes(bytes)), text)
})

test('a span of time has its one or two largest units and is never negative', () => {
  const cases: [number, string][] = [
    [-500, '0 sec'],
    [59_400, '59 sec'],
    [59_600, '1 min'],
    [150_000, '3 min'],
    [3_600_000, '1 hr'],
    [5_400_000, '1 hr 30 min'],
    [200_000_000, '2 days'],
  ]
  for (const [ms, text] of cases) assert.equal(plain(en.span(ms)), text)
})

test('a countdown shows tenths below ten seconds only', () => {
  assert.equal(en.countdown(1_234), '1.2 s')
  assert.equal(en.countdown(-50), '0.0 s')
  assert.equal(plain(en.countdown(65_000)), '1 min')
})

test('a delay is exact when it is short', () => {
  assert.deepEqual(
    [0, 150, 1_000, 1_500, 90_000].map((ms) => plain(en.delay(ms))),
    ['0 ms', '150 ms', '1 s', '1.5 s', '2 min'],
  )
})

test('numbers follow the language', () => {
  assert.equal(createFormat('es').rate(2.5), '2,5')
  assert.equal(createFormat('pt').count(12_345), '12.345')
  assert.equal(en.rate(1_234.6), '1,235')
})

test('money is exact to the micro-unit and has two digits at least', () => {
  assert.deepEqual(
    [0, 8_400_000, -1, 1_234_567_890_000].map((micros) => en.money(micros)),
    ['0.00', '8.40', '-0.000001', '1,234,567.89'],
  )
  assert.equal(createFormat('es').money(2_500_000), '2,50')
})

test('a country has its name in the language, and what is no country stays as it came', () => {
  assert.equal(createFormat('es').country('DE'), 'Alemania')
  assert.equal(en.country('??'), '??')
  assert.equal(en.percent(0.954), '95.4%')
})

test('a day of the calendar is that of UTC, wherever the reader is', () => {
  assert.equal(plain(en.day(Date.UTC(2026, 4, 6))), 'May 6, 2026')
  assert.equal(plain(en.day(Date.UTC(2026, 4, 7) - 1)), 'May 6, 2026')
})

test('times follow the chosen zone, and those of UTC say so', () => {
  const at = Date.UTC(2026, 4, 6, 23, 30)
  const utc = createFormat('en', 'utc')
  assert.equal(plain(utc.moment(at)), 'May 6, 2026, 23:30 UTC')
  assert.equal(plain(utc.clock(at)), '23:30:00')
  assert.equal(plain(utc.date(at)), 'May 6, 2026')
  assert.doesNotMatch(plain(en.moment(at)), /UTC/)
})
