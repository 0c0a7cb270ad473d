// Goal: lists of pages and the description of a wiki are read as every version writes them.
// Method: hand-written answers in the shape of 1.27 and of 1.43, and the heads of pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API, CONTEXT, jsonAnswer, read, TICKET } from '../../test/api/answer-fixture.ts'
import { readAnswer } from './read-answer.ts'
import { hasSlots } from './read-site.ts'
import type { CategoryStep, SiteinfoStep, TitlesStep, WikiStep } from './wiki-step.ts'

const TITLES: TitlesStep = {
  kind: 'titles',
  api: API,
  by: 'titles',
  of: ['A'],
  isFollowing: true,
  more: {},
  ticket: TICKET,
}
const ORIGIN = 'https://wiki.example/wiki/Cat'
const SITEINFO: SiteinfoStep = {
  kind: 'siteinfo',
  api: API,
  origin: ORIGIN,
  candidate: 0,
  ticket: TICKET,
}

test('pages, redirects, other spellings and missing ones are distinguished', () => {
  const query = {
    normalized: [{ fromencoded: false, from: 'alpha', to: 'Alpha' }],
    converted: [{ from: '猫', to: '貓' }],
    redirects: [{ from: 'Alpha', to: 'Beta', tofragment: 'x' }],
    interwiki: [{ title: 'de:Katze', iw: 'de' }],
    pages: [
      { pageid: 2, ns: 0, title: 'Beta', lastrevid: 5, length: 23 },
      { pageid: 3, ns: 0, title: 'Gamma', lastrevid: 6, length: 9, redirect: true },
      { ns: 0, title: 'Nope', missing: true },
      { pageid: 99, missing: true },
      { title: 'A[b', invalid: true, invalidreason: 'Bad sign.' },
      { ns: -1, title: 'Special:Version', special: true },
    ],
  }
  const news = read(TITLES, { batchcomplete: true, query })
  assert.deepEqual(
    news.pages.map(({ pageId, lastRevId, isRedirect }) => [pageId, lastRevId, isRedirect]),
    [
      [2, 5, false],
      [3, 6, true],
    ],
  )
  assert.deepEqual(
    news.missing.map(({ title, pageId, why }) => [title, pageId, why]),
    [
      ['Nope', null, 'missing'],
      [null, 99, 'missing'],
      ['A[b', null, 'invalid'],
      ['Special:Version', null, 'special'],
      ['de:Katze', null, 'elsewhere'],
    ],
  )
  assert.deepEqual(
    news.aliases.map(({ from, to, how }) => `${from}→${to} ${how}`),
    ['alpha→Alpha normalised', '猫→貓 converted', 'Alpha→Beta redirect'],
  )
})

test('the older form with pages by number and flags as empty texts gives the same', () => {
  const query = {
    pages: {
      '-1': { ns: 0, title: 'Nope', missing: '' },
      2: { pageid: 2, ns: 0, title: 'Beta', lastrevid: 5, redirect: '' },
    },
  }
  const news = read(TITLES, { batchcomplete: '', query })
  assert.deepEqual(
    news.pages.map(({ pageId, isRedirect }) => [pageId, isRedirect]),
    [[2, true]],
  )
  assert.deepEqual(
    news.missing.map(({ title }) => title),
    ['Nope'],
  )
})

test('a namespace is listed to its end, and an empty one at once', () => {
  const step: WikiStep = { kind: 'allpages', api: API, ns: 0, limit: 500, more: {}, ticket: TICKET }
  const more = { gapcontinue: 'B', continue: 'gapcontinue||' }
  const news = read(step, {
    continue: more,
    query: { pages: [{ pageid: 1, ns: 0, title: 'A', lastrevid: 1 }] },
  })
  assert.deepEqual(news.next, [{ ...step, more }])
  assert.deepEqual(read(step, { batchcomplete: true }).pages, [])
  const loop = read({ ...step, more }, { continue: more, query: { pages: [] } })
  assert.equal(loop.problem?.code, 'MINGA_WIKI_LOOP')
  assert.deepEqual(loop.next, [])
})

test('subcategories are entered as deep as asked, and are no members themselves', () => {
  const step: CategoryStep = {
    kind: 'category',
    api: API,
    title: 'Category:Cats',
    depth: 1,
    limit: 500,
    more: {},
    ticket: TICKET,
  }
  const query = {
    pages: [
      { pageid: 1, ns: 0, title: 'Tom', lastrevid: 1 },
      { pageid: 2, ns: 14, title: 'Category:Big cats', lastrevid: 2 },
    ],
  }
  const news = read(step, { query })
  assert.deepEqual(
    news.pages.map(({ title }) => title),
    ['Tom'],
  )
  assert.deepEqual(news.next, [{ ...step, title: 'Category:Big cats', depth: 0 }])
  assert.deepEqual(read({ ...step, depth: 0 }, { query }).next, [])
})

