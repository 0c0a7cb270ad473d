// Goal: what the web and the machines of volunteers do wrong is met by a written rule, so that it
// is neither taken for change nor eats the budget nor stops the rest; docs/watching.md lists the
// rules. Method: a whole station on virtual time over a synthetic web that misbehaves in one way
// per test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VisitView } from '@minga/protocol'
import { seededRandom } from '@minga/testkit'
import type { Page } from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const IS_LONG = process.env['MINGA_LONG'] === '1'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const PERIOD = { periodMs: 6 * HOUR }

const PARAGRAPH =
  'The council met on Tuesday and agreed on the plan for the new library, which opens in spring.'
const ROOF = 'The roof is finished.'
const FIRE = 'The roof burned down, and the opening is put off by a year.'

const html = (text: string): string =>
  `<html><head><title>News</title></head><body><h1>News</h1>
   <p>${PARAGRAPH}</p><p>${text}</p></body></html>`

const article = (text: string, headers: Page['headers'] = []): Page => ({
  body: html(text),
  headers,
})

const told = (visits: VisitView[]): string[] =>
  visits.toReversed().map(({ outcome, code }) => (code === null ? outcome : `${outcome} ${code}`))

async function watchPage(on: WatchStation, url: string, more: object = PERIOD): Promise<number> {
  const { id } = await on.watch({ urls: [url], ...more })
  await on.pass(MINUTE)
  return id
}

/** The page shows each of these in turn, for a visit each. */
async function showInTurn(
  on: WatchStation,
  url: string,
  pages: Page[],
  more = {},
): Promise<string[]> {
  on.web = { [url]: pages[0]! }
  const id = await watchPage(on, url, { ...PERIOD, ...more })
  for (const page of pages.slice(1)) {
    on.web = { [url]: page }
    await on.pass(6 * HOUR)
  }
  return told(await on.visits(id))
}

test('clock skew: a device whose clock is wrong by years changes neither visits nor plans', async () => {
  for (const skewMs of [-20 * YEAR, 20 * YEAR]) {
    const on = await openWatchStation()
    on.alter = (parcel) => {
      const { result } = parcel
      if (result.type !== 'captured') return parcel
      return { ...parcel, result: { ...result, capturedAt: result.capturedAt + skewMs } }
    }
    const url = 'http://skew.test/'
    const seen = await showInTurn(on, url, [article(ROOF), article(FIRE), article(FIRE)])
    assert.deepEqual(seen, ['first', 'changed', 'unchanged'])
    const now = on.station.clock.now()
    for (const { at } of await on.visits(1)) assert.ok(now - at < DAY && at <= now)
    const [next] = await on.forecast(1)
    assert.ok(next!.nextVisitAt! > now && next!.nextVisitAt! <= now + 6 * HOUR)
  }
})

test('clock skew: a visit never ended before it was due, whatever the device says', async () => {
  const on = await openWatchStation()
  on.alter = (parcel) => ({ ...parcel, endedAtMs: -YEAR })
  const url = 'http://late.test/'
  await showInTurn(on, url, [article(ROOF), article(ROOF), article(ROOF)])
  const visits = (await on.visits(1)).toReversed()
  assert.ok(visits.length >= 2 && visits.length <= 4, String(visits.length))
  assert.ok(visits.every(({ at }) => at > on.station.clock.now() - DAY))
})

test('Last-Modified in the future: it is not sent back, and the change is seen', async () => {
  const on = await openWatchStation()
  const url = 'http://future.test/'
  const future: Page['headers'] = [['Last-Modified', 'Wed, 01 Jan 2080 00:00:00 GMT']]
  const seen = await showInTurn(on, url, [article(ROOF, future), article(FIRE, future)])
  assert.deepEqual(seen, ['first', 'changed'])
  assert.ok(on.hits.length >= 3 && on.hits.every(({ since }) => since === null))
  const past: Page['headers'] = [['Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT']]
  on.web = { [url]: article(ROOF, past) }
  await on.pass(12 * HOUR)
  assert.equal(on.hits.at(-1)!.since, past[0]![1], 'one of the past is')
})

test('lying sitemaps: where lastmod never moves, the page is visited by its own plan', async () => {
  const on = await openWatchStation()
  const [url, sitemap] = ['http://still.test/', 'http://still.test/sitemap.xml']
  const entry = `<url><loc>${url}</loc><lastmod>2020-01-01</lastmod></url>`
  const list = { body: `<urlset>${entry}</urlset>`, type: 'application/xml' }
  on.web = { [url]: article(ROOF), [sitemap]: list }
  const { id } = await on.watch({ subject: 'list', urls: [url], sitemaps: [sitemap], ...PERIOD })
  await on.pass(MINUTE)
  on.web = { [url]: article(FIRE), [sitemap]: list }
  await on.pass(6 * HOUR)
  const seen = told((await on.visits(id)).filter((visit) => visit.url === url))
  assert.deepEqual(seen, ['first', 'changed'])
})

