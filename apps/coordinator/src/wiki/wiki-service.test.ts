// Goal: what a user wants of a wiki is fetched once and completely, with progress reported,
// whatever the wiki does. Method: a whole station on virtual time against a fake wiki that logs its
// requests.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { CollectionStatus, WikiTaskView } from '@minga/protocol'
import { startFakeWiki, type FakeWiki, type FakeWikiSpec, type WikiOperation } from '@minga/testkit'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { assertRefused, type TestStation } from '../../test/station-fixture.ts'
import {
  addWiki,
  fetchBlock,
  historyOf,
  nextBlock,
  openWikiStation,
  pass,
  untilOver,
} from '../../test/wiki/wiki-fixture.ts'

const HOUR_MS = 3_600_000
const atHour = (hour: number): string =>
  new Date(Date.UTC(2020, 0, 1) + hour * HOUR_MS).toISOString()

function edits(title: string, count: number, from = 0): WikiOperation[] {
  return Array.from({ length: count }, (_, i) => {
    const at = atHour(from + i).replace('.000', '')
    return { do: 'edit', title, text: `${title} ${from + i}, ${title} ${from + i}`, at }
  })
}

async function fakeWiki(t: TestContext, spec: FakeWikiSpec): Promise<FakeWiki> {
  const wiki = await startFakeWiki(spec)
  t.after(() => wiki.close())
  return wiki
}

const keyOf = ({ url }: FakeWiki): string => new URL(url).host

const asked = (wiki: FakeWiki, what: string): number =>
  wiki.hits().filter(({ path }) => path.includes(what)).length

async function storedIds(station: TestStation, wiki: FakeWiki, title: string): Promise<number[]> {
  return (await historyOf(station, keyOf(wiki), title)).map(({ revId }) => revId)
}

async function extract(
  station: TestStation,
  wiki: FakeWiki,
  request: object,
): Promise<WikiTaskView> {
  const { id } = await addWiki(station, { address: wiki.apiUrl, ...request })
  return untilOver(station, id)
}

test('Extract by title/url/locale: fake api.php with 120 revisions → 3 calls, 120 stored', async (t) => {
  const wiki = await fakeWiki(t, { history: edits('Llama', 120) })
  const station = await openWikiStation()
  const task = await extract(station, wiki, { pages: ['Llama'] })
  assert.equal(task.state, 'done')
  assert.equal(task.wiki, keyOf(wiki))
  assert.equal(asked(wiki, 'rvprop='), 3)
  const ids = await storedIds(station, wiki, 'Llama')
  assert.equal(new Set(ids).size, 120)
  const newest = await station.app.inject({
    url: `/api/wikis/${encodeURIComponent(keyOf(wiki))}/text/${ids[0]}`,
    headers: { host: 'localhost' },
  })
  assert.equal(newest.payload, 'Llama 119, Llama 119')
  const { wikis } = (await station.get('/wikis')).body as { wikis: object[] }
  assert.deepEqual(
    wikis.map((one) => ({ ...one, storedBytes: 0 })),
    [{ wiki: keyOf(wiki), pages: 1, revisions: 120, rawBytes: 2_180, gaps: 0, storedBytes: 0 }],
  )
})

test('Extract by title/url/locale: the address of a page, and a title with the default wiki and its language', async (t) => {
  const wiki = await fakeWiki(t, { history: [...edits('Llama', 2), ...edits('Alpaca', 3)] })
  const station = await openWikiStation({
    flags: { wikiDefault: `${wiki.url}/wiki/Main_Page`, wikiLocale: 'es' },
  })
  const byUrl = await addWiki(station, { address: `${wiki.url}/wiki/llama#Wool` })
  assert.equal((await untilOver(station, byUrl.id)).progress.revisions, 2)
  const byTitle = await addWiki(station, { address: 'Alpaca' })
  assert.equal(byTitle.arguments['locale'], 'es')
  assert.equal((await untilOver(station, byTitle.id)).progress.revisions, 3)
})

