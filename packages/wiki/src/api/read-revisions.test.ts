// Goal: revisions are read whole and exactly, in every shape since 1.27, and a history is followed to its
// end and no further. Method: hand-written answers of four versions; loops, hidden fields, wrong digests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  API,
  apiRevision,
  pageWith,
  read,
  REVISIONS,
  TICKET,
} from '../../test/api/answer-fixture.ts'
import { combinedSha1, sha1Of } from './revision-sha1.ts'
import { stepOfUrl, urlOfStep } from './step-url.ts'
import type { IdsStep, WikiStep } from './wiki-step.ts'

const IDS: IdsStep = {
  kind: 'ids',
  api: API,
  pageId: 9,
  hasSlots: true,
  limit: 500,
  soFar: 0,
  reached: null,
  more: {},
  ticket: TICKET,
}

function one(parts: Record<string, unknown>, text?: string) {
  const news = read(REVISIONS, pageWith([apiRevision(1, parts, text)]))
  const [revision] = news.revisions
  assert.ok(revision)
  return { revision, gaps: news.gaps }
}

test('Extract by title/url/locale: 120 revisions are three calls, each the next URL', () => {
  const all = Array.from({ length: 120 }, (_, n) => apiRevision(n + 1))
  let step: WikiStep | undefined = REVISIONS
  const revIds: number[] = []
  const calls: string[] = []
  while (step?.kind === 'revisions') {
    const url = urlOfStep(step)
    calls.push(url)
    const asked = stepOfUrl(url)
    assert.ok(asked?.kind === 'revisions')
    const from = Number(asked.more['rvcontinue']?.split('|')[1] ?? 1)
    const portion = all.slice(from - 1, from - 1 + asked.limit)
    const last = from + portion.length
    const more = last <= 120 ? { continue: { rvcontinue: `2020|${last}`, continue: '||info' } } : {}
    const news = read(asked, {
      ...more,
      ...pageWith(portion, asked.soFar === 0 ? { lastrevid: 120 } : {}),
    })
    revIds.push(...news.revisions.map(({ revId }) => revId))
    assert.deepEqual(news.gaps, [])
    step = news.next[0]
    if (step === undefined) {
      const newestAt = Date.UTC(2020, 0, 1, 2, 0)
      assert.deepEqual(news.finished, { pageId: 9, revisions: 120, isWhole: true, newestAt })
    } else assert.equal(news.finished, null)
  }
  assert.equal(calls.length, 3)
  assert.equal(new Set(calls).size, 3)
  assert.deepEqual(
    revIds,
    all.map(({ revid }) => revid),
  )
})

test('every field of a revision of 1.43 is kept, slots with the main one first', () => {
  const aside = 'side'
  const slots = {
    aside: {
      size: 4,
      sha1: sha1Of(aside),
      contentmodel: 'json',
      contentformat: 'application/json',
      content: aside,
    },
    main: {
      size: 2,
      sha1: sha1Of('é'),
      contentmodel: 'wikitext',
      contentformat: 'text/x-wiki',
      content: 'é',
    },
  }
  const sha1 = combinedSha1([
    { role: 'aside', sha1: sha1Of(aside) },
    { role: 'main', sha1: sha1Of('é') },
  ])
  const parts = {
    slots,
    sha1,
    size: 6,
    parentid: 0,
    minor: true,
    tags: ['mw-undo'],
    parsedcomment: '<b>why</b>',
  }
  const { revision, gaps } = one(parts)
  assert.deepEqual(gaps, [])
  assert.deepEqual(revision, {
    pageId: 9,
    revId: 1,
    parentId: 0,
    at: Date.UTC(2020, 0, 1, 0, 1),
    user: 'Jane',
    userId: 4,
    editor: 'registered',
    isMinor: true,
    size: 6,
    sha1,
    comment: 'why',
    parsedComment: '<b>why</b>',
    tags: ['mw-undo'],
    hidden: [],
    isSuppressed: false,
    slots: [
      {
        role: 'main',
        model: 'wikitext',
        format: 'text/x-wiki',
        size: 2,
        sha1: sha1Of('é'),
        text: Buffer.from('é'),
      },
      {
        role: 'aside',
        model: 'json',
        format: 'application/json',
        size: 4,
        sha1: sha1Of(aside),
        text: Buffer.from(aside),
      },
    ],
  })
})

