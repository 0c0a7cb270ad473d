// Goal: lists of articles and revisions choose, order, cut and show exactly what is asked for. Method: a station holds two
// hand-made histories; every filter, order, page and field is asked over HTTP and compared with the rows themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORACLE, oracleHistory } from '@minga/testkit'
import { assertRefused, type TestStation } from '../../../test/station-fixture.ts'
import { keep, oracleStation, otherHistory, rowsOf, v1 } from '../../../test/wiki/v1/v1-fixture.ts'

type Row = Record<string, unknown>

const { revisions } = oracleHistory()

async function twoWikis(): Promise<TestStation> {
  const station = await oracleStation()
  await keep(station, otherHistory())
  return station
}

const identityOf = ({ wiki, revid }: Row): string => `${String(wiki)} ${String(revid)}`

function compare(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return Buffer.compare(Buffer.from(textOf(a)), Buffer.from(textOf(b)))
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join('|') : String(value))

/** What is not known comes last, whichever way it goes. */
function inOrder(rows: readonly Row[], field: string, isFalling: boolean): Row[] {
  const way = isFalling ? -1 : 1
  const by = (name: string) => (a: Row, b: Row) => {
    const [x, y] = [a[name] ?? null, b[name] ?? null]
    return x === null || y === null ? compare(x, y) : way * compare(x, y)
  }
  const keys = [...new Set([field, 'revid', 'wiki'])].map(by)
  return rows.toSorted((a, b) => keys.map((key) => key(a, b)).find((one) => one !== 0) ?? 0)
}

/** Part after part, as the header says. */
async function walk(station: TestStation, path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let next: string | null = path; next !== null;) {
    const { status, body, headers, text } = await v1(station, next)
    assert.equal(status, 200, text)
    rows.push(...(body as Row[]))
    next = /<\/api\/v1([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1] ?? null
  }
  return rows
}

test('Article/revision listing: a revision shows every field of the wiki, and its text', async () => {
  const station = await oracleStation()
  const rows = await rowsOf(station, '/revisions?sort=timestamp&page_size=200')
  assert.equal(rows.length, ORACLE.total)
  for (const [index, row] of rows.entries()) {
    const { revId, parentId, user, userId, size, sha1, comment, tags, at, slots } =
      revisions[index]!
    assert.deepEqual(
      [row['revid'], row['parentid'], row['user'], row['userid'], row['size'], row['sha1']],
      [revId, parentId, user, userId, size, sha1],
    )
    assert.deepEqual([row['comment'], row['tags']], [comment, tags])
    assert.equal(Date.parse(String(row['timestamp'])), at)
    assert.equal(row['text'], Buffer.from(slots[0]!.text!).toString())
    assert.equal(row['page_url'], 'https://corpus.example/wiki/Dungeon_Siege')
    assert.match(String(row['licence']), /creativecommons/)
  }
})

test('Article/revision listing: every attribute sorts both ways, by pages and by cursor alike', async () => {
  const station = await twoWikis()
  const all = await rowsOf(station, '/revisions?page_size=200&sort=asc')
  assert.equal(all.length, ORACLE.total + 3)
  const fields = Object.keys(all[0]!).filter(
    (field) => !['text', 'page_url', 'licence'].includes(field),
  )
  assert.ok(fields.length >= 20)
  for (const field of fields) {
    for (const sort of [field, `-${field}`]) {
      const expected = inOrder(all, field, sort.startsWith('-')).map(identityOf)
      const asked = `/revisions?project=wiki,revid&page_size=20&sort=${sort}`
      const pages = [1, 2, 3].map((page) => rowsOf(station, `${asked}&page=${page}`))
      assert.deepEqual((await Promise.all(pages)).flat().map(identityOf), expected, sort)
      assert.deepEqual((await walk(station, asked)).map(identityOf), expected, sort)
    }
  }
})