test('Async task + progress: 202 at once; states advance; unknown id → 404', async (t) => {
  const wiki = await fakeWiki(t, { history: edits('Llama', 120) })
  const station = await openWikiStation()
  const said = await station.post('/wikis', { address: wiki.apiUrl, pages: ['Llama', 'Nobody'] })
  assert.equal(said.status, 202)
  assert.equal(wiki.hits().length, 0)
  const { id } = said.body as WikiTaskView
  const seen = new Set<number>()
  for (;;) {
    const { state, progress } = (await station.get(`/wikis/tasks/${id}`)).body as WikiTaskView
    seen.add(progress.revisions)
    if (state === 'done') break
    assert.equal(state, 'running')
    const block = await nextBlock(station)
    if (block !== null) await station.send(await fetchBlock(station, block))
    await station.tick()
  }
  assert.deepEqual([...seen], [0, 50, 100, 120])
  const { progress, failed } = (await station.get(`/wikis/tasks/${id}`)).body as WikiTaskView
  assert.deepEqual([progress.pagesDone, progress.missing, failed], [1, ['Nobody'], 0])
  assertRefused(await station.get('/wikis/tasks/999'), '404 MINGA_NO_SUCH_WIKI_TASK', /no task 999/)
})

test('Monitoring: cancel, retry, reorder, limit and list tasks', async (t) => {
  const wiki = await fakeWiki(t, { history: [...edits('Llama', 60), ...edits('Alpaca', 4)] })
  const station = await openWikiStation()
  const first = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
  const same = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
  assert.equal(same.id, first.id, 'what is under way is not begun twice')
  const second = await addWiki(station, { address: wiki.apiUrl, pages: ['Alpaca'] })
  const third = await addWiki(station, { address: wiki.apiUrl, pages: ['Main Page'] })
  assert.deepEqual([first.state, second.state, third.state], ['running', 'waiting', 'waiting'])
  const change = async (id: number, body: object): Promise<WikiTaskView> => {
    const headers = { authorization: 'Bearer the key of writers' }
    const url = `/api/wikis/tasks/${id}`
    return (await station.inject({ method: 'PATCH', url, headers, payload: body }))
      .body as WikiTaskView
  }
  assert.equal((await change(third.id, { priority: 5 })).priority, 5)
  const cancelled = (await station.post(`/wikis/tasks/${first.id}/cancel`)).body as WikiTaskView
  assert.deepEqual([cancelled.state, cancelled.queued], ['cancelled', 0])
  await station.tick()
  const list = (await station.get('/wikis/tasks')).body as WikiTaskView[]
  assert.deepEqual(
    list.map(({ id, state, attempts }) => [id, state, attempts]),
    [
      [third.id, 'running', 1],
      [second.id, 'waiting', 0],
      [first.id, 'cancelled', 1],
    ],
  )
  await untilOver(station, third.id)
  await untilOver(station, second.id)
  await station.post(`/wikis/tasks/${first.id}/retry`)
  await change(first.id, { limits: { maxRequests: 3 } })
  const limited = await untilOver(station, first.id)
  assert.deepEqual([limited.state, limited.attempts], ['failed', 2])
  assert.match(limited.error!, /limit \(max-pages\)/)
  await change(first.id, { limits: { maxRequests: null } })
  await station.post(`/wikis/tasks/${first.id}/retry`)
  const done = await untilOver(station, first.id)
  assert.deepEqual([done.state, done.attempts, done.error], ['done', 3, null])
  assert.equal((await storedIds(station, wiki, 'Llama')).length, 60)
  const ofWiki = await station.get(`/wikis/tasks?wiki=${encodeURIComponent(keyOf(wiki))}&limit=2`)
  assert.equal((ofWiki.body as WikiTaskView[]).length, 2)
})

for (const engine of ENGINES) {
  test(
    `Incremental resume: an agent that dies with results, and results that come twice, leave no gap and no duplicate on ${engine.name}`,
    { skip: engine.skip },
    async (t) => {
      const wiki = await fakeWiki(t, { history: edits('Llama', 230) })
      const station = await openWikiStation({ engine })
      const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
      for (let round = 0; round < 12; round++) {
        const block = await nextBlock(station)
        if (block === null) continue
        const parcels = await fetchBlock(station, block)
        if (round % 3 === 1) {
          // It fetched, and died before it could report: another agent gets the request again.
          await pass(station, 60_000)
          const late = await station.send(parcels)
          assert.deepEqual(late.body, { accepted: 0, stale: parcels.length })
          continue
        }
        await station.send(parcels)
        const again = await station.send(parcels)
        assert.deepEqual(again.body, { accepted: 0, stale: parcels.length })
      }
      const task = await untilOver(station, id)
      assert.equal(task.progress.revisions, 230)
      const ids = await storedIds(station, wiki, 'Llama')
      assert.deepEqual([ids.length, new Set(ids).size], [230, 230])
    },
  )
}

