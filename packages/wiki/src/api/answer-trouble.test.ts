// Goal: every way in which a wiki, its server or a proxy can fail ends in one of four answers: later,
// smaller, elsewhere, never. Method: the answers themselves, as MediaWiki 1.27 to 1.43 and proxies write them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  API,
  apiRevision,
  CONTEXT,
  INDEX,
  jsonAnswer,
  pageWith,
  read,
  REVISIONS,
  TICKET,
} from '../../test/api/answer-fixture.ts'
import type { WikiAnswer } from './answer-envelope.ts'
import { readAnswer, readFailure } from './read-answer.ts'
import type { WikiNews } from './wiki-news.ts'
import type { WikiStep } from './wiki-step.ts'

function error(code: string, parts: Partial<WikiAnswer> = {}): WikiNews {
  return readAnswer(REVISIONS, jsonAnswer({ error: { code, info: 'Because.' } }, parts), CONTEXT)
}

function status(
  code: number,
  parts: Partial<WikiAnswer> = {},
  step: WikiStep = REVISIONS,
): WikiNews {
  const page = jsonAnswer('<html><title>Oops</title></html>', { status: code, ...parts })
  return readAnswer(step, page, CONTEXT)
}

function short({ problem }: WikiNews): string | null {
  return problem === null
    ? null
    : `${problem.code.slice('MINGA_WIKI_'.length)} ${problem.retry} ${problem.pauseMs}`
}

test('errors inside an answer with status 200 are seen', () => {
  assert.equal(short(error('maxlag')), 'LAGGED later 5000')
  assert.equal(short(error('maxlag', { headers: [['Retry-After', '12']] })), 'LAGGED later 12000')
  assert.equal(short(error('maxlag', { headers: [['Retry-After', '1']] })), 'LAGGED later 5000')
  assert.equal(short(error('ratelimited')), 'RATE_LIMITED later 60000')
  assert.equal(short(error('readonly')), 'READ_ONLY later 60000')
  assert.equal(short(error('readapidenied')), 'CLOSED never 0')
  assert.equal(short(error('badcontinue')), 'LOOP never 0')
  assert.equal(short(error('somethingnew')), 'REFUSED never 0')
  assert.match(error('somethingnew').problem?.message ?? '', /somethingnew: Because\./)
  for (const code of ['badcontinue', 'somethingnew', 'readapidenied']) {
    assert.deepEqual(
      error(code).gaps.map(({ kind, pageId }) => [kind, pageId]),
      [['history-cut', 9]],
    )
  }
})

test('newer forms of errors and warnings are read as well', () => {
  const news = read(REVISIONS, { errors: [{ code: 'maxlag', text: 'Waiting' }] })
  assert.equal(short(news), 'LAGGED later 5000')
  const warned = (warnings: unknown) =>
    read(REVISIONS, { ...pageWith([apiRevision(1)]), warnings }).warnings
  assert.deepEqual(warned({ result: { warnings: 'This result was truncated' } }), [
    'This result was truncated',
  ])
  assert.deepEqual(warned({ main: { '*': 'Old form' } }), ['Old form'])
  assert.deepEqual(warned([{ code: 'x', text: 'List form' }]), ['List form'])
})

test('statuses say when to come back, and Retry-After says it best', () => {
  assert.equal(short(status(429)), 'RATE_LIMITED later 60000')
  assert.equal(short(status(429, { headers: [['retry-after', '7']] })), 'RATE_LIMITED later 7000')
  assert.equal(
    short(status(503, { headers: [['Retry-After', 'Thu, 01 Jan 2026 00:01:30 GMT']] })),
    'UNAVAILABLE later 90000',
  )
  assert.equal(short(status(502)), 'UNAVAILABLE later 60000')
  assert.equal(short(status(403)), 'REFUSED never 0')
  assert.equal(short(status(404)), 'NOT_FOUND never 0')
  assert.equal(
    short(error('ratelimited', { status: 429, headers: [['Retry-After', '3']] })),
    'RATE_LIMITED later 3000',
  )
})

test('a redirect is no answer and no trouble', () => {
  const news = status(301)
  assert.equal(news.problem, null)
  assert.deepEqual(news.next, [])
})

test('what is too large or too slow is asked for in halves, down to one revision', () => {
  const sizes: number[] = []
  let step: WikiStep = REVISIONS
  for (let turn = 0; turn < 6; turn++) {
    const news = status(200, { truncated: 'length' }, step)
    assert.equal(news.problem?.retry, 'smaller')
    const [next] = news.next
    assert.ok(next?.kind === 'revisions')
    sizes.push(next.limit)
    step = next
  }
  assert.deepEqual(sizes, [25, 12, 6, 3, 1, 1])
  assert.ok(step.kind === 'revisions' && !step.withText)
  assert.equal(short(status(200, { truncated: 'length' }, step)), 'TOO_LARGE later 0')
  for (const news of [
    status(500),
    status(504),
    error('internal_api_error_DBQueryError'),
    status(200, { truncated: 'time' }),
  ]) {
    assert.equal(news.problem?.retry, 'smaller')
    assert.equal(news.next.length, 1)
  }
})