test('Article/revision listing: every field filters, and filters are joined by and', async () => {
  const station = await twoWikis()
  const all = await rowsOf(station, '/revisions?page_size=200')
  const sample = all.find(({ tags }) => (tags as string[]).length > 0)!
  for (const [field, value] of Object.entries(sample)) {
    if (['page_url', 'licence', 'hidden'].includes(field)) continue
    const wanted = Array.isArray(value) ? value[0] : value
    const asked = new URLSearchParams({ [field]: String(wanted), project: 'wiki,revid' }).toString()
    const found = await rowsOf(station, `/revisions?page_size=200&${asked}`)
    const expected = all.filter((row) =>
      Array.isArray(value) ? (row[field] as unknown[]).includes(wanted) : row[field] === wanted,
    )
    assert.deepEqual(found.map(identityOf), expected.map(identityOf), field)
  }
  const both = await rowsOf(station, '/revisions?user=Jahaza&datestart=2004-05-10&locale=en')
  const expected = all.filter(
    ({ user, locale, timestamp }) =>
      user === 'Jahaza' && locale === 'en' && String(timestamp) >= '2004-05-10',
  )
  assert.deepEqual(both.map(identityOf), expected.map(identityOf))
  const hidden = await rowsOf(station, '/revisions?hidden=comment&project=revid,user,comment')
  assert.deepEqual(hidden, [{ revid: 67_000_050, user: null, comment: null }])
  const large = await rowsOf(station, '/revisions?size=1200&sizematch=1&project=size')
  assert.ok(large.length > 0 && large.every(({ size }) => Number(size) > 1_200))
})

test('Article/revision listing: project shows the fields that are named, as they are named', async () => {
  const station = await oracleStation()
  const [row] = await rowsOf(station, '/revisions?page_size=1&project=revid,*,user')
  assert.deepEqual(Object.keys(row!), ['revid', '*', 'user'])
  assert.match(String(row!['*']), /Dungeon Siege/)
  const [article] = await rowsOf(station, '/articles?project=title')
  assert.deepEqual(article, { title: 'Dungeon Siege' })
})

test('Article/revision listing: articles show first and last extraction and last revision', async () => {
  const station = await twoWikis()
  const articles = await rowsOf(station, '/articles?sort=-revisions')
  assert.deepEqual(
    articles.map(({ wiki, locale, title, revisions: count }) => [wiki, locale, title, count]),
    [
      ['corpus.example', 'en', 'Dungeon Siege', 35],
      ['es.wiki.example', 'es', 'Asedio', 3],
    ],
  )
  const [first] = articles
  assert.equal(first!['last_revision_extracted'], 826_500_500)
  assert.equal(first!['last_revision_date'], '2018-02-19T23:59:59.000Z')
  const extracted = new Date(station.clock.now()).toISOString()
  assert.equal(first!['first_extraction_date'], extracted)
  assert.equal(first!['last_extraction_date'], extracted)
  const day = extracted.slice(0, 10)
  assert.equal((await rowsOf(station, `/articles?last_extraction_date=${day}`)).length, 2)
  assert.deepEqual(await rowsOf(station, '/articles?first_extraction_date=2001-01-01'), [])
  const found = await rowsOf(station, '/articles?last_revision_extracted=3355210&project=title')
  assert.deepEqual(found, [{ title: 'Asedio' }])
  assert.equal((await rowsOf(station, '/articles?title=Dungeon_Siege')).length, 1)
  assert.equal((await rowsOf(station, '/articles?locale=es')).length, 1)
  assert.deepEqual(await rowsOf(station, '/articles?locale=qu'), [])
})

test('Article/revision listing: one article by its number, unless several wikis have it', async () => {
  const station = await twoWikis()
  const one = await v1(
    station,
    `/articles/${ORACLE.pageId}?wiki=corpus.example&project=title,pageid`,
  )
  assert.deepEqual(one.body, { title: 'Dungeon Siege', pageid: ORACLE.pageId })
  const several = await v1(station, `/articles/${ORACLE.pageId}`)
  assertRefused(several, '400 MINGA_BAD_WIKI_LISTING', /es\.wiki\.example/)
  assertRefused(await v1(station, '/articles/1'), '404 MINGA_NO_SUCH_ARTICLE', /no page 1/)
  assertRefused(await v1(station, '/articles/x'), '404 MINGA_NO_SUCH_ARTICLE', /no page x/)
})