const WORDS = 'harbour school market theatre bridge library station museum tower garden'.split(' ')

/** Other words at every stage, so that no mask of numbers hides the change. */
function notice(stage: number): string {
  const random = seededRandom(stage)
  const words = Array.from({ length: 40 }, () => random.pick(WORDS))
  return `${words.slice(0, 20).join(' ')}.</p><p>${words.slice(20).join(' ')}.`
}

test('pages that change on every fetch: they do not eat the budget of the fifty in their list', async (t) => {
  const on = await openWatchStation({ flags: { visitsPerDay: 50 } })
  const urls = Array.from({ length: 50 }, (_, i) => `http://p${i}.test/`)
  const [wild, restless] = urls
  const everyMs = new Map([
    [wild, 1],
    [restless, MINUTE],
  ])
  on.pageAt = (url, now) =>
    urls.includes(url)
      ? article(notice(Math.floor(now / (everyMs.get(url) ?? 5 * DAY))))
      : undefined
  await on.watch({ subject: 'list', urls })
  await on.pass((IS_LONG ? 4 : 3) * DAY)
  on.hits.length = 0
  await on.pass((IS_LONG ? 6 : 3) * DAY)
  const share = (of: string | undefined): number =>
    on.hits.filter(({ url }) => url === of).length / on.hits.length
  t.diagnostic(JSON.stringify({ hits: on.hits.length, shares: [share(wild), share(restless)] }))
  assert.ok(on.hits.length > 100, String(on.hits.length))
  assert.ok(share(wild) < 0.2 && share(restless) < 0.2)
  assert.equal(new Set(on.hits.map(({ url }) => url)).size, 50, 'no page is starved')
})

test('large pages: they are read whole, and an edit in the middle is found', async (t) => {
  const on = await openWatchStation()
  const url = 'http://large.test/'
  const rows = IS_LONG ? 200_000 : 50_000
  const filler = Array.from({ length: rows }, (_, i) => `<p>Row ${i}: ${PARAGRAPH}</p>`)
  const page = (text: string): Page => ({
    body: `<html><title>Large</title><body>${filler.slice(0, rows / 2).join('\n')}<p>${text}</p>
      ${filler.slice(rows / 2).join('\n')}</body></html>`,
  })
  assert.ok(page(ROOF).body!.length > 100 * rows)
  const startedMs = performance.now()
  const seen = await showInTurn(on, url, [page(ROOF), page(ROOF), page(FIRE)], { threshold: 0 })
  t.diagnostic(`${Math.round(performance.now() - startedMs)} ms for four visits`)
  assert.deepEqual(seen, ['first', 'unchanged', 'changed'])
})

test('empty pages: where text was, nothing is a failure; where nothing was, text is a change', async () => {
  const url = 'http://empty.test/'
  const empty = { body: '' }
  const on = await openWatchStation()
  const lost = await showInTurn(on, url, [article(ROOF), empty, article(ROOF)])
  assert.deepEqual(lost.slice(0, 2), ['first', 'failed empty'])
  assert.ok(!lost.some((outcome) => outcome.startsWith('changed')))
  const other = await openWatchStation()
  assert.deepEqual(await showInTurn(other, url, [empty, empty, article(ROOF)]), [
    'first',
    'unchanged',
    'changed',
  ])
})

test('invalid HTML and charsets: whatever the bytes are, the visit ends and the rest continues', async () => {
  const url = 'http://invalid.test/'
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 256))
  const pages: Page[] = [
    article(ROOF),
    { body: '<div>'.repeat(200_000) + FIRE },
    { body: '<p <p <<<a href="&#xFFFFFFFF;">' + FIRE + '<!-- <script> never closed' },
    { body: noise, type: 'text/html; charset=no-such-charset' },
    {
      body: Buffer.from(html('Opening: ÿþ café').normalize(), 'latin1'),
      type: 'text/html; charset=iso-8859-1',
    },
    { body: Buffer.from(`\uFEFF${html(FIRE)}`, 'utf16le'), type: 'text/html' },
  ]
  for (const selectors of [{}, { excludeSelectors: ['nav', '.ad'] }]) {
    const on = await openWatchStation()
    const seen = await showInTurn(on, url, [...pages, article(ROOF)], selectors)
    assert.ok(seen.length >= pages.length, seen.join())
    const [next] = await on.forecast(1)
    assert.equal(next!.outSince, null)
    assert.ok(next!.nextVisitAt! > on.station.clock.now())
  }
})

