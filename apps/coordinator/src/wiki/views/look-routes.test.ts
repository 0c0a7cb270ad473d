// Goal: what the page shows of wikis is what is stored: every page and revision once, in the
// requested order, with the right counts and authors, and no secret. Method: a whole station with
// hand-made histories, judged by the histories themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  WikiAuthorship,
  WikiDetail,
  WikiEditorView,
  WikiListPart,
  WikiLogInState,
  WikiPageComparison,
  WikiPageRow,
  WikiPageTrack,
  WikiRevisionRow,
  WikiSummary,
} from '@minga/protocol'
import { oracleHistory } from '@minga/testkit'
import type { Revision } from '@minga/wiki'
import { TOKENS, assertRefused, type TestStation } from '../../../test/station-fixture.ts'
import { keep, oracleStation } from '../../../test/wiki/v1/v1-fixture.ts'
import { authoredRuns } from './look-routes.ts'

const ORACLE = oracleHistory()
const WIKI = new URL(ORACLE.site.base).host

async function read<T>(station: TestStation, path: string): Promise<T> {
  const { status, body } = await station.get(path)
  assert.equal(status, 200, `${path} ${JSON.stringify(body)}`)
  return body as T
}

/** Other pages in addition to the oracle's: each a copy of its first revisions. */
async function keepPages(station: TestStation, titles: readonly string[]): Promise<void> {
  for (const [i, title] of titles.entries()) {
    const pageId = 900_000 + i
    const revisions = ORACLE.revisions.slice(0, 1 + (i % 5)).map((revision): Revision => {
      return { ...revision, pageId, revId: revision.revId * 1_000 + i }
    })
    await keep(station, { ...ORACLE, page: { ...ORACLE.page, pageId, title }, revisions })
  }
}

test('the overview counts pages, revisions and editors of each wiki, also after more came', async () => {
  const station = await oracleStation()
  const [only] = (await read<{ wikis: WikiSummary[] }>(station, '/wikis/overview')).wikis
  const users = new Set(ORACLE.revisions.flatMap(({ user }) => user ?? []))
  assert.deepEqual(
    [only?.wiki, only?.pages, only?.revisions, only?.editors, only?.newestAt],
    [WIKI, 1, ORACLE.revisions.length, users.size, Math.max(...ORACLE.revisions.map((r) => r.at))],
  )
  await keepPages(station, ['Alpaca', 'Llama'])
  const detail = await read<WikiDetail>(station, `/wikis/${WIKI}/summary`)
  assert.deepEqual([detail.pages, detail.revisions], [3, ORACLE.revisions.length + 3])
  assert.deepEqual(
    detail.namespaces.map(({ ns, pages, revisions }) => ({ ns, pages, revisions })),
    [{ ns: 0, pages: 3, revisions: detail.revisions }],
  )
  assertRefused(
    await station.get('/wikis/nowhere.example/summary'),
    '404 MINGA_NO_SUCH_WIKI',
    /nowhere/,
  )
})

test('pages come in parts in the order asked for, each once, and are found by a part of their title', async () => {
  const station = await oracleStation()
  const titles = Array.from({ length: 23 }, (_, i) => `Page %'" ${String(i).padStart(2, '0')}`)
  await keepPages(station, titles)
  for (const sort of ['title', '-revisions', '-lastAt', 'size', 'editors']) {
    const seen: WikiPageRow[] = []
    let cursor: string | null = null
    do {
      const asked: string = cursor === null ? `sort=${sort}` : `cursor=${cursor}`
      const path = `/wikis/${WIKI}/pages?page_size=10&${asked}`
      const part: WikiListPart<WikiPageRow> = await read(station, path)
      assert.equal(part.total, 24)
      seen.push(...part.rows)
      cursor = part.cursor
    } while (cursor !== null)
    assert.equal(new Set(seen.map(({ pageId }) => pageId)).size, 24, sort)
    const name = sort.replace('-', '') as 'revisions'
    const values = seen.map((row) => row[name])
    const rising = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    assert.deepEqual(values, sort.startsWith('-') ? rising.toReversed() : rising, sort)
  }
  const found = await read<WikiListPart<WikiPageRow>>(
    station,
    `/wikis/${WIKI}/pages?search=${encodeURIComponent(`page %'" 1`)}&match=prefix`,
  )
  assert.equal(found.total, 10)
  const inside = await read<WikiListPart<WikiPageRow>>(station, `/wikis/${WIKI}/pages?search=siege`)
  assert.deepEqual(
    inside.rows.map(({ title, revisions }) => [title, revisions]),
    [[ORACLE.page.title, ORACLE.revisions.length]],
  )
})