test('the combined SHA-1 of two slots is the one that MediaWiki 1.39 gives', () => {
  const slots = [
    { role: 'main', sha1: 'b96b82a41c4fb3ce8259edf83116692af43e1819' },
    { role: 'aside', sha1: '160cefc1ad7e08892df3e374ed4dba8af7cd5c45' },
  ]
  assert.equal(combinedSha1(slots), 'd2b72beaa96fefadcfe08a19231849c6bff7c174')
  assert.equal(combinedSha1(slots.slice(0, 1)), slots[0]?.sha1)
  assert.equal(combinedSha1([]), sha1Of(''))
  assert.equal(combinedSha1([{ role: 'main', sha1: null }]), null)
})

test('the older shapes of 1.27 are read alike: no slots, stars, empty texts as flags, pages by id', () => {
  const old = {
    revid: 1,
    parentid: 0,
    minor: '',
    user: '10.0.0.1',
    userid: 0,
    anon: '',
    timestamp: '2020-01-01T00:01:00Z',
    size: 5,
    sha1: sha1Of('hello'),
    contentmodel: 'wikitext',
    contentformat: 'text/x-wiki',
    comment: '',
    parsedcomment: '',
    tags: [],
    '*': 'hello',
  }
  const step = { ...REVISIONS, hasSlots: false }
  const news = read(step, {
    batchcomplete: '',
    query: { pages: { 9: { pageid: 9, ns: 0, title: 'Cat', revisions: [old] } } },
  })
  const [revision] = news.revisions
  assert.deepEqual(news.gaps, [])
  assert.equal(revision?.isMinor, true)
  assert.equal(revision?.editor, 'anonymous')
  assert.deepEqual(revision?.slots, [
    {
      role: 'main',
      model: 'wikitext',
      format: 'text/x-wiki',
      size: 5,
      sha1: sha1Of('hello'),
      text: Buffer.from('hello'),
    },
  ])
})

test('hidden fields are recorded as such and are no gaps', () => {
  const {
    sha1: _sha1,
    user: _user,
    userid: _userid,
    comment: _comment,
    parsedcomment: _parsed,
    ...rest
  } = apiRevision(1)
  const hidden = {
    ...rest,
    userhidden: true,
    commenthidden: true,
    sha1hidden: true,
    suppressed: true,
    slots: { main: { size: 6, sha1hidden: true, contentmodel: 'wikitext', texthidden: true } },
  }
  const news = read(REVISIONS, pageWith([hidden]))
  const [revision] = news.revisions
  assert.deepEqual(revision?.hidden, ['user', 'comment', 'text', 'sha1'])
  assert.equal(revision?.isSuppressed, true)
  assert.equal(revision?.user, null)
  assert.equal(revision?.comment, null)
  assert.equal(revision?.editor, 'unknown')
  assert.equal(revision?.slots[0]?.text, null)
  assert.deepEqual(news.gaps, [])
})

test('a text that is not hidden and did not come is a gap', () => {
  for (const main of [
    { size: 6, textmissing: true },
    { size: 6, badcontentformat: true },
    { size: 6 },
  ]) {
    const { gaps } = one({ slots: { main } })
    assert.deepEqual(
      gaps.map(({ kind, revId }) => [kind, revId]),
      [['text-missing', 1]],
    )
  }
})

