// Goal: the stored copy of a wiki follows it, by feed, stream and sweep, with few requests, whose
// number is compared with the baseline rule. Method: a whole station on virtual time against a fake
// wiki.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock, type WikiGapRow } from '@minga/protocol'
import { startFakeWiki, type FakeWiki, type WikiOperation } from '@minga/testkit'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { People } from '../../test/accounts/people-fixture.ts'
import { START, type StationChanges, type TestStation } from '../../test/station-fixture.ts'
import { EventStream, type HeardChange } from './feeds/event-stream.ts'
import type { WikiScheduleView } from './tasks/schedule.ts'
import {
  addWiki,
  historyOf,
  openWikiStation,
  pass,
  untilOver,
  workOff,
} from '../../test/wiki/wiki-fixture.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

/** By the station's time, so many minutes after its start. */
const atMinute = (minute: number): string =>
  new Date(START + minute * MINUTE_MS).toISOString().replace('.000', '')

const edit = (title: string, text: string, minute: number): WikiOperation => {
  return { do: 'edit', title, text, at: atMinute(minute) }
}

/** Each page twice. */
function historyOfPages(pages: number): WikiOperation[] {
  return Array.from({ length: 2 * pages }, (_, i) =>
    edit(`Page ${i % pages}`, `text ${i}`, i - 10_000),
  )
}

const HISTORY = historyOfPages(12)
/** More than the fifty that one request may ask for. */
const LONG_HISTORY = historyOfPages(65)

async function followed(
  t: TestContext,
  { history = HISTORY, ...more }: StationChanges & { history?: WikiOperation[] } = {},
): Promise<{ wiki: FakeWiki; station: TestStation }> {
  const wiki = await startFakeWiki({ history })
  t.after(() => wiki.close())
  const station = await openWikiStation(more)
  const { id } = await addWiki(station, { address: wiki.apiUrl, namespaces: [0] })
  assert.equal((await untilOver(station, id)).state, 'done')
  wiki.forgetHits()
  return { wiki, station }
}

const keyOf = ({ url }: FakeWiki): string => new URL(url).host

async function texts(station: TestStation, wiki: FakeWiki, title: string): Promise<number> {
  return (await historyOf(station, keyOf(wiki), title)).length
}

async function schedule(station: TestStation): Promise<WikiScheduleView> {
  const { wikis } = (await station.get('/wikis/schedule')).body as { wikis: WikiScheduleView[] }
  return wikis[0]!
}

for (const engine of ENGINES) {
  test(
    `edits, new pages, moves and deletions come by the feed within minutes, with few requests, on ${engine.name}`,
    { skip: engine.skip },
    async (t) => {
      const { wiki, station } = await followed(t, { engine, history: LONG_HISTORY })
      await pass(station, 6 * MINUTE_MS)
      assert.deepEqual((await workOff(station)).length, 1, 'nothing is new')
      wiki.perform([
        edit('Page 3', 'edited', 7),
        edit('A new page', 'new', 7),
        { do: 'move', title: 'Page 4', to: 'Page four', at: atMinute(8) },
        { do: 'delete', title: 'Page 5', at: atMinute(8) },
      ])
      await pass(station, 10 * MINUTE_MS)
      const asked = await workOff(station)
      assert.ok(asked.length <= 10, `${asked.length} requests`)
      assert.equal(await texts(station, wiki, 'Page 3'), 3)
      assert.equal(await texts(station, wiki, 'A new page'), 1)
      assert.equal(await texts(station, wiki, 'Page four'), 3)
      const [gone] = await station.store.call('wikiPageRows', {
        wikiId: 1,
        titles: ['Page 5'],
      })
      assert.equal(gone!.state, 'deleted')
      assert.equal(await texts(station, wiki, 'Page 5'), 2, 'what was kept of it stays')
    },
  )
}

test('a text that the wiki hides is not given any more once the feed reported it', async (t) => {
  const { wiki, station } = await followed(t)
  const [newest] = await historyOf(station, keyOf(wiki), 'Page 7')
  const url = `/api/wikis/${encodeURIComponent(keyOf(wiki))}/text/${newest!.revId}`
  const status = async (): Promise<number> =>
    (await station.app.inject({ url, headers: { host: 'localhost' } })).statusCode
  assert.equal(await status(), 200)
  const hiding = { do: 'hide', title: 'Page 7', revids: [newest!.revId], fields: ['text'] } as const
  wiki.perform([
    { ...hiding, revids: [...hiding.revids], fields: [...hiding.fields], at: atMinute(5) },
  ])
  await pass(station, 6 * MINUTE_MS)
  await workOff(station)
  assert.equal(await status(), 404)
})