test('revisions of a page and of an editor list what each added, compared with their neighbours on the page', async () => {
  const station = await oracleStation()
  const { pageId } = ORACLE.page
  const inTime = ORACLE.revisions.toSorted((a, b) => a.at - b.at || a.revId - b.revId)
  const deltas = new Map(
    inTime.map(({ revId, size }, i) => [revId, size! - (i === 0 ? 0 : inTime[i - 1]!.size!)]),
  )
  const all = await read<WikiListPart<WikiRevisionRow>>(
    station,
    `/wikis/${WIKI}/revisions?pageId=${pageId}&sort=at&page_size=200`,
  )
  assert.deepEqual(
    all.rows.map(({ revId, delta }) => [revId, delta]),
    inTime.map(({ revId }) => [revId, deltas.get(revId)]),
  )
  const own = await read<WikiListPart<WikiRevisionRow>>(
    station,
    `/wikis/${WIKI}/revisions?user=PresN&page_size=2`,
  )
  assert.equal(own.total, 3)
  assert.equal(own.rows.length, 2)
  for (const { user, revId, delta } of own.rows) {
    assert.deepEqual([user, delta], ['PresN', deltas.get(revId)])
  }
  const tagged = await read<WikiListPart<WikiRevisionRow>>(
    station,
    `/wikis/${WIKI}/revisions?pageId=${pageId}&tags=mobile%20edit`,
  )
  assert.equal(tagged.total, 2)
  const refused = await station.get(`/wikis/${WIKI}/revisions`)
  assertRefused(refused, '400 MINGA_BAD_WIKI_LISTING', /pageId/)
})

test('the track of a page has every revision in its order, with its editor', async () => {
  const station = await oracleStation()
  const title = encodeURIComponent(ORACLE.page.title.replaceAll(' ', '_'))
  const track = await read<WikiPageTrack>(station, `/wikis/${WIKI}/track?title=${title}`)
  const inTime = ORACLE.revisions.toSorted((a, b) => a.at - b.at || a.revId - b.revId)
  assert.deepEqual(
    track.revIds.map((revId, i) => [revId, track.at[i], track.editors[track.editorOf[i]!]]),
    inTime.map(({ revId, at, user }) => [revId, at, user]),
  )
  assertRefused(
    await station.get(`/wikis/${WIKI}/track?pageId=1`),
    '404 MINGA_NO_SUCH_ARTICLE',
    /page 1 /,
  )
})

test('authorship of any revision joins to its text, and names who wrote each part', async () => {
  const station = await oracleStation()
  const { pageId } = ORACLE.page
  const inTime = ORACLE.revisions.toSorted((a, b) => a.at - b.at || a.revId - b.revId)
  const shown = inTime.filter(({ slots }) => slots[0]?.text)
  for (const { revId, slots } of [shown[0]!, shown[10]!, shown.at(-1)!]) {
    const path = `/wikis/${WIKI}/authorship?pageId=${pageId}&revId=${revId}`
    const { runs, authors } = await read<WikiAuthorship>(station, path)
    assert.equal(runs.map(({ text }) => text).join(''), Buffer.from(slots[0]!.text!).toString())
    for (const { author, revId: origin } of runs) {
      assert.equal(authors[author]!.user, inTime.find((one) => one.revId === origin)!.user)
    }
    const shares = authors.reduce((sum, { share }) => sum + share, 0)
    assert.ok(Math.abs(shares - 1) < 1e-9)
  }
  const none = await station.get(`/wikis/${WIKI}/authorship?pageId=${pageId}&revId=5`)
  assertRefused(none, '404 MINGA_NO_SUCH_REVISION', /revision 5 /)
})

