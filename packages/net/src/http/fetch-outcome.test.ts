// Goal: waiting times asked for by servers are read right and bounded. Method: table and random text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FETCH_FAILURE_CODES, fetchFailure, retryAfterMs } from './fetch-outcome.ts'

const NOW = Date.parse('1994-11-06T08:49:37Z')
const DAY_MS = 86_400_000

const CASES: [string, number | null][] = [
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['1.5', 1500],
  ['99999999999999999999', DAY_MS],
  ['Sun, 06 Nov 1994 08:50:37 GMT', 60_000],
  ['Sunday, 06-Nov-94 08:50:37 GMT', 60_000],
  ['Sun Nov  6 08:50:37 1994', 60_000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ['Mon, 06 Nov 2034 08:00:00 GMT', DAY_MS],
  ['-5', null],
  ['soon', null],
  ['5 minutes', null],
  ['', null],
]
for (const [value, expected] of CASES) {
  test(`Retry-After "${value}" means ${expected === null ? 'nothing' : `${expected} ms`}`, () => {
    assert.equal(
      retryAfterMs(
        [
          ['x', '1'],
          ['RETRY-after', value],
        ],
        NOW,
      ),
      expected,
    )
  })
}

test('without the field there is nothing to wait for, with several the longest counts', () => {
  assert.equal(retryAfterMs([['retry', '5']], NOW), null)
  assert.equal(
    retryAfterMs(
      [
        ['Retry-After', '5'],
        ['retry-after', '9'],
        ['retry-after', 'x'],
      ],
      NOW,
    ),
    9000,
  )
})

test('any text gives nothing or a time between zero and a day', () => {
  const digits = fc.stringMatching(/^[0-9.eE+-]{0,30}$/)
  const dates = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString())
  fc.assert(
    fc.property(fc.oneof(fc.string(), digits, dates), (value) => {
      const ms = retryAfterMs([['retry-after', value]], NOW)
      assert.ok(ms === null || (ms >= 0 && ms <= DAY_MS))
    }),
    { numRuns: 20_000 },
  )
})

test('every failure is a sentence with a retry class', () => {
  for (const code of FETCH_FAILURE_CODES) {
    for (const detail of ['', 'because']) {
      const failure = fetchFailure(code, detail, {
        address: '192.0.2.1',
        startedAt: NOW,
        totalMs: 1,
      })
      assert.match(failure.message, /^[A-Z].*[a-zA-Z]\.$/)
      assert.ok(['now', 'later', 'never'].includes(failure.retry))
    }
  }
})
