// Goal: the figures of watches, groups, comparisons and growth are what the tables say, on both
// engines. Method: stores filled with a synthetic past whose figures can be counted manually; a
// whole station for HTTP.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY_MS } from '@minga/forecast'
import type { WatchDetail, WatchGroupsView } from '@minga/protocol'
import type { Store } from '@minga/store'
import { createVirtualClock, seededRandom } from '@minga/testkit'
import { ENGINES, type TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import { START, TOKENS } from '../../../test/station-fixture.ts'
import type {
  PastVisit,
  PastWatch,
  MetricsFixtureOperations,
} from '../../../test/watch/metrics/metrics-fixture.ts'
import { WatchMetrics, xorshiftRandom } from './watch-metrics.ts'

const NOW = START + 15 * 3_600_000
const ago = (days: number): number => NOW - days * DAY_MS
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
const GB = 1e9

async function openPast(
  engine: TestEngine,
  watches: PastWatch[],
): Promise<{ metrics: WatchMetrics; store: Store<MetricsFixtureOperations> }> {
  const home = await engine.home()
  const store = await home.openHere<MetricsFixtureOperations>({
    operations: new URL('../../../test/watch/metrics/metrics-fixture.ts', import.meta.url).href,
  })
  after(() => store.close())
  for (const watch of watches) await store.call('putWatch', watch)
  const clock = createVirtualClock(NOW)
  return {
    metrics: new WatchMetrics({
      store,
      clock,
      freeBytes: async () => 100 * GB,
      capacity: () => ({ used: 1, whole: 100 }),
      budget: () => ({ visitsPerDay: null, visitBytesPerDay: null }),
    }),
    store,
  }
}

/** A visit each of so many days up to today; changed on those that are asked for. */
function daily(days: number, isChanged: (daysAgo: number) => boolean): PastVisit[] {
  return range(days).map((i) => {
    const daysAgo = days - 1 - i
    if (i === 0) return { at: ago(daysAgo), outcome: 'first', bytes: 100 }
    return isChanged(daysAgo)
      ? { at: ago(daysAgo), outcome: 'changed', bytes: 100 }
      : { at: ago(daysAgo), outcome: 'unchanged', bytes: 10 }
  })
}

const page = (id: number, visits: PastVisit[], rate = 0.5): PastWatch => ({
  id,
  name: `Watch ${id}`,
  urls: [{ url: `https://w${id}.example/`, rate, visits }],
})

for (const engine of ENGINES) {
  const { name: on, skip } = engine

  test(
    `a watch that is visited every day has lost nothing, and its six figures are counted on ${on}`,
    { skip },
    async () => {
      const { metrics } = await openPast(engine, [
        page(
          1,
          daily(20, (day) => day % 2 === 0),
        ),
      ])
      const view = await metrics.metrics(1, { days: 365 })
      assert.deepEqual(view.metrics, {
        lost: 0,
        occurred: 10,
        generatedBytes: 11 * 100 + 9 * 10,
        storedBytes: 11 * 100 + 9 * 10,
        visits: 20,
        frequency: 0.5,
      })
      assert.equal(view.behaviour!.kind, 'steady')
      assert.match(view.behaviour!.reason, /10 of 19 visits in 19 days found a change/)
      assert.deepEqual([view.group, view.waste, view.urls, view.urlsLeftOut], ['medium', 9, 1, 0])
      assert.equal(view.days.length, 20)
      assert.deepEqual([view.name, view.url], ['Watch 1', 'https://w1.example/'])
      const short = await metrics.metrics(1, { days: 5 })
      assert.deepEqual([short.metrics.visits, short.days.length], [5, 5])
    },
  )

  test(
    `days without a visit lose what the rate lets expect, and failures clear nothing on ${on}`,
    { skip },
    async () => {
      const visits: PastVisit[] = [
        { at: ago(10), outcome: 'first', bytes: 100 },
        { at: ago(8), outcome: 'failed' },
        { at: ago(6), outcome: 'changed', bytes: 100 },
        { at: ago(3), outcome: 'unchanged' },
      ]
      const { metrics } = await openPast(engine, [page(1, visits, 50)])
      const view = await metrics.metrics(1, { days: 30 })
      // It changes on every day: of the four days up to the visit that found it changed, three are lost.
      assert.equal(Math.round(view.metrics.lost * 1e6) / 1e6, 3)
      assert.equal(view.metrics.visits, 4)
      assert.equal(view.metrics.storedBytes, 200)
      assert.equal(Math.round(view.metrics.generatedBytes), 500)
      assert.deepEqual(
        view.days.map(({ day, visits: seen, failures, lost }) => [
          Math.floor(NOW / DAY_MS) - day,
          seen,
          failures,
          Math.round(lost),
        ]),
        [
          [10, 1, 0, 0],
          [9, 0, 0, 1],
          [8, 0, 1, 1],
          [7, 0, 0, 1],
          [6, 1, 0, 0],
          [3, 1, 0, 0],
        ],
      )
    },
  )

  test(
    `Group metrics: watches are grouped by frequency and summed, new ones wait on ${on}`,
    { skip },
    async () => {
      const { metrics } = await openPast(engine, [
        page(
          1,
          daily(10, () => true),
        ),
        page(
          2,
          daily(10, (day) => day < 4),
        ),
        page(
          3,
          daily(10, () => false),
          0.01,
        ),
        page(
          4,
          daily(1, () => false),
        ),
        { ...page(5, []), name: 'Never visited' },
      ])
      const view = await metrics.groups({ days: 365 })
      assert.deepEqual(
        view.watches.map(({ id, group, frequency }) => [id, group, frequency]),
        [
          [1, 'high', 0.9],
          [2, 'medium', 0.4],
          [3, 'low', 0],
        ],
      )
      assert.deepEqual([view.unobserved, view.leftOut], [2, 0])
      assert.deepEqual(
        view.watches.map(({ behaviour }) => behaviour!.kind),
        ['without pattern', 'without pattern', 'without pattern'],
      )
      assert.match(view.watches[0]!.behaviour!.reason, /^Only 9 visits in 9 days/)
      assert.equal(view.rows[0]!.behaviours['without pattern'], 1)
      assert.deepEqual(
        view.rows.map(({ group, sites, visits, changes, unnecessary, waste, intervalHours }) => [
          group,
          sites,
          visits,
          changes,
          unnecessary,
          waste,
          intervalHours,
        ]),
        [
          ['high', 1, 10, 9, 1, 0, 240],
          ['medium', 1, 10, 4, 6, 5, 240],
          ['low', 1, 10, 0, 10, 9, 240],
        ],
      )
    },
  )

  test(
    `a list is the sum of its URLs, a site has what its harvests stored, feeds are not counted on ${on}`,
    { skip },
    async () => {
      const [often, never] = [daily(10, () => true), daily(10, () => false)]
      const { metrics } = await openPast(engine, [
        {
          id: 1,
          name: 'List',
          subject: 'list',
          urls: [
            { url: 'https://a.example/', rate: 3, visits: often },
            { url: 'https://b.example/', rate: 0, visits: never },
          ],
        },
        {
          id: 2,
          name: 'Site',
          subject: 'site',
          urls: [
            { url: 'https://c.example/', role: 'probe', rate: 0, visits: never },
            { url: 'https://c.example/feed', role: 'feed', rate: 3, visits: often },
          ],
          harvests: [{ at: ago(5), bytes: 5_000 }],
        },
      ])
      const list = await metrics.metrics(1, { days: 30 })
      const { rows } = await metrics.groups({ days: 30 })
      assert.deepEqual([rows[1]!.sites, rows[1]!.intervalHours], [1, 240])
      assert.deepEqual([list.urls, list.metrics.visits, list.metrics.frequency], [2, 20, 0.45])
      assert.equal(list.days.at(-1)!.visits, 2)
      const site = await metrics.metrics(2, { days: 30 })
      assert.deepEqual([site.urls, site.metrics.visits, site.metrics.occurred], [1, 10, 0])
      assert.equal(site.metrics.storedBytes, 100 + 9 * 10 + 5_000)
    },
  )

  test(
    `Lists, graphs, comparison, console: comparing a watch with a fixed period counts both alike on ${on}`,
    { skip },
    async () => {
      const random = seededRandom(6)
      const visits = daily(200, () => random.chance(0.4))
      const { metrics } = await openPast(engine, [
        page(7, visits, 0.5),
        page(8, visits.slice(0, 1)),
      ])
      const { comparison, ...view } = await metrics.compare(7, { days: 365, periodMs: 10 * DAY_MS })
      assert.deepEqual([view.urls, view.urlsLeftOut, view.name], [1, 0, 'Watch 7'])
      const { dynamic, fixed, savedBytes, unfairSavedBytes } = comparison!
      const changed = visits.filter(({ outcome }) => outcome === 'changed').length
      assert.equal(dynamic.visits, 200)
      assert.ok(Math.abs(dynamic.versions - changed - 1) < 1e-6)
      assert.equal(fixed.visits, 19)
      assert.ok(fixed.versions <= 19 && fixed.lost > dynamic.lost)
      assert.ok(Math.abs(savedBytes - (fixed.versions - dynamic.versions) * 100) < 1)
      assert.ok(unfairSavedBytes >= savedBytes)
      const again = await metrics.compare(7, { days: 365, periodMs: 10 * DAY_MS })
      assert.deepEqual(again.comparison, comparison)
      assert.equal((await metrics.compare(8, { days: 365, periodMs: DAY_MS })).comparison, null)
    },
  )

  test(
    `growth is read once and then only what is new, imports count from when they came on ${on}`,
    { skip },
    async () => {
      const crawl: PastWatch = {
        id: 1,
        name: '',
        kind: 'crawl',
        maxBytes: 80 * GB,
        receivedBytes: 80 * GB,
        urls: [
          {
            url: 'https://a.example/',
            rate: 0,
            visits: range(40).map((i) => ({ at: ago(39 - i), outcome: 'changed', bytes: GB })),
          },
        ],
      }
      const { metrics, store } = await openPast(engine, [crawl])
      const { archive, collections } = await metrics.growth.view()
      assert.equal(archive.bytes, 40 * GB)
      assert.equal(archive.capacityBytes, 140 * GB)
      assert.equal(archive.outlook, 'dated')
      assert.ok(
        Math.abs(archive.bytesPerDay!.likely / GB - 1) < 0.02,
        String(archive.bytesPerDay!.likely),
      )
      const [first] = collections
      assert.deepEqual([first!.name, first!.outlook], ['https://a.example/', 'full'])
      const imported = { id: 1, hash: 1, url: 'https://a.example/' }
      await store.call('addCapture', [imported, { at: ago(3_000), bytes: 7 }])
      await store.call('addCapture', [imported, { at: NOW + 9e9, bytes: 5 }])
      const later = await metrics.growth.view()
      assert.equal(later.archive.bytes, 40 * GB + 12)
      assert.equal(later.archive.samples.length, archive.samples.length)
    },
  )
}

const people = await openPeople()

test('figures are given to users who may read watches, and unknown watches and periods are refused', async () => {
  const { token: reader } = await people.person('reader', 'reader')
  const { token: volunteer } = await people.person('volunteer', 'volunteer')
  const closed = await openPeople({ readOpenly: false })
  for (const path of [
    '/watches/1/metrics',
    '/watches/1/compare',
    '/watch-groups',
    '/archive/growth',
  ]) {
    assert.equal(await closed.outcome(null, 'GET', path), '401 MINGA_NOT_ALLOWED')
  }
  assert.equal(await people.outcome(volunteer, 'GET', '/watch-groups'), '200')
  assert.equal(
    await people.outcome(reader, 'GET', '/watches/77/metrics'),
    '404 MINGA_NO_SUCH_WATCH',
  )
  assert.equal(
    await people.outcome(reader, 'GET', '/watches/77/compare'),
    '404 MINGA_NO_SUCH_WATCH',
  )
  const body = { urls: ['https://news.example.org/'] }
  const { id } = await people.ok<WatchDetail>(TOKENS.apiKey, 'POST', '/watches', body)
  for (const period of ['0d', '1w', '-1d', '1.5d', 'daily', '999999d']) {
    const path = `/watches/${id}/compare?period=${period}`
    assert.equal(await people.outcome(reader, 'GET', path), '400 MINGA_BAD_MESSAGE')
  }
  for (const period of ['90m', '6h', '15d']) {
    assert.equal(
      await people.outcome(reader, 'GET', `/watches/${id}/compare?period=${period}`),
      '200',
    )
  }
  const groups = await people.ok<WatchGroupsView>(reader, 'GET', '/watch-groups?days=30')
  assert.deepEqual([groups.unobserved, groups.watches, groups.rows.length], [1, [], 3])
})

test('draws repeat for one watch, differ between watches, and are spread evenly', () => {
  for (const seed of [0, 1, 2, 77, 1_000_000]) {
    const [one, again] = [xorshiftRandom(seed), xorshiftRandom(seed)]
    const drawn = range(10_000).map(() => one())
    assert.deepEqual(
      range(10_000).map(() => again()),
      drawn,
    )
    assert.ok(drawn.every((draw) => draw >= 0 && draw < 1))
    for (const tenth of range(10)) {
      const share = drawn.filter((draw) => Math.floor(draw * 10) === tenth).length / drawn.length
      assert.ok(share > 0.085 && share < 0.115, `${seed}: ${share} in tenth ${tenth}`)
    }
  }
  assert.notEqual(xorshiftRandom(1)(), xorshiftRandom(2)())
})