test('a page into which another is merged has its revisions, and the log explains what the other lost', async (t) => {
  const { wiki, station } = await followed(t)
  const merged = (await historyOf(station, keyOf(wiki), 'Page 7')).map(({ revId }) => revId)
  const until = atMinute(7 - 10_000)
  wiki.perform([{ do: 'merge', title: 'Page 7', to: 'Page 8', until, at: atMinute(5) }])
  await pass(station, 6 * MINUTE_MS)
  await workOff(station)
  const into = (await historyOf(station, keyOf(wiki), 'Page 8')).map(({ revId }) => revId)
  assert.equal(into.length, 3)
  assert.equal(into.at(-1), merged.at(-1))
  const { gaps } = (await station.get(`/wikis/${encodeURIComponent(keyOf(wiki))}/gaps`)).body as {
    gaps: WikiGapRow[]
  }
  assert.ok(gaps.length > 0)
  assert.deepEqual(
    gaps.filter(({ isExplained }) => !isExplained),
    [],
  )
})

test('what a list shows as hidden is hidden here, though no log reported it', async (t) => {
  const { wiki, station } = await followed(t)
  const [, older] = await historyOf(station, keyOf(wiki), 'Page 8')
  const until = atMinute(7 - 10_000)
  wiki.perform([
    // Before the start of the feed's window, as if it were in a log that is not public.
    { do: 'hide', title: 'Page 8', revids: [older!.revId], fields: ['user'], at: atMinute(-9_000) },
    { do: 'merge', title: 'Page 7', to: 'Page 8', until, at: atMinute(5) },
  ])
  await pass(station, 6 * MINUTE_MS)
  await workOff(station)
  const now = (await historyOf(station, keyOf(wiki), 'Page 8')).find(
    ({ revId }) => revId === older!.revId,
  )
  assert.deepEqual([now!.user, now!.hidden], [null, ['user']])
})

test('a wiki without edits is polled less and less often, one that is edited more often', async (t) => {
  const { wiki, station } = await followed(t)
  const pauses: number[] = []
  let last = station.clock.now()
  for (let polls = 0; polls < 4; polls++) {
    const { nextPollAt } = await schedule(station)
    await pass(station, nextPollAt - station.clock.now() + 6_000)
    await workOff(station)
    pauses.push(nextPollAt - last)
    last = station.clock.now()
  }
  assert.ok(pauses[3]! > 2 * pauses[0]!, pauses.join())
  const before = await schedule(station)
  wiki.perform([edit('Page 1', 'news', 60)])
  await pass(station, before.nextPollAt - station.clock.now() + 6_000)
  await workOff(station)
  await pass(station, 70 * MINUTE_MS)
  await workOff(station)
  const after = await schedule(station)
  assert.ok(after.nextPollAt - station.clock.now() < before.nextPollAt - last)
})

test('a wiki of which few pages are wanted is not polled: one request asks for fifty of them', async (t) => {
  const wiki = await startFakeWiki({ history: HISTORY })
  t.after(() => wiki.close())
  const station = await openWikiStation()
  const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Page 1', 'Page 2'] })
  await untilOver(station, id)
  wiki.perform([edit('Page 2', 'news', 1), edit('Page 3', 'not wanted', 1)])
  await pass(station, 6 * MINUTE_MS)
  const asked = await workOff(station)
  assert.deepEqual(
    asked.map((url) => new URL(url).searchParams.get('prop')),
    ['info', 'info|revisions'],
  )
  assert.equal(await texts(station, wiki, 'Page 2'), 3)
})

test('updates of all wikis can be turned off by an operator, those of one wiki by users with the right', async (t) => {
  const { wiki, station } = await followed(t, { flags: { wikiFeeds: 'off' } })
  await pass(station, 3 * DAY_MS)
  assert.deepEqual(await workOff(station), [])
  const other = await followed(t)
  const headers = { authorization: 'Bearer the key of writers' }
  const url = `/api/wikis/${encodeURIComponent(keyOf(other.wiki))}/feed`
  const people = new People(other.station)
  const [ana, ben] = [
    await people.person('ana', 'collector'),
    await people.person('ben', 'collector'),
  ]
  const switchFeed = (token: string) => people.outcome(token, 'PUT', url.slice(4), { on: true })
  assert.equal(await switchFeed(ana.token), '403 MINGA_FORBIDDEN')
  const wanted = { address: other.wiki.apiUrl, pages: ['Page 1'] }
  const begun = (await people.call(ben.token, 'POST', '/wikis', wanted)).body as { id: number }
  await untilOver(other.station, begun.id)
  assert.equal(await switchFeed(ben.token), '200')
  await other.station.inject({ method: 'PUT', url, headers, payload: { on: false } })
  await pass(other.station, 3 * DAY_MS)
  assert.deepEqual(await workOff(other.station), [])
  assert.equal(wiki.hits().length, 0)
})

