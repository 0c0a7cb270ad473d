// Goal: a wiki without an API gives its histories all the same, and the store learns by which road.
// Method: exports, history pages and raw texts as MediaWiki 1.35 to 1.43 write them, and their failures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Revision } from '../model.ts'
import type { WikiAnswer } from './answer-envelope.ts'
import { CONTEXT, INDEX, TICKET } from '../../test/api/answer-fixture.ts'
import { readAnswer } from './read-answer.ts'
import { sha1Of } from './revision-sha1.ts'
import { stepOfUrl, urlOfStep } from './step-url.ts'
import type { WikiNews } from './wiki-news.ts'
import type { ExportStep, HistoryPageStep, RawStep, SourceStep, WikiStep } from './wiki-step.ts'

const EXPORT: ExportStep = { kind: 'export', index: INDEX, title: 'Cat', ticket: TICKET }
const PAGE: HistoryPageStep = {
  kind: 'historyPage',
  index: INDEX,
  title: 'Cat',
  offset: null,
  limit: 500,
  soFar: 0,
  ticket: TICKET,
}
const RAW: RawStep = {
  kind: 'raw',
  index: INDEX,
  title: 'Cat',
  pageId: 9,
  revId: 2,
  ticket: TICKET,
}

function answered(
  step: WikiStep,
  body: string,
  parts: Partial<WikiAnswer> & { known?: Revision } = {},
): WikiNews {
  const headers = parts.headers ?? [['Content-Type', 'text/html; charset=UTF-8']]
  const { status = 200, truncated = null } = parts
  const answer = { status, headers, body: Buffer.from(body), truncated }
  return readAnswer(step, answer, { ...CONTEXT, known: () => parts.known ?? null })
}

function xml(revisions: string): string {
  const site =
    '<siteinfo><sitename>Example</sitename><dbname>exwiki</dbname><base>https://wiki.example/wiki/Main_Page</base><generator>MediaWiki 1.39</generator><case>first-letter</case><namespaces><namespace key="0" case="first-letter" /></namespaces></siteinfo>'
  const page =
    revisions === '' ? '' : `<page><title>Cat</title><ns>0</ns><id>9</id>${revisions}</page>`
  return `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">${site}${page}</mediawiki>`
}

function xmlRevision(revId: number, parentId: number, text = `text ${revId}`): string {
  const parent = parentId === 0 ? '' : `<parentid>${parentId}</parentid>`
  const bytes = Buffer.byteLength(text)
  return `<revision><id>${revId}</id>${parent}<timestamp>2020-01-01T00:0${revId}:00Z</timestamp><contributor><username>Jane</username><id>4</id></contributor><comment>why</comment><origin>${revId}</origin><model>wikitext</model><format>text/x-wiki</format><text bytes="${bytes}" xml:space="preserve">${text}</text></revision>`
}

test('an export holds wiki, page and the whole history', () => {
  const news = answered(EXPORT, xml(xmlRevision(1, 0) + xmlRevision(2, 1)))
  assert.equal(news.source, 'export')
  assert.equal(news.site?.name, 'Example')
  assert.deepEqual(
    news.pages.map(({ pageId, lastRevId }) => [pageId, lastRevId]),
    [[9, 2]],
  )
  assert.deepEqual(
    news.revisions.map(({ revId, parentId }) => [revId, parentId]),
    [
      [1, 0],
      [2, 1],
    ],
  )
  assert.deepEqual(news.finished, {
    pageId: 9,
    revisions: 2,
    isWhole: true,
    newestAt: Date.UTC(2020, 0, 1, 0, 2),
  })
  assert.deepEqual(news.next, [])
  assert.deepEqual(news.gaps, [])
})

test('an export without the page says that it is missing', () => {
  const news = answered(EXPORT, xml(''))
  assert.deepEqual(
    news.missing.map(({ title, why }) => [title, why]),
    [['Cat', 'missing']],
  )
  assert.equal(news.finished, null)
})

