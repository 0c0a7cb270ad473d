// Goal: crawlers are judged by what reached the web, and requests for robots.txt are counted separately.
// Method: made-up hits whose gaps are known beforehand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeHits, type Hit } from '@minga/testkit'
import { judgeCrawl } from './judge-crawl.ts'

const DELAY_MS = 100

function hit(startMs: number, endMs: number, over: { path?: string; host?: string } = {}): Hit {
  const { path = `/p/${startMs}`, host = '127.0.8.1' } = over
  return {
    t: startMs * 1000,
    end: endMs * 1000,
    url: `http://${host}${path}`,
    host,
    address: '127.0.8.1',
    path,
    method: 'GET',
    userAgent: '',
    status: 200,
  }
}

test('a page right after robots.txt is early among all requests but not between pages', () => {
  const hits = [hit(0, 1, { path: '/robots.txt' }), hit(11, 12), hit(120, 121)]
  const { anyRequest, betweenPages } = judgeCrawl(judgeHits(hits), DELAY_MS)
  assert.deepEqual(anyRequest, { violations: 1, gross: 1 })
  assert.deepEqual(betweenPages, { violations: 0, gross: 0 })
})

test('a gap of most of the delay is a violation but not a gross one', () => {
  const { betweenPages } = judgeCrawl(judgeHits([hit(0, 10), hit(100, 110)]), DELAY_MS)
  assert.deepEqual(betweenPages, { violations: 1, gross: 0 })
})

test('a host that is called by two names is one host', () => {
  const hits = [hit(0, 1), hit(2, 3, { host: 'bench-127-0-8-1.test' })]
  assert.equal(judgeCrawl(judgeHits(hits), DELAY_MS).betweenPages.violations, 1)
})

test('pages are counted once and robots.txt is none', () => {
  const twice = { path: '/p/0' }
  const hits = [hit(0, 1, { path: '/robots.txt' }), hit(2, 3, twice), hit(4, 2000, twice)]
  const { pages, refetched, crawlSeconds } = judgeCrawl(judgeHits(hits), 0)
  assert.deepEqual({ pages, refetched, crawlSeconds }, { pages: 1, refetched: 1, crawlSeconds: 2 })
})