test('a text with another SHA-1 or size than stated is kept and recorded', () => {
  const main = { contentmodel: 'wikitext', contentformat: 'text/x-wiki', content: 'hello' }
  const wrong = { main: { ...main, size: 5, sha1: sha1Of('hallo') } }
  assert.deepEqual(
    one({ slots: wrong, sha1: sha1Of('hallo') }).gaps.map(({ kind }) => kind),
    ['sha1-wrong'],
  )
  const long = { main: { ...main, size: 9 } }
  assert.deepEqual(
    one({ slots: long, sha1: '' }).gaps.map(({ kind }) => kind),
    ['size-wrong'],
  )
  const uncounted = { main: { ...main, size: 0, sha1: sha1Of('hello') } }
  assert.deepEqual(one({ slots: uncounted, sha1: sha1Of('hello') }).gaps, [])
  const countedOtherwise = {
    main: { ...main, size: 5, sha1: sha1Of('hello') },
    aside: { ...main, size: 99, sha1: sha1Of('hello') },
  }
  assert.deepEqual(one({ slots: countedOtherwise, sha1: '' }).gaps, [])
  const two = {
    main: { ...main, size: 5, sha1: sha1Of('hello') },
    aside: { ...main, size: 5, sha1: sha1Of('hello') },
  }
  assert.deepEqual(
    one({ slots: two, sha1: sha1Of('hello') }).gaps.map(({ kind }) => kind),
    ['sha1-wrong'],
  )
})

test('an empty text is a text, and a missing SHA-1 is none', () => {
  const { revision, gaps } = one({ sha1: '' }, '')
  assert.equal(revision.sha1, null)
  assert.equal(revision.slots[0]?.text?.length, 0)
  assert.deepEqual(gaps, [])
})

test('editors are known by what they were: account, address, temporary name, import, script', () => {
  const kinds: [Record<string, unknown>, string][] = [
    [{ user: 'Jane', userid: 4 }, 'registered'],
    [{ user: '192.0.2.1', userid: 0, anon: true }, 'anonymous'],
    [{ user: '2001:DB8:0:0:0:0:0:1', userid: 0, anon: true }, 'anonymous'],
    [{ user: '24.93.12.xxx', userid: 0, anon: true }, 'anonymous'],
    [{ user: 'host.isp.com.xxx', userid: 0, anon: true }, 'anonymous'],
    [{ user: '~2026-12345', userid: 88 }, 'temporary'],
    [{ user: 'Odd name', userid: 88, temp: true }, 'temporary'],
    [{ user: 'meta>Jane', userid: 0, anon: true }, 'imported'],
    [{ user: 'Conversion script', userid: 0, anon: true }, 'unknown'],
  ]
  for (const [parts, kind] of kinds)
    assert.equal(one(parts).revision.editor, kind, JSON.stringify(parts))
})

test('a wiki that continues where it has been is left, and what came is kept', () => {
  const more = { rvcontinue: '2020|1', continue: '||' }
  const same = read({ ...REVISIONS, more }, { continue: more, ...pageWith([apiRevision(1)]) })
  const backwards = {
    ...REVISIONS,
    more,
    reached: { at: Date.UTC(2020, 0, 1, 0, 5), revId: 5 },
    soFar: 5,
  }
  const circle = read(backwards, { continue: { rvcontinue: 'x' }, ...pageWith([apiRevision(2)]) })
  const empty = read(REVISIONS, { continue: more, ...pageWith([]) })
  for (const news of [same, circle, empty]) {
    assert.equal(news.problem?.code, 'MINGA_WIKI_LOOP')
    assert.equal(news.problem?.retry, 'never')
    assert.deepEqual(news.next, [])
    assert.equal(news.gaps.at(-1)?.kind, 'history-cut')
    assert.equal(news.finished, null)
  }
  assert.equal(same.revisions.length, 1)
})