test('an export that is cut, shut or holds the newest revision alone leads to the history pages', () => {
  const cut = answered(EXPORT, xml(xmlRevision(1, 0) + xmlRevision(2, 1)).slice(0, -60))
  const newest = answered(EXPORT, xml(xmlRevision(2, 1)))
  const shut = answered(EXPORT, '<!DOCTYPE html><title>Log in</title>')
  for (const news of [cut, newest, shut]) {
    assert.deepEqual(news.next, [PAGE])
    assert.equal(news.finished, null)
  }
  assert.equal(newest.revisions.length, 1)
  assert.equal(shut.problem?.retry, 'elsewhere')
  assert.deepEqual(answered(EXPORT, '', { status: 500 }).next, [PAGE])
})

const HEAD =
  '<script>RLCONF={"wgPageName":"Black_\\u0022cat\\u0022","wgNamespaceNumber":0,"wgCurRevisionId":4,"wgArticleId":9};</script>'

function row(revId: number, parts: string): string {
  return `<li data-mw-revid="${revId}"><span class="mw-history-histlinks"><a href="/w/index.php?title=Cat&amp;diff=prev&amp;oldid=${revId}">prev</a></span>${parts}</li>`
}

const ROWS = [
  row(
    4,
    '<a href="/w/index.php?title=Cat&amp;oldid=4" class="mw-changeslist-date">23:59, 4 January 2020</a> <span class="history-user"><a class="new mw-userlink" title="x"><bdi>Jane &amp; Joe</bdi></a> <span class="mw-usertoollinks">(<a>talk</a>)</span></span> <abbr class="minoredit" title="minor">m</abbr> <span class="history-size mw-diff-bytes" data-mw-bytes="27">27 bytes</span> <span class="comment comment--without-parentheses">moved <a href="/wiki/A">A</a> to B</span> <span class="mw-tag-markers">Tag: <span class="mw-tag-marker mw-tag-marker-mw-undo">undo</span></span>',
  ),
  row(
    3,
    '<a class="mw-changeslist-date">00:00, January 3, 2020</a> <span class="history-user"><a class="mw-userlink mw-anonuserlink"><bdi>192.0.2.1</bdi></a></span> <span class="history-size" data-mw-bytes="23">23</span> <span class="comment mw-comment-none">No edit summary</span>',
  ),
  row(
    2,
    '<span class="history-deleted mw-history-suppressed mw-changeslist-date">2020-01-02T03:04:05</span> <span class="history-user"><span class="history-deleted mw-userlink">(username removed)</span></span> <span class="history-deleted comment"> <span class="comment">(edit summary removed)</span></span>',
  ),
  row(
    1,
    '<a class="mw-changeslist-date">12:30, 2020 January 1</a> <span class="history-user"><a class="mw-userlink"><bdi>~2026-5</bdi></a></span> <span class="comment">(old style)</span>',
  ),
].join('')

test('a history page lists its revisions, and every open text is asked for alone', () => {
  const news = answered(PAGE, `<html>${HEAD}<ul>${ROWS}</ul>`)
  assert.equal(news.source, 'history-pages')
  assert.deepEqual(
    news.pages.map(({ pageId, title, lastRevId }) => [pageId, title, lastRevId]),
    [[9, 'Black "cat"', 4]],
  )
  const told = news.revisions.map(
    ({ revId, at, user, editor, comment, size, isMinor, tags, hidden }) => ({
      revId,
      at: new Date(at).toISOString(),
      user,
      editor,
      comment,
      size,
      isMinor,
      tags,
      hidden,
    }),
  )
  const plain = { isMinor: false, tags: [], hidden: [] }
  assert.deepEqual(told, [
    {
      revId: 4,
      at: '2020-01-04T23:59:00.000Z',
      user: 'Jane & Joe',
      editor: 'registered',
      comment: 'moved A to B',
      size: 27,
      isMinor: true,
      tags: ['mw-undo'],
      hidden: [],
    },
    {
      revId: 3,
      at: '2020-01-03T00:00:00.000Z',
      user: '192.0.2.1',
      editor: 'anonymous',
      comment: '',
      size: 23,
      ...plain,
    },
    {
      revId: 2,
      at: '2020-01-02T03:04:05.000Z',
      user: null,
      editor: 'unknown',
      comment: null,
      size: null,
      ...plain,
      hidden: ['user', 'comment', 'text'],
    },
    {
      revId: 1,
      at: '2020-01-01T12:30:00.000Z',
      user: '~2026-5',
      editor: 'temporary',
      comment: 'old style',
      size: null,
      ...plain,
    },
  ])
  assert.equal(news.revisions[2]?.isSuppressed, true)
  assert.deepEqual(
    news.next.map((step) => (step.kind === 'raw' ? step.revId : step.kind)),
    [4, 3, 1],
  )
  assert.equal(news.finished?.revisions, 4)
})