test('Idempotent upsert: extract twice → same count, and the second time only asks what is new', async (t) => {
  const wiki = await fakeWiki(t, { history: [...edits('Llama', 70), ...edits('Alpaca', 2)] })
  const station = await openWikiStation()
  await extract(station, wiki, { all: true })
  wiki.forgetHits()
  const again = await extract(station, wiki, { all: true, delayMs: 1 })
  assert.equal(again.progress.revisions, 0)
  assert.equal(asked(wiki, 'rvprop='), 0)
  wiki.perform(edits('Llama', 3, 70))
  await extract(station, wiki, { pages: ['Llama'] })
  assert.equal(asked(wiki, 'rvprop='), 1)
  assert.equal((await storedIds(station, wiki, 'Llama')).length, 73)
})

test('a task for pages that are up to date and one that is missing is done, and names what is missing', async (t) => {
  const wiki = await fakeWiki(t, { history: [...edits('Llama', 3), ...edits('Alpaca', 2)] })
  const station = await openWikiStation()
  const pages = ['Llama', 'Alpaca', 'Nobody']
  const first = await extract(station, wiki, { pages })
  assert.deepEqual([first.progress.pages, first.progress.upToDate], [2, 0])
  const again = await extract(station, wiki, { pages })
  assert.deepEqual([again.state, again.error], ['done', null])
  assert.deepEqual([again.progress.upToDate, again.progress.missing], [2, ['Nobody']])
  await station.post(`/wikis/tasks/${again.id}/retry`)
  const retried = await untilOver(station, again.id)
  assert.deepEqual([retried.state, retried.progress.upToDate], ['done', 2])
  const nobody = await extract(station, wiki, { pages: ['Nobody'] })
  assert.deepEqual([nobody.state, nobody.progress.upToDate], ['failed', 0])
})

test('lag, refusals for a time and a proxy in between are waited out, and the wiki is left alone in the meantime', async (t) => {
  const wiki = await fakeWiki(t, {
    history: edits('Llama', 120),
    faults: [
      { kind: 'lag', seconds: 9, retryAfter: 30, match: 'rvprop', times: 1 },
      { kind: 'status', status: 429, retryAfter: 20, match: 'rvprop', from: 3 },
      { kind: 'error', code: 'ratelimited', match: 'rvprop', from: 5 },
      { kind: 'html', match: 'rvprop', from: 7 },
    ],
  })
  const station = await openWikiStation()
  const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Llama'] })
  const begun = station.clock.now()
  const task = await untilOver(station, id, 1_000)
  assert.deepEqual([task.state, task.failed, task.progress.revisions], ['done', 0, 120])
  assert.ok(station.clock.now() - begun >= 50_000, 'it asked before its pauses were over')
})

test('a history whose continuation runs in circles is left, and the rest comes by its numbers', async (t) => {
  const wiki = await fakeWiki(t, {
    history: edits('Llama', 120),
    faults: [{ kind: 'loop', match: 'rvprop', times: null }],
  })
  const station = await openWikiStation()
  const task = await extract(station, wiki, { pages: ['Llama'] })
  assert.ok(wiki.hits().length < 40, `${wiki.hits().length} requests`)
  assert.ok(task.failed > 0)
  assert.equal((await storedIds(station, wiki, 'Llama')).length, 120)
  const [stats] = ((await station.get('/wikis')).body as { wikis: { gaps: number }[] }).wikis
  assert.equal(stats!.gaps, 0)
})

test('a revision that the wiki leaves out is noticed by its child and asked for by its number', async (t) => {
  const wiki = await fakeWiki(t, { history: edits('Llama', 30) })
  const [, lost] = wiki.perform([
    { do: 'edit', title: 'Llama', text: 'before' },
    { do: 'edit', title: 'Llama', text: 'lost' },
    { do: 'edit', title: 'Llama', text: 'after' },
  ])
  wiki.fail({ kind: 'lose', revids: [lost!.revid!], match: 'rvdir=newer.*content' })
  const station = await openWikiStation()
  const task = await extract(station, wiki, { pages: ['Llama'] })
  assert.equal(task.state, 'done')
  assert.ok((await storedIds(station, wiki, 'Llama')).includes(lost!.revid!))
  const [stats] = ((await station.get('/wikis')).body as { wikis: { gaps: number }[] }).wikis
  assert.equal(stats!.gaps, 0)
})