test('revisions of one second follow each other by number, newest first the other way round', () => {
  const at = Date.UTC(2020, 0, 1, 0, 5)
  const timestamp = '2020-01-01T00:05:00Z'
  const tied = read(
    { ...REVISIONS, reached: { at, revId: 5 }, soFar: 5 },
    pageWith([apiRevision(6, { timestamp })]),
  )
  assert.equal(tied.problem, null)
  const back = { ...REVISIONS, order: 'newest-first' as const, reached: { at, revId: 5 } }
  assert.equal(read(back, pageWith([apiRevision(4)])).problem, null)
  assert.equal(read(back, pageWith([apiRevision(6)])).problem?.code, 'MINGA_WIKI_LOOP')
})

test('a page that vanishes during its extraction is missing, not finished', () => {
  const news = read(
    { ...REVISIONS, soFar: 50 },
    { query: { pages: [{ pageid: 9, missing: true }] } },
  )
  assert.deepEqual(
    news.missing.map(({ pageId, why }) => [pageId, why]),
    [[9, 'missing']],
  )
  assert.equal(news.finished, null)
})

test('revisions since a moment are no whole history', () => {
  const since = Date.UTC(2020, 0, 1, 0, 1)
  const news = read(
    { ...REVISIONS, since },
    pageWith([apiRevision(1), apiRevision(2)], { lastrevid: 2, length: 6 }),
  )
  assert.equal(news.finished?.isWhole, false)
  assert.deepEqual(
    news.pages.map(({ lastRevId, bytes }) => [lastRevId, bytes]),
    [[2, 6]],
  )
})

test('a list of numbers claims what a whole history must hold', () => {
  const bare = [apiRevision(1, { parentid: 0 }), apiRevision(2)].map(
    ({ slots: _slots, ...rest }) => rest,
  )
  const more = { rvcontinue: '2020|3', continue: '||info' }
  const first = read(IDS, { continue: more, ...pageWith(bare) })
  assert.deepEqual(
    first.claims.map(({ revId, parentId }) => [revId, parentId]),
    [
      [1, 0],
      [2, 1],
    ],
  )
  const [next] = first.next
  assert.ok(next?.kind === 'ids')
  const last = read(next, pageWith([apiRevision(3)]))
  assert.equal(last.finished?.revisions, 3)
  assert.equal(
    read(next, { continue: more, ...pageWith([apiRevision(3)]) }).problem?.code,
    'MINGA_WIKI_LOOP',
  )
})

test('revisions by number may belong to several pages, and unknown ones are named', () => {
  const step: WikiStep = {
    kind: 'byIds',
    api: API,
    pageId: 9,
    revIds: [1, 5, 7],
    hasSlots: true,
    more: {},
    ticket: TICKET,
  }
  const query = {
    badrevids: { 7: { revid: 7, missing: true } },
    pages: [
      { pageid: 9, ns: 0, title: 'Cat', revisions: [apiRevision(1)] },
      { pageid: 11, ns: 0, title: 'Dog', revisions: [apiRevision(5)] },
    ],
  }
  const news = read(step, { query })
  assert.deepEqual(
    news.revisions.map(({ pageId, revId }) => [pageId, revId]),
    [
      [9, 1],
      [11, 5],
    ],
  )
  assert.deepEqual(
    news.missing.map(({ detail }) => detail),
    ['revision 7'],
  )
  const more = { rvcontinue: '5' }
  const cut = read(step, { continue: more, query })
  assert.deepEqual(
    cut.next.map((each) => ('more' in each ? each.more : null)),
    [more],
  )
  const loop = read({ ...step, more }, { continue: more, query })
  assert.equal(loop.problem?.code, 'MINGA_WIKI_LOOP')
})

test('a revision without number or time is no revision', () => {
  const news = read(
    REVISIONS,
    pageWith([
      { revid: 1 },
      { timestamp: '2020-01-01T00:00:00Z' },
      apiRevision(2, { timestamp: 'x' }),
    ]),
  )
  assert.deepEqual(news.revisions, [])
})
