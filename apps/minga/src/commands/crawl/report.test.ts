// Goal: a failed crawl never looks like a successful one. Method: the summary of synthetic ends, as text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionSpec } from '@minga/protocol'
import { crawlExitCode, crawlText, crawlTotals, type CrawlEnd } from './report.ts'

const FACTS = { pagesBefore: 0, seconds: 2, data: 'd' }

function end(part: Partial<CrawlEnd>): CrawlEnd {
  return {
    state: 'finished',
    outcome: 'complete',
    reason: null,
    problem: null,
    spec: collectionSpec.parse({ seeds: ['https://a.test/'], maxPages: 12 }),
    errors: {},
    found: 4,
    queued: 0,
    leased: 0,
    pages: 4,
    captures: 5,
    bytes: 1_000,
    failed: 0,
    denied: 0,
    cancelled: 0,
    duplicates: 0,
    filtered: 0,
    linksDropped: 0,
    ...part,
  }
}

const FAILED = end({
  outcome: 'failed',
  pages: 0,
  captures: 0,
  failed: 1,
  errors: { MINGA_DNS_NOT_FOUND: 1 },
  problem: {
    code: 'MINGA_DNS_NOT_FOUND',
    url: 'https://no.test/',
    message: 'there is no host of that name',
    remedy: 'Check the spelling of the address.',
    advice: 'check-address',
  },
})

test('a crawl that captured nothing says so with its cause and remedy, and ends with code 1', () => {
  const text = crawlText(FAILED, FACTS)
  assert.match(text, /pages\/s\): failed\n/)
  assert.match(
    text,
    /Nothing was captured: there is no host of that name \(https:\/\/no\.test\/\)\. Check the spelling/,
  )
  assert.doesNotMatch(text, /complete|next:/)
  assert.equal(crawlExitCode(FAILED, false), 1)
  assert.equal(crawlExitCode(FAILED, true), 11)
  assert.equal(crawlTotals(FAILED, FACTS).outcome, 'failed')
  assert.equal(crawlTotals(FAILED, FACTS).problem?.code, 'MINGA_DNS_NOT_FOUND')
})

test('errors and limits have sentences of their own, and the exit code stays 0', () => {
  const cases: [CrawlEnd, RegExp][] = [
    [end({}), /: complete\n/],
    [end({ outcome: 'with-errors', failed: 3 }), /: finished with 3 errors\n/],
    [end({ outcome: 'at-limit', reason: 'max-pages' }), /: stopped at its limit of 12 pages\n/],
    [end({ outcome: 'stopped', reason: 'asked' }), /: stopped by a user\n/],
  ]
  for (const [one, sentence] of cases) {
    assert.match(crawlText(one, FACTS), sentence)
    assert.equal(crawlExitCode(one, false), 0)
  }
})

test('a finished crawl names the next step; one that was interrupted says how it continues', () => {
  assert.match(crawlText(end({}), FACTS), /next: minga archive list · minga up to browse\n$/)
  const stopped = crawlText(end({ state: 'running', outcome: null, queued: 3 }), FACTS)
  assert.match(stopped, /stopped; run it again to continue/)
  assert.doesNotMatch(stopped, /next:/)
})

test('links beyond the limit of one page are counted in the summary and in JSON', () => {
  const ended = end({ linksDropped: 50_000 })
  assert.match(crawlText(ended, FACTS), /50000 links left out: only 10,000 of a page are read/)
  assert.equal(crawlTotals(ended, FACTS).linksDropped, 50_000)
  assert.doesNotMatch(crawlText(end({}), FACTS), /links left out/)
})
