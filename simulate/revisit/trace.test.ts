// Goal: a trace file is read as it is meant, and a bad line is named. Method: lines good and bad.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineOf, tracesOf } from './trace.ts'

const good = '{"url":"a","weight":2,"changes":[30,10,5,100],"start":10,"end":100}'

test('times are sorted, and those outside the observation belong to the states before and after', () => {
  const [trace] = tracesOf(`\n${good}\n`)
  assert.deepEqual([...trace!.changes], [10_000, 30_000])
  assert.deepEqual([trace!.start, trace!.end, trace!.weight], [10_000, 100_000, 2])
  assert.equal(trace!.rate, (2 * 86_400) / 90)
  assert.deepEqual(tracesOf(lineOf(trace!)), [trace])
})

test('weight, magnitudes and notices may be left out, and are kept when given', () => {
  const [plain] = tracesOf('{"url":"a","changes":[],"start":0,"end":1}')
  assert.deepEqual([plain!.weight, plain!.magnitudes, plain!.notices], [1, null, null])
  const [full] = tracesOf(
    '{"url":"a","changes":[3,1],"magnitudes":[0.2,0.9],"notices":[2],"start":0,"end":9}',
  )
  assert.deepEqual([...full!.magnitudes!], [0.9, 0.2])
  assert.deepEqual([...full!.notices!], [2_000])
  assert.equal(tracesOf(`\uFEFF${good}`).length, 1, 'as some editors save it')
})

test('a bad line is refused by its number and by what is wrong with it', () => {
  for (const [line, message] of [
    ['{', /Line 2 of the trace: it must be JSON/],
    ['[]', /it must be an object/],
    ['{"url":"","changes":[],"start":0,"end":1}', /"url"/],
    ['{"url":"a","weight":0,"changes":[],"start":0,"end":1}', /"weight"/],
    ['{"url":"a","changes":["x"],"start":0,"end":1}', /"changes"/],
    ['{"url":"a","changes":[],"start":1,"end":1}', /"start" must be before "end"/],
    ['{"url":"a","changes":[],"start":"0","end":1}', /Unix seconds/],
    ['{"url":"a","changes":[],"start":0,"end":1790000000000}', /not in milliseconds/],
    ['{"url":"a","changes":[0.5],"magnitudes":[2],"start":0,"end":1}', /\[0, 1\]/],
    ['{"url":"a","changes":[0.5],"magnitudes":[],"start":0,"end":1}', /as many/],
  ] as const) {
    assert.throws(() => tracesOf(`${good}\n${line}`), { code: 'MINGA_BAD_TRACE', message })
  }
  assert.throws(() => tracesOf('\n'), { code: 'MINGA_BAD_TRACE' })
})