test('history pages are followed by their own link, once', () => {
  const link =
    '<a href="/w/index.php?title=Cat&amp;action=history&amp;offset=20200101123000%7C1&amp;limit=500" rel="next" class="mw-nextlink">older</a>'
  const news = answered({ ...PAGE, soFar: 10 }, `<html>${HEAD}${link}<ul>${ROWS}</ul>${link}`)
  assert.deepEqual(news.next[0], { ...PAGE, offset: '20200101123000|1', soFar: 14 })
  assert.equal(news.finished, null)
  const again = answered(
    { ...PAGE, offset: '20200101123000|1' },
    `<html>${HEAD}${link}<ul>${ROWS}</ul>`,
  )
  assert.ok(again.next.every(({ kind }) => kind === 'raw'))
  assert.ok(again.finished !== null)
})

test('a page that shows no history ends the road', () => {
  const news = answered(PAGE, '<html><title>Login required</title>')
  assert.deepEqual([news.problem?.code, news.problem?.retry], ['MINGA_WIKI_CLOSED', 'never'])
  assert.equal(answered(PAGE, '', { status: 404 }).problem?.code, 'MINGA_WIKI_NOT_FOUND')
  assert.equal(answered(PAGE, '', { status: 429 }).problem?.retry, 'later')
  const undated = answered(
    PAGE,
    `<html>${HEAD}${row(4, '<a class="mw-changeslist-date">gestern</a>')}`,
  )
  assert.equal(undated.revisions.length, 0)
  assert.equal(undated.warnings.length, 1)
  assert.equal(undated.next.length, 1)
})

const MODIFIED: [string, string] = ['Last-modified', 'Thu, 02 Jan 2020 03:04:05 GMT']
const TEXT: [string, string] = ['Content-Type', 'text/x-wiki; charset=UTF-8']
const AT = Date.UTC(2020, 0, 2, 3, 4, 5)

function known(parts: Partial<Revision> = {}): Revision {
  return {
    pageId: 9,
    revId: 2,
    parentId: null,
    at: AT - 5_000,
    user: 'Jane',
    userId: null,
    editor: 'registered',
    isMinor: true,
    size: 6,
    sha1: null,
    comment: 'why',
    parsedComment: null,
    tags: [],
    hidden: [],
    isSuppressed: false,
    slots: [],
    ...parts,
  }
}

test('a text alone is kept byte for byte, with its time to the second', () => {
  const news = answered(RAW, 'cafe\u0301', { headers: [TEXT, MODIFIED], known: known() })
  const [revision] = news.revisions
  assert.equal(revision?.at, AT)
  assert.equal(revision?.user, 'Jane')
  assert.deepEqual(Buffer.from(revision?.slots[0]?.text ?? []), Buffer.from('cafe\u0301'))
  assert.equal(revision?.sha1, sha1Of('cafe\u0301'))
  assert.deepEqual(news.gaps, [])
  const nameless = answered(RAW, '', { headers: [TEXT, MODIFIED] })
  assert.equal(nameless.revisions[0]?.slots[0]?.text?.length, 0)
  assert.equal(nameless.revisions[0]?.user, null)
})