test('a wiki describes itself: names, namespaces with all their aliases, limits, licence', () => {
  const query = {
    general: {
      base: '//wiki.example/wiki/Main_Page',
      sitename: 'Example',
      generator: 'MediaWiki 1.43.1',
      case: 'first-letter',
      lang: 'en',
      wikiid: 'exwiki',
      articlepath: '/wiki/$1',
    },
    namespaces: {
      0: { id: 0, case: 'first-letter', name: '' },
      4: { id: 4, case: 'first-letter', name: 'Example', canonical: 'Project' },
      10: { id: 10, case: 'case-sensitive', name: 'Template', canonical: 'Template' },
    },
    namespacealiases: [{ id: 4, alias: 'EX' }],
    rightsinfo: { url: 'https://creativecommons.org/licenses/by-sa/4.0/', text: 'CC BY-SA' },
    userinfo: { rights: ['read', 'apihighlimits'] },
  }
  const { site } = read(SITEINFO, { query })
  assert.equal(site?.base, 'https://wiki.example/wiki/Main_Page')
  assert.equal(site?.apiUrl, API)
  assert.equal(site?.rvLimit, 500)
  assert.equal(site?.dbName, 'exwiki')
  assert.deepEqual(site?.namespaces[1], {
    id: 4,
    name: 'Example',
    aliases: ['Project', 'EX'],
    isCaseSensitive: false,
  })
  assert.deepEqual(site?.namespaces[2], {
    id: 10,
    name: 'Template',
    aliases: [],
    isCaseSensitive: true,
  })
  assert.equal(site?.rights.text, 'CC BY-SA')
  const old = read(SITEINFO, {
    query: {
      general: { base: 'https://wiki.example/' },
      namespaces: { 1: { id: 1, case: 'first-letter', '*': 'Talk', canonical: 'Talk' } },
    },
  })
  assert.deepEqual(old.site?.namespaces, [
    { id: 1, name: 'Talk', aliases: [], isCaseSensitive: false },
  ])
  assert.equal(old.site?.rvLimit, 50)
})

test('slots are asked for where the version knows them', () => {
  const at = (generator: string | null) => hasSlots({ generator })
  assert.equal(at('MediaWiki 1.27.7'), false)
  assert.equal(at('MediaWiki 1.31.16'), false)
  assert.equal(at('MediaWiki 1.32.0'), true)
  assert.equal(at('MediaWiki 1.43.0-wmf.5'), true)
  assert.equal(at('MediaWiki 2.1'), true)
  assert.equal(at(null), true)
})

test('a page says where its api.php is', () => {
  const step: WikiStep = {
    kind: 'discover',
    url: 'https://wiki.example/Cat',
    origin: 'https://wiki.example/Cat',
    candidate: 0,
    ticket: TICKET,
  }
  const page = (head: string, status = 200) =>
    readAnswer(
      step,
      jsonAnswer(`<html><head>${head}</head>`, {
        status,
        headers: [['content-type', 'text/html']],
      }),
      CONTEXT,
    )
  const link =
    '<link rel="EditURI" type="application/rsd+xml" href="//wiki.example/core/api.php?action=rsd">'
  for (const news of [page(link), page(link, 404)]) {
    assert.deepEqual(news.next, [
      {
        kind: 'siteinfo',
        api: 'https://wiki.example/core/api.php',
        origin: step.origin,
        candidate: 0,
        ticket: TICKET,
      },
    ])
    assert.equal(news.problem, null)
  }
  const other = page('<title>No wiki</title>')
  assert.equal(other.problem?.retry, 'elsewhere')
  assert.deepEqual(
    other.next.map((each) => ('api' in each ? each.api : null)),
    ['https://wiki.example/w/api.php'],
  )
  const bare = page(
    '<meta name="generator" content="MediaWiki 1.39"><script>RLCONF={"wgScript":"\\/core\\/index.php"}</script>',
  )
  assert.deepEqual(bare.next, [
    { kind: 'export', index: 'https://wiki.example/core/index.php', title: 'Cat', ticket: TICKET },
  ])
})

test('discovery tries one place after the other and then gives up or reads the page itself', () => {
  const visited: string[] = []
  let step: WikiStep | undefined = SITEINFO
  while (step !== undefined && visited.length < 20) {
    visited.push('api' in step ? new URL(step.api).pathname : step.kind)
    step = readAnswer(step, jsonAnswer('<html>', { status: 404 }), CONTEXT).next[0]
  }
  assert.deepEqual(visited, [
    '/w/api.php',
    'discover',
    '/api.php',
    '/wiki/api.php',
    '/mediawiki/api.php',
    'export',
  ])
  const known = readAnswer(
    { ...SITEINFO, origin: null },
    jsonAnswer('<html>', { status: 404 }),
    CONTEXT,
  )
  assert.equal(known.problem?.retry, 'never')
  assert.equal(known.problem?.code, 'MINGA_WIKI_NOT_FOUND')
  const lagged = read(SITEINFO, { error: { code: 'maxlag', info: '' } })
  assert.equal(lagged.problem?.retry, 'later')
  const other = read(SITEINFO, { query: { general: { hello: 1 } } })
  assert.equal(other.next[0]?.kind, 'discover')
  const closed = read(SITEINFO, { error: { code: 'readapidenied', info: '' } })
  assert.deepEqual(
    closed.next.map(({ kind }) => kind),
    ['export'],
  )
  assert.equal(closed.problem?.code, 'MINGA_WIKI_CLOSED')
  const nobody = read(
    { ...SITEINFO, origin: 'https://wiki.example/' },
    { error: { code: 'readapidenied', info: '' } },
  )
  assert.deepEqual([nobody.problem?.code, nobody.problem?.retry], ['MINGA_WIKI_CLOSED', 'never'])
})
