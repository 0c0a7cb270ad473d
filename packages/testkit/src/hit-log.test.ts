// Goal: the judge accuses the guilty and only them.
// Method: hand-made logs with planted violations, random schedules, and a round trip through a file.
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { openHitLog, readHitLog } from './hit-log-file.ts'
import { judgeHits, type Hit } from './hit-log.ts'

function hit(startMs: number, endMs: number | undefined, over: Partial<Hit> = {}): Hit {
  const host = over.host ?? 'a.test'
  const path = over.path ?? `/${startMs}`
  return {
    t: startMs * 1000,
    ...(endMs === undefined ? {} : { end: endMs * 1000 }),
    url: `http://${host}${path}`,
    host,
    address: '127.0.8.1',
    path,
    method: 'GET',
    userAgent: 'test',
    status: 200,
    ...over,
  }
}

test('a request that comes too soon after the END of the last response is a violation', () => {
  const hits = [hit(0, 50), hit(149, 160), hit(255, 260), hit(359, 400)]
  const found = judgeHits(hits).violations({ delayMs: 100, per: 'host' })
  assert.deepEqual(
    found.map(({ gapMs, next }) => [gapMs, next.path]),
    [[95, '/255']],
    '149 and 359 are one millisecond early, which is within the tolerance',
  )
})

test('an overlap is a violation with a negative gap, also with a response that outlasts the next', () => {
  const hits = [hit(0, 1000), hit(200, 210), hit(500, 510)]
  const gaps = judgeHits(hits)
    .violations({ delayMs: 0, per: 'host' })
    .map(({ gapMs }) => gapMs)
  assert.deepEqual(gaps, [-800, -500])
})

test('a response without an end is still under way', () => {
  const hits = [hit(0, undefined), hit(500, 510)]
  assert.equal(judgeHits(hits).violations({ delayMs: 10, per: 'host' }).length, 1)
})

test('hosts on one address are one unit by address and several by name', () => {
  const hits = [hit(0, 5), hit(10, 15, { host: 'b.test' })]
  const judge = judgeHits(hits)
  assert.equal(judge.violations({ delayMs: 100, per: 'host' }).length, 0)
  const [violation] = judge.violations({ delayMs: 100, per: 'address' })
  assert.equal(violation?.unit, '127.0.8.1')
  assert.equal(judge.concurrencyMax('address'), 1)
})

test('the most at a time counts overlaps but not requests that touch', () => {
  assert.equal(judgeHits([hit(0, 10), hit(10, 20), hit(20, 30)]).concurrencyMax('host'), 1)
  assert.equal(judgeHits([hit(0, 10), hit(5, 20), hit(8, 30)]).concurrencyMax('host'), 3)
  assert.equal(judgeHits([]).concurrencyMax('host'), 0)
})

test('URLs asked for twice are named, robots.txt apart', () => {
  const twice = [hit(0, 1, { path: '/x' }), hit(5, 6, { path: '/x' }), hit(9, 10, { path: '/y' })]
  const robots = [hit(20, 21, { path: '/robots.txt' }), hit(30, 31, { path: '/robots.txt' })]
  const judge = judgeHits([...twice, ...robots])
  assert.deepEqual(
    judge.refetched().map(({ url, hits }) => [url, hits.length]),
    [['http://a.test/x', 2]],
  )
  assert.equal(judge.hitsByUrl().get('http://a.test/robots.txt')?.length, 2)
})

test('schedules that keep the delay are never accused, whatever the order of the log', () => {
  const visit = fc.record({ pauseMs: fc.integer({ min: 100, max: 300 }), lengthMs: fc.nat(50) })
  fc.assert(
    fc.property(fc.array(visit, { maxLength: 30 }), fc.nat(29), (visits, late) => {
      let now = 0
      const hits = visits.map(({ pauseMs, lengthMs }) => {
        const start = now + pauseMs
        now = start + lengthMs
        return hit(start, now)
      })
      assert.deepEqual(judgeHits(hits.toReversed()).violations({ delayMs: 100, per: 'host' }), [])

      const victim = hits[late]
      if (!victim?.end) return
      const planted = hit(victim.end / 1000 + 50, victim.end / 1000 + 51)
      const found = judgeHits([...hits, planted]).violations({ delayMs: 100, per: 'host' })
      assert.ok(found.some(({ next }) => next === planted))
    }),
    { numRuns: 2000 },
  )
})

test('a log file gives the same hits as memory, and an unfinished last line is passed over', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minga-hits-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'hits.jsonl')
  const hits = [hit(0, 50), hit(20, 60, { aborted: true, status: 0 }), hit(90, undefined)]
  const log = openHitLog(file)
  hits.forEach((one, id) => {
    const { end: _end, aborted: _aborted, ...beginning } = one
    log.begin(id, { ...beginning, status: 0 })
  })
  hits.forEach((one, id) => one.end !== undefined && log.end(id, one))
  log.close()
  appendFileSync(file, '{"id":3,"t":1')
  const expected = hits.map((one) => (one.end === undefined ? { ...one, status: 0 } : one))
  assert.deepEqual(readHitLog(file).hits(), expected)
})

test('a file that is no hit log is refused with the number of the line', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minga-hits-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'other.txt')
  writeFileSync(file, '{"id":1,"end":2,"status":200}\nhello\n')
  assert.throws(() => readHitLog(file), { code: 'MINGA_BAD_HIT_LOG', message: /^Line 2 / })
})