test('a revision that cannot be had alone is passed over and recorded', () => {
  const alone = { ...REVISIONS, limit: 1, soFar: 3, more: { rvcontinue: '2020|4' } }
  const [without] = status(500, {}, alone).next
  assert.ok(without?.kind === 'revisions')
  assert.equal(without.withText, false)
  assert.deepEqual(without.more, alone.more)
  const bare = apiRevision(4, { slots: { main: { size: 6, contentmodel: 'wikitext' } } })
  const more = { rvcontinue: '2020|5', continue: '||' }
  const news = read(without, { continue: more, ...pageWith([bare]) })
  assert.deepEqual(
    news.gaps.map(({ kind, revId }) => [kind, revId]),
    [['text-unreadable', 4]],
  )
  assert.equal(news.revisions[0]?.slots[0]?.text, null)
  const [onward] = news.next
  assert.ok(onward?.kind === 'revisions' && onward.withText)
  assert.equal(onward.limit, 1)
  assert.equal(onward.soFar, 4)
})

test('success lets the portions grow back slowly, never beyond what the wiki allows', () => {
  const limits: number[] = []
  let step: WikiStep = { ...REVISIONS, limit: 1 }
  for (let revId = 1; limits.at(-1) !== 50 && revId < 40; revId++) {
    const news = read(step, {
      continue: { rvcontinue: `${revId}` },
      ...pageWith([apiRevision(revId)]),
    })
    const [next] = news.next
    assert.ok(next?.kind === 'revisions')
    limits.push(next.limit)
    step = next
  }
  assert.deepEqual(limits.slice(0, 6), [2, 3, 4, 5, 6, 7])
  assert.equal(limits.at(-1), 50)
})

test('lists are halved by their items', () => {
  const byIds: WikiStep = {
    kind: 'byIds',
    api: API,
    pageId: 9,
    revIds: [1, 2, 3],
    hasSlots: true,
    more: {},
    ticket: TICKET,
  }
  const halves = status(500, {}, byIds).next.map((step) =>
    step.kind === 'byIds' ? step.revIds : null,
  )
  assert.deepEqual(halves, [[1], [2, 3]])
  assert.equal(status(500, {}, { ...byIds, revIds: [2] }).problem?.retry, 'later')
  const last = status(200, { truncated: 'length' }, { ...byIds, revIds: [2] })
  assert.deepEqual(last.next, [])
  assert.deepEqual(
    last.gaps.map(({ kind, pageId, revId }) => [kind, pageId, revId]),
    [['text-unreadable', 9, 2]],
  )
  const titles: WikiStep = {
    kind: 'titles',
    api: API,
    by: 'titles',
    of: ['A', 'B'],
    isFollowing: true,
    more: {},
    ticket: TICKET,
  }
  assert.equal(status(414, {}, titles).next.length, 2)
  assert.equal(status(414, {}, { ...titles, of: ['A'] }).problem?.retry, 'later')
  const list: WikiStep = { kind: 'allpages', api: API, ns: 0, limit: 500, more: {}, ticket: TICKET }
  const [half] = status(500, {}, list).next
  assert.ok(half?.kind === 'allpages' && half.limit === 250)
  assert.equal(status(500, {}, { ...list, limit: 10 }).problem?.retry, 'later')
})

test('a page instead of JSON is a proxy, and half an answer is half an answer', () => {
  const html = readAnswer(
    REVISIONS,
    jsonAnswer('<!DOCTYPE html><title>Just a moment</title>'),
    CONTEXT,
  )
  assert.equal(short(html), 'BAD_ANSWER later 60000')
  assert.match(html.problem?.message ?? '', /Just a moment/)
  const cut = readAnswer(REVISIONS, jsonAnswer('{"query":{"pages":[{"pagei'), CONTEXT)
  assert.match(cut.problem?.message ?? '', /cut short/)
  assert.equal(cut.problem?.retry, 'later')
  assert.equal(short(readAnswer(REVISIONS, jsonAnswer('hello'), CONTEXT)), 'BAD_ANSWER later 60000')
  assert.equal(short(read(REVISIONS, { hello: 'world' })), 'BAD_ANSWER later 60000')
  assert.equal(short(read(REVISIONS, [1, 2])), 'BAD_ANSWER later 60000')
  const lost = readAnswer(REVISIONS, jsonAnswer('{', { truncated: 'disconnect' }), CONTEXT)
  assert.equal(short(lost), 'BAD_ANSWER later 5000')
  const marked = readAnswer(
    REVISIONS,
    jsonAnswer(`\uFEFF${JSON.stringify(pageWith([apiRevision(1)]))}`),
    CONTEXT,
  )
  assert.equal(marked.problem, null)
})