test('a body that was cut: it is no change, and is not confirmed later as if it were whole', async () => {
  const url = 'http://cut.test/'
  const on = await openWatchStation()
  const tagged = (text: string): Page => article(text, [['ETag', `"${text.length}"`]])
  on.web = { [url]: tagged(ROOF) }
  const id = await watchPage(on, url)
  on.web = { [url]: { ...tagged(FIRE), body: html(FIRE).slice(0, 150), truncated: 'disconnect' } }
  await on.pass(6 * HOUR)
  on.web = { [url]: tagged(FIRE) }
  await on.pass(6 * HOUR)
  const seen = told(await on.visits(id))
  assert.deepEqual(seen, ['first', 'failed truncated', 'changed'])
})

test('a record that cannot be read: its visit has failed, and the others of its upload are noted', async () => {
  const on = await openWatchStation()
  const urls = ['http://one.test/1', 'http://one.test/2']
  on.web = Object.fromEntries(urls.map((url) => [url, article(`${ROOF} ${url}`)]))
  on.alter = (parcel) =>
    parcel.result.type === 'captured' && parcel.result.url === urls[0]
      ? { ...parcel, members: parcel.members.map(({ length }) => Buffer.alloc(length)) }
      : parcel
  const { id } = await on.watch({ subject: 'list', urls, ...PERIOD })
  await on.pass(MINUTE)
  const seen = await on.visits(id)
  const of = (url: string): string[] => told(seen.filter((visit) => visit.url === url))
  assert.deepEqual(urls.map(of), [['failed unreadable'], ['first']])
})

test('a selector that takes for ever on a page: its visit has failed, and other visits and callers go on', async () => {
  const on = await openWatchStation()
  const [slow, quick] = ['http://slow.test/', 'http://quick.test/']
  on.web = { [slow]: { body: '<p>x</p>'.repeat(3_000) }, [quick]: article(ROOF) }
  // Each paragraph asks all later ones, and each of those all later ones again.
  const nested = { includeSelectors: ['p:has(~ p:has(~ p:has(~ b)))'] }
  const watches = [await on.watch({ urls: [slow], ...nested, ...PERIOD })]
  watches.push(await on.watch({ urls: [quick], ...PERIOD }))
  const passing = on.pass(MINUTE)
  let longestMs = 0
  const watching = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - turnedAt)
    turnedAt = performance.now()
  }, 50)
  let turnedAt = performance.now()
  await passing
  clearInterval(watching)
  const seen = await Promise.all(watches.map(async ({ id }) => told(await on.visits(id))))
  assert.deepEqual(seen, [['failed page:too-slow'], ['first']])
  assert.ok(longestMs < 4_000, `the main loop stood still for ${longestMs} ms`)
})

test('a page that becomes binary: it is compared by its bytes, and comes back as it was', async () => {
  const url = 'http://binary.test/report'
  const binary = (seed: number): Page => ({
    body: Buffer.concat([
      Buffer.from('%PDF-1.7\n'),
      Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * seed) % 251)),
    ]),
    type: 'application/pdf',
  })
  const on = await openWatchStation()
  const seen = await showInTurn(on, url, [article(ROOF), binary(3), binary(3), binary(7)])
  assert.deepEqual(seen, ['first', 'changed', 'unchanged', 'changed'])
})

test('304 without a previous capture: it is a failure, never a first version', async () => {
  const url = 'http://confused.test/'
  const on = await openWatchStation()
  const seen = await showInTurn(on, url, [{ status: 304, body: '' }, article(ROOF), article(FIRE)])
  assert.equal(seen[0], 'failed MINGA_HTTP_304')
  assert.equal(seen.filter((outcome) => outcome === 'first').length, 1)
})

test('an ETag that lies: every tenth visit asks for the page, and so the change is seen', async () => {
  const url = 'http://lies.test/'
  const tag: Page['headers'] = [['ETag', '"for ever"']]
  const on = await openWatchStation()
  on.web = { [url]: article(ROOF, tag) }
  const id = await watchPage(on, url)
  on.web = { [url]: article(FIRE, tag) }
  await on.pass(12 * 6 * HOUR)
  const seen = told(await on.visits(id))
  assert.equal(seen.filter((outcome) => outcome === 'changed').length, 1, seen.join())
  const whole = on.hits.filter(({ isConditional }) => !isConditional)
  assert.equal(whole.length, 2, 'one in ten costs a body')
})