test('Article/revision listing: 20 rows by default, 200 at most, and invalid values are refused', async () => {
  const station = await oracleStation()
  assert.equal((await rowsOf(station, '/revisions')).length, 20)
  const refused = async (path: string, sentence: RegExp, code = 'MINGA_BAD_WIKI_LISTING') => {
    const said = await v1(station, path)
    assertRefused(said, `400 ${code}`, sentence)
    assert.equal(said.headers['etag'], undefined)
  }
  await refused('/revisions?page_size=201', /from 1 to 200/)
  await refused('/revisions?page_size=0', /from 1 to 200/)
  await refused('/revisions?page=0', /from 1/)
  await refused('/revisions?sort=colour', /no "colour". Known values are wiki, /)
  await refused('/articles?project=title,colour', /no "colour"/)
  await refused('/revisions?cursor=x', /not one of this API/)
  await refused('/revisions?page=x', /page: is no whole number/, 'MINGA_BAD_MESSAGE')
  await refused('/revisions?revid=many', /revid: is no whole number/, 'MINGA_BAD_MESSAGE')
  await refused('/revisions?extraction_date=2021-02-30', /is no time/, 'MINGA_BAD_MESSAGE')
  await refused('/revisions?user=a&user=b', /user/, 'MINGA_BAD_WIKI_FILTER')
  const { headers } = await v1(station, '/revisions?sort=size')
  const cursor = String(headers['x-next-cursor'])
  await refused(`/revisions?page=2&cursor=${cursor}`, /either by page or by cursor/)
  await refused(`/revisions?sort=-size&cursor=${cursor}`, /in the order size/)
  await refused(`/articles?cursor=${cursor}`, /sort|cursor/)
})

test('a list that is walked by cursor neither repeats nor skips rows while others arrive', async () => {
  const station = await oracleStation()
  const first = await v1(station, '/revisions?page_size=5&project=revid')
  const { site, page } = oracleHistory()
  const newest = { ...revisions.at(-1)!, revId: 900_000_000, at: Date.UTC(2019, 0, 1) }
  await keep(station, { site, page, revisions: [newest] })
  const cursor = String(first.headers['x-next-cursor'])
  const [next] = await rowsOf(station, `/revisions?page_size=5&project=revid&cursor=${cursor}`)
  assert.equal(next!['revid'], ORACLE.pageTwo.firstRevId)
  const [shifted] = await rowsOf(station, '/revisions?page_size=5&project=revid&page=2')
  assert.notEqual(shifted!['revid'], ORACLE.pageTwo.firstRevId)
})

test('the same answer is marked as unchanged until something changes', async () => {
  const station = await oracleStation()
  for (const path of ['/revisions', '/articles', `/articles/${ORACLE.pageId}`, '/count']) {
    const first = await v1(station, path)
    const headers = { 'if-none-match': String(first.headers['etag']) }
    const again = await v1(station, path, { headers })
    assert.deepEqual([again.status, again.text], [304, ''], path)
    const other = await v1(station, `${path}?format=csv`, { headers })
    assert.equal(other.status, 200)
  }
  const { headers: before } = await v1(station, '/count')
  const { site, page } = oracleHistory()
  const added = { ...revisions.at(-1)!, revId: 900_000_000 }
  await keep(station, { site, page, revisions: [added] })
  const after = await v1(station, '/count', {
    headers: { 'if-none-match': String(before['etag']) },
  })
  assert.deepEqual(after.body, { count: ORACLE.total + 1 })
})

test('lists come as lines of JSON and as CSV, by the header or by name', async () => {
  const station = await oracleStation()
  const asked = '/revisions?page_size=2&project=revid,timestamp,comment,tags'
  const lines = await v1(station, asked, { headers: { accept: 'application/x-ndjson' } })
  assert.equal(lines.headers['content-type'], 'application/x-ndjson; charset=utf-8')
  const rows = lines.text.trimEnd().split('\n')
  assert.deepEqual(
    rows.map((line) => JSON.parse(line) as object),
    await rowsOf(station, asked),
  )
  const csv = await v1(station, `${asked}&format=csv`)
  assert.equal(
    csv.text,
    'revid,timestamp,comment,tags\r\n' +
      '826500500,2018-02-19T23:59:59.000Z,last second,\r\n' +
      '826500400,2018-02-19T20:00:00.000Z,ce,mobile edit\r\n',
  )
  assert.equal((await v1(station, asked, { headers: { accept: 'text/csv' } })).text, csv.text)
})

test('reading needs an account where the station is not read openly', async () => {
  const station = await oracleStation({ readOpenly: false })
  const nobody = { authorization: '' }
  const read = ['/revisions', '/articles', '/count', '/tasks', '/schedule', '/status/1']
  for (const path of [...read, '/openapi.json', '/']) {
    const said = await v1(station, path, { headers: nobody })
    assertRefused(said, '401 MINGA_NOT_ALLOWED', /./)
  }
  for (const path of read.slice(0, 5)) assert.equal((await v1(station, path)).status, 200)
})