test('a closed API leads to Special:Export, from there to the pages of the history', () => {
  const closed = jsonAnswer({ error: { code: 'readapidenied', info: 'No.' } })
  const news = readAnswer(REVISIONS, closed, { ...CONTEXT, title: 'Cat' })
  assert.equal(short(news), 'CLOSED elsewhere 0')
  assert.deepEqual(news.next, [{ kind: 'export', index: INDEX, title: 'Cat', ticket: TICKET }])
  const [road] = news.next
  assert.ok(road)
  const [pages] = status(403, {}, road).next
  assert.equal(pages?.kind, 'historyPage')
  const off = jsonAnswer('MediaWiki API is not enabled for this site.', { status: 500 })
  assert.equal(
    readAnswer(REVISIONS, off, { ...CONTEXT, title: 'Cat' }).problem?.code,
    'MINGA_WIKI_CLOSED',
  )
  const titles: WikiStep = {
    kind: 'titles',
    api: API,
    by: 'titles',
    of: ['A', 'B'],
    isFollowing: true,
    more: {},
    ticket: TICKET,
  }
  assert.deepEqual(
    readAnswer(titles, closed, CONTEXT).next.map(({ kind }) => kind),
    ['export', 'export'],
  )
})

test('no answer at all: slow ones are asked for less, lost ones later, forbidden ones never', () => {
  assert.equal(readFailure(REVISIONS, 'MINGA_RESPONSE_TIMEOUT', CONTEXT).problem?.retry, 'smaller')
  assert.equal(readFailure(REVISIONS, 'MINGA_CONNECT_TIMEOUT', CONTEXT).problem?.retry, 'later')
  assert.equal(readFailure(REVISIONS, 'MINGA_CONNECTION_LOST', CONTEXT).problem?.retry, 'later')
  assert.equal(readFailure(REVISIONS, 'MINGA_ADDRESS_REFUSED', CONTEXT).problem?.retry, 'never')
})

test('a continuation that cannot be sent back is no continuation', () => {
  for (const more of [{ action: 'delete' }, { rvcontinue: { a: 1 } }, { 'x y': 'z' }]) {
    const news = read(REVISIONS, { continue: more, ...pageWith([apiRevision(1)]) })
    assert.equal(news.problem?.code, 'MINGA_WIKI_BAD_ANSWER')
    assert.deepEqual(news.next, [])
  }
})

const STEPS: WikiStep[] = [
  REVISIONS,
  {
    kind: 'siteinfo',
    api: API,
    origin: 'https://wiki.example/wiki/A',
    candidate: 0,
    ticket: TICKET,
  },
  {
    kind: 'discover',
    url: 'https://wiki.example/A',
    origin: 'https://wiki.example/A',
    candidate: 0,
    ticket: TICKET,
  },
  {
    kind: 'category',
    api: API,
    title: 'Category:A',
    depth: 2,
    limit: 500,
    more: {},
    ticket: TICKET,
  },
  {
    kind: 'recentchanges',
    api: API,
    since: 0,
    until: null,
    limit: 500,
    more: {},
    ticket: TICKET,
  },
  { kind: 'export', index: INDEX, title: 'A', ticket: TICKET },
  {
    kind: 'historyPage',
    index: INDEX,
    title: 'A',
    offset: null,
    limit: 500,
    soFar: 0,
    ticket: TICKET,
  },
  { kind: 'raw', index: INDEX, title: 'A', pageId: 9, revId: 1, ticket: TICKET },
]

const BODIES = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .json()
    .map((text) =>
      Buffer.from(`{"continue":{"a":"b"},"query":{"pages":[${text}],"general":${text}}}`),
    ),
  fc
    .json()
    .map((text) =>
      Buffer.from(`{"query":{"pages":[{"pageid":9,"title":"A","revisions":[${text}]}]}}`),
    ),
  fc
    .string()
    .map((text) => Buffer.from(`<html><li data-mw-revid="${text}"><span class="comment">${text}`)),
)

test('any bytes and any JSON give news, never a crash', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STEPS),
      BODIES,
      fc.constantFrom(200, 200, 404, 500),
      (step, body, code) => {
        const news = readAnswer(step, { status: code, headers: [], body }, CONTEXT)
        assert.ok(Array.isArray(news.next))
      },
    ),
    { seed: 6, numRuns: 3_000 },
  )
})

test('an answer that says nothing of what was asked for is no end of a history', () => {
  for (const value of [{}, { query: {} }, { query: { pages: 5 } }, { batchcomplete: true }]) {
    const news = read(REVISIONS, value)
    assert.equal(short(news), 'BAD_ANSWER later 60000')
    assert.equal(news.finished, null)
  }
  const gone = read(REVISIONS, { query: { pages: [{ pageid: 9, missing: true }] } })
  assert.deepEqual([short(gone), gone.missing.length], [null, 1])
})