test('Daily schedule: each day lists the requests of the baseline rule and the actual ones, and a sweep finds what no feed reported', async (t) => {
  const { wiki, station } = await followed(t, { history: LONG_HISTORY })
  // The feed forgets it: the sweep must find it.
  wiki.perform([edit('Page 9', 'unheard', -5_000)])
  for (let day = 1; day <= 3; day++) {
    await pass(station, DAY_MS + MINUTE_MS)
    await workOff(station)
    // The figures are computed in the background.
    for (
      let looks = 0;
      looks < 1_000 && (await schedule(station)).days.at(-1)?.ruleCalls == null;
      looks++
    ) {
      await sleep(20)
      await station.tick()
    }
  }
  assert.equal(await texts(station, wiki, 'Page 9'), 3)
  const { days, isOn } = await schedule(station)
  assert.ok(isOn)
  assert.deepEqual(
    days.slice(-3).map(({ day }) => day),
    ['2026-05-07', '2026-05-08', '2026-05-09'],
  )
  // 65 pages and the main page are never edited: the rule requests each of them every day, for
  // ever.
  for (const { calls, ruleCalls, saved } of days.slice(-3)) {
    assert.equal(ruleCalls, 66)
    assert.ok(calls > 0 && calls < 12, `${calls} calls`)
    assert.equal(saved, 66 - calls)
  }
})

test('pages of a wiki whose api.php is closed are fetched again when a forecast says that they changed', async (t) => {
  const daily = Array.from({ length: 40 }, (_, i) => edit('Busy', `day ${i}`, (i - 40) * 1_440))
  const wiki = await startFakeWiki({
    history: [...daily, edit('Quiet', 'once', -1_000 * 1_440)],
    faults: [{ kind: 'error', code: 'readapidenied', match: 'api\\.php', times: null }],
  })
  t.after(() => wiki.close())
  const station = await openWikiStation()
  const { id } = await addWiki(station, { address: wiki.apiUrl, pages: ['Busy', 'Quiet'] })
  assert.equal((await untilOver(station, id)).state, 'done')
  wiki.forgetHits()
  wiki.perform([edit('Busy', 'the next day', 1_000)])
  for (let rounds = 0; rounds < 60 && (await texts(station, wiki, 'Busy')) === 40; rounds++) {
    await pass(station, rounds % 10 === 0 ? DAY_MS : MINUTE_MS)
    await sleep(50)
    await workOff(station)
  }
  assert.equal(await texts(station, wiki, 'Busy'), 41)
  assert.ok(!wiki.hits().some(({ path }) => path.includes('Quiet')), 'no news of it is expected')
})

test('the stream of events is heard from where it was left, other wikis and the stream’s own tests passed over', async (t) => {
  const wiki = await startFakeWiki({ history: HISTORY })
  t.after(() => wiki.close())
  const heard: HeardChange[] = []
  const places: (string | null)[] = []
  const parts = {
    clock: systemClock,
    resolver: { resolve: async () => ({ ok: true as const, addresses: ['127.0.0.1'] }) },
    guard: { allowPrivateAddresses: true },
    userAgent: 'MingaBot/0.1 (+test)',
    url: wiki.streamUrl,
    hosts: () => new Set([keyOf(wiki)]),
    hear: async (changes: readonly HeardChange[], place: string | null) => {
      heard.push(...changes)
      places.push(place)
    },
  }
  const listenFor = async (stream: EventStream, operations: WikiOperation[]): Promise<void> => {
    const stop = new AbortController()
    const listening = stream.listen(stop.signal)
    while (wiki.hits().length === 0) await sleep(10)
    wiki.perform(operations)
    await sleep(100)
    stop.abort()
    await listening
  }
  await listenFor(new EventStream(parts, null), [
    edit('Page 1', 'live', 1),
    edit('Page 2', 'live', 2),
  ])
  assert.deepEqual(
    heard.map(({ change }) => change?.title),
    ['Page 1', 'Page 2'],
  )
  wiki.perform([edit('Page 3', 'while away', 3)])
  wiki.forgetHits()
  await listenFor(new EventStream(parts, places.at(-1)!), [edit('Page 4', 'live', 4)])
  assert.deepEqual(
    heard.slice(2).map(({ change }) => change?.title),
    ['Page 3', 'Page 4'],
  )
  const closed = new EventStream({ ...parts, guard: { allowPrivateAddresses: false } }, null)
  wiki.forgetHits()
  const stop = new AbortController()
  const listening = closed.listen(stop.signal)
  await sleep(50)
  stop.abort()
  await listening
  assert.equal(wiki.hits().length, 0, 'a private address was dialled')
})

test('changes reported by the stream are fetched by the same pipeline as every other request', async (t) => {
  const { wiki, station } = await followed(t)
  wiki.perform([edit('Page 1', 'heard', 1)])
  const change = { pageId: null, ns: 0, title: 'Page 1', revId: null, at: START, changeId: null }
  const isNew = await station.store.call('hearStream', {
    changes: [{ host: keyOf(wiki), change, event: null }],
    lastEventId: '[7]',
    guard: { allowPrivateAddresses: true },
    now: station.clock.now(),
  })
  assert.ok(isNew)
  await workOff(station)
  assert.equal(await texts(station, wiki, 'Page 1'), 3)
  assert.equal(await station.store.call('readFact', { name: 'wiki-stream' }), '[7]')
})