test('a text alone repairs one that came in another Unicode form', () => {
  const sha1 = sha1Of('cafe\u0301')
  const slot = { role: 'main', model: 'wikitext', format: 'text/x-wiki', size: 6, sha1, text: null }
  const news = answered(RAW, 'cafe\u0301', {
    headers: [TEXT, MODIFIED],
    known: known({ sha1, slots: [slot] }),
  })
  assert.deepEqual(news.gaps, [])
  assert.equal(news.revisions[0]?.slots[0]?.model, 'wikitext')
  const wrong = answered(RAW, 'caf\u00e9', {
    headers: [TEXT, MODIFIED],
    known: known({ sha1, slots: [slot] }),
  })
  assert.deepEqual(
    wrong.gaps.map(({ kind }) => kind),
    ['sha1-wrong'],
  )
})

test('bytes that stand in other slots are a gap of this road', () => {
  const news = answered(RAW, 'main', { headers: [TEXT, MODIFIED], known: known({ size: 10 }) })
  assert.deepEqual(
    news.gaps.map(({ kind }) => kind),
    ['size-wrong'],
  )
  assert.equal(news.revisions[0]?.sha1, null)
})

test('a text that the wiki keeps back is hidden, one that it does not know is missing', () => {
  const hidden = answered(RAW, '', { status: 404, headers: [TEXT, MODIFIED], known: known() })
  assert.deepEqual(hidden.revisions[0]?.hidden, ['text'])
  assert.deepEqual(hidden.gaps, [])
  const gone = answered(RAW, '', { status: 404, headers: [TEXT], known: known() })
  assert.deepEqual(
    gone.gaps.map(({ kind, revId }) => [kind, revId]),
    [['revision-missing', 2]],
  )
  const page = answered(RAW, '<html>', { headers: [['Content-Type', 'text/html'], MODIFIED] })
  assert.equal(page.problem?.code, 'MINGA_WIKI_BAD_ANSWER')
  assert.equal(answered(RAW, '', { status: 500 }).problem?.retry, 'later')
  const failed = answered(RAW, '', { status: 200, truncated: 'length' })
  assert.deepEqual(
    failed.gaps.map(({ kind }) => kind),
    ['text-unreadable'],
  )
})

const SOURCE: SourceStep = {
  kind: 'source',
  rest: INDEX.replace('index.php', 'rest.php'),
  pageId: 9,
  revId: 2,
  ticket: TICKET,
}

test('where the wiki shows a page of its own instead of a text, its REST API is asked', () => {
  assert.deepEqual(stepOfUrl(urlOfStep(SOURCE)), SOURCE)
  const closed = '<title>Login required</title><meta name="generator" content="MediaWiki 1.39">'
  for (const news of [answered(RAW, closed), answered(RAW, closed, { status: 403 })]) {
    assert.equal(news.problem?.retry, 'elsewhere')
    assert.deepEqual(news.next, [SOURCE])
  }
  const proxy = answered(RAW, '<title>Please log in to this network</title>')
  assert.deepEqual([proxy.problem?.retry, proxy.next], ['later', []])
})

test('a text of the REST API is kept byte for byte, and nothing else is taken for one', () => {
  const text = 'Cafe\u0301'
  const told = { id: 2, timestamp: '2020-01-01T00:02:00Z', source: text, content_model: 'wikitext' }
  const [revision] = answered(SOURCE, JSON.stringify(told)).revisions
  assert.deepEqual(revision?.slots[0]?.text, Buffer.from(text))
  assert.equal(revision?.sha1, sha1Of(Buffer.from(text)))
  assert.equal(revision?.at, Date.UTC(2020, 0, 1, 0, 2))
  for (const body of ['{}', 'null', '<html>', JSON.stringify({ ...told, id: 3 })]) {
    const news = answered(SOURCE, body)
    assert.deepEqual([news.problem?.code, news.revisions], ['MINGA_WIKI_BAD_ANSWER', []], body)
  }
  const denied = answered(SOURCE, '{"error":"rest-read-denied"}', { status: 403 })
  assert.deepEqual([denied.problem?.retry, denied.next], ['never', []])
})