test('where api.php is closed the page comes by its export, and the store says so', async (t) => {
  const wiki = await fakeWiki(t, {
    history: edits('Llama', 12),
    faults: [{ kind: 'error', code: 'readapidenied', match: 'api\\.php', times: null }],
  })
  const station = await openWikiStation()
  const { id } = await addWiki(station, { address: `${wiki.url}/wiki/Llama` })
  const task = await untilOver(station, id)
  assert.equal(task.state, 'done', task.error ?? '')
  const rows = (await historyOf(station, task.wiki!, 'Llama')) as unknown as { source: string }[]
  assert.deepEqual([rows.length, rows[0]!.source], [12, 'export'])
  const chosen = await extract(station, wiki, { pages: ['Llama', 'Main Page'] })
  assert.equal(chosen.progress.pagesDone, 2)
})

test('an address where no wiki is, one that may not be asked and one without a choice are said', async (t) => {
  const wiki = await fakeWiki(t, {
    faults: [{ kind: 'html', times: null }],
  })
  const station = await openWikiStation()
  const { id } = await addWiki(station, { address: `${wiki.url}/wiki/Llama` })
  const task = await untilOver(station, id, 1_000)
  assert.equal(task.state, 'failed')
  assert.match(task.error!, /No MediaWiki was found/)
  const nothing = await station.post('/wikis', { address: wiki.apiUrl })
  assertRefused(nothing, '400 MINGA_WIKI_NOTHING_CHOSEN', /pages by title, categories/)
  const strict = await openWikiStation({ allowPrivateAddresses: false })
  const refused = await strict.post('/wikis', { address: wiki.apiUrl, pages: ['A'] })
  assertRefused(refused, '400 MINGA_WIKI_ADDRESS_REFUSED', /may not be requested/)
})

test('answers are archived only where a user wants it, and an ignored robots.txt is reported', async (t) => {
  const wiki = await fakeWiki(t, {
    history: edits('Llama', 2),
    robots: 'User-agent: *\nDisallow: /w/',
  })
  const station = await openWikiStation()
  // Rules are remembered by host and moment, and other stations of this process began with this one's.
  await pass(station, 777)
  const captures = async (): Promise<number> =>
    (await station.captures()).filter(({ url }) => url.includes('api.php')).length
  const task = await extract(station, wiki, { pages: ['Llama'] })
  assert.equal(await captures(), 0)
  assert.match(task.progress.warnings.join(), /robots\.txt of .* forbids api\.php/)
  await extract(station, wiki, { pages: ['Llama'], keepWarc: true })
  assert.equal(await captures(), 2)
  const obeying = await extract(station, wiki, { pages: ['Llama'], robots: 'obey' })
  assert.equal(obeying.state, 'failed')
  assert.deepEqual(
    obeying.failures.map(({ code }) => code),
    ['MINGA_ROBOTS_DENIED'],
  )
  const all = (await station.get('/collections')).body as CollectionStatus[]
  assert.ok(all.every(({ spec, queued }) => spec.kind === 'wiki' && queued === 0))
})

test('a token is sent to the station’s own agents for that wiki only, and to no one else', async (t) => {
  const wiki = await fakeWiki(t, { history: edits('Llama', 2) })
  const station = await openWikiStation()
  await extract(station, wiki, { pages: ['Llama'] })
  const url = `/api/wikis/${encodeURIComponent(keyOf(wiki))}/token`
  const headers = { authorization: 'Bearer the key of writers' }
  const saved = await station.inject({ method: 'PUT', url, headers, payload: { token: 'geheim' } })
  assert.deepEqual(saved, { status: 200, body: { saved: true } })
  await station.post('/collections', { seeds: [`${wiki.url}/wiki/Llama`], delayMs: 0 })
  const crawl = await nextBlock(station)
  assert.deepEqual(
    crawl!.hosts.map(({ authorization }) => authorization),
    [undefined],
  )
  await station.send(await fetchBlock(station, crawl!))
  await station.post('/collections/2/cancel')
  await addWiki(station, { address: wiki.apiUrl, pages: ['Main Page'] })
  const block = await nextBlock(station)
  assert.deepEqual(
    block!.hosts.map(({ authorization }) => authorization),
    ['Bearer geheim'],
  )
  const everything = [await station.get('/wikis/tasks'), await station.get('/wikis')]
  assert.ok(!JSON.stringify(everything).includes('geheim'))
})