test('an editor is compared with pages, and one who never edited is reported as missing', async () => {
  const station = await oracleStation()
  await keepPages(station, ['Alpaca'])
  const editor = await read<WikiEditorView>(station, `/wikis/${WIKI}/editor?name=PresN`)
  assert.deepEqual([editor.edits, editor.pages, editor.editor], [3, 1, 'registered'])
  const missing = await station.get(`/wikis/${WIKI}/editor?name=Nobody`)
  assertRefused(missing, '404 MINGA_NO_SUCH_WIKI_EDITOR', /Nobody/)
  const path = `/wikis/${WIKI}/compare?pageIds=${ORACLE.page.pageId},900000`
  const { pages, overlaps } = await read<WikiPageComparison>(station, path)
  assert.deepEqual(
    pages.map(({ revisions }) => revisions),
    [ORACLE.revisions.length, 1],
  )
  assert.deepEqual(
    overlaps.map(({ common }) => common),
    [1],
  )
})

test('the credentials of the station are listed without their secrets, and to those who may read settings', async () => {
  const station = await oracleStation()
  const apiUrl = 'https://api.example/w/api.php'
  const site = { ...ORACLE.site, base: 'https://api.example/wiki/Main_Page', apiUrl }
  const wiki = await keep(station, { ...ORACLE, site })
  const url = `/api/wikis/${wiki}/log-in`
  const headers = { host: 'localhost', authorization: `Bearer ${TOKENS.apiKey}` }
  const before = await station.app.inject({ url, headers })
  assert.deepEqual(before.json<WikiLogInState>(), { hasToken: false, bot: null })
  const put = (what: string, payload: object) =>
    station.app.inject({ method: 'PUT', url: `/api/wikis/${wiki}/${what}`, headers, payload })
  const [secret, password] = ['not-to-be-told', 'nor-this-one']
  assert.equal((await put('token', { token: secret })).statusCode, 200)
  const logIn = { user: 'Ada@minga', password }
  assert.equal((await put('bot-password', { logIn })).statusCode, 200)
  const after = await station.app.inject({ url, headers })
  assert.deepEqual(after.json<WikiLogInState>(), {
    hasToken: true,
    bot: { user: 'Ada@minga', refusedUntil: null, code: null },
  })
  for (const hidden of [secret, password]) assert.ok(!after.payload.includes(hidden))
  const stranger = await station.app.inject({ url, headers: { host: 'localhost' } })
  assert.equal(stranger.statusCode, 401)
})

// Goal: coloured text is the text, and each part of it has one author. Method: small hand-made
// texts.

const token = (text: string, revId: number, user: string | null) => ({ text, revId, user })
const placeOf = (user: string | null): number => ['Ada', 'Bo', null].indexOf(user)

test('words of one revision are one run with the white space between them', () => {
  const tokens = [token('a', 1, 'Ada'), token('b', 1, 'Ada'), token('c', 2, 'Bo')]
  assert.deepEqual(authoredRuns('  a \n b c \n', tokens, placeOf), [
    { text: '  a \n b ', author: 0, revId: 1 },
    { text: 'c \n', author: 1, revId: 2 },
  ])
})

test('two revisions of one editor are two runs, and a hidden editor has one too', () => {
  const tokens = [token('a', 1, 'Ada'), token('a', 3, 'Ada'), token('b', 4, null)]
  const runs = authoredRuns('a a b', tokens, placeOf)
  assert.deepEqual(
    runs.map(({ revId, author }) => [revId, author]),
    [
      [1, 0],
      [3, 0],
      [4, 2],
    ],
  )
  assert.equal(runs.map(({ text }) => text).join(''), 'a a b')
})

test('a text without a word has no run', () => {
  assert.deepEqual(authoredRuns(' \n', [], placeOf), [])
})
