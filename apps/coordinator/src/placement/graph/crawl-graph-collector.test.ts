// Goal: what uploads reveal about the graph is added up exactly, with few calls and bounded memory.
// Method: a collector over a store that counts, fails and waits, and whole stations on both
// databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TimeSketch } from '@minga/partition'
import { createVirtualClock } from '@minga/testkit'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openStation, type TestStation, type Web } from '../../../test/station-fixture.ts'
import type { PlaceBatch } from './flush-graph.ts'
import {
  capturedPage,
  madeUpload,
  readTables,
  takenOf,
  totalsOf,
} from '../../../test/placement/graph/gather-fixture.ts'
import { CrawlGraphCollector } from './crawl-graph-collector.ts'

const START = 1_750_000_000_000

interface Bench {
  collector: CrawlGraphCollector
  clock: ReturnType<typeof createVirtualClock>
  batches: PlaceBatch[]
  /** What the next call of the store does. */
  next: { fail: boolean; wait: Promise<void> | null }
}

function bench({ fullEntries = 4_000 } = {}): Bench {
  const clock = createVirtualClock(START)
  const batches: PlaceBatch[] = []
  const next: Bench['next'] = { fail: false, wait: null }
  const store = {
    async call<R>(_operation: string, args: unknown): Promise<R> {
      await next.wait
      if (next.fail) throw new Error('The store is away.')
      batches.push((args as { batch: PlaceBatch }).batch)
      return true as R
    },
  }
  const collector = new CrawlGraphCollector({ store, clock, source: 'boot', fullEntries })
  return { collector, clock, batches, next }
}

const median = (bytes: Uint8Array): number | null =>
  TimeSketch.fromBytes(bytes).quantile(0.5, START)

test('a batch leaves every five seconds or when it is full, and an idle station sends none', async () => {
  const { collector, clock, batches } = bench({ fullEntries: 100 })
  await collector.tick()
  collector.hear(takenOf([capturedPage('http://a.example/')]))
  await collector.tick()
  assert.equal(batches.length, 0, 'too early')
  await clock.advance(5_000)
  await collector.tick()
  assert.equal(batches.length, 1)
  await clock.advance(60_000)
  await collector.tick()
  assert.equal(batches.length, 1, 'there is nothing to tell')
  const links = Array.from({ length: 200 }, (_, n) => `http://h${n}.example/`)
  collector.hear(takenOf([capturedPage('http://a.example/', { links })]))
  await collector.flush()
  assert.deepEqual(
    batches.map(({ source, sequence, links: told }) => [source, sequence, told.length]),
    [
      ['boot', 1, 0],
      ['boot', 2, 200],
    ],
  )
})

test('a batch that failed is sent again as it is, and what came in the meantime goes into the next', async () => {
  const { collector, clock, batches, next } = bench()
  const told: PlaceBatch[] = []
  const stop = collector.subscribe((batch) => told.push(batch))
  collector.hear(takenOf([capturedPage('http://a.example/')]))
  next.fail = true
  await clock.advance(5_000)
  await assert.rejects(collector.tick(), /away/)
  assert.equal(told.length, 0, 'listeners are called for what is durable')
  collector.hear(takenOf([capturedPage('http://b.example/')]))
  next.fail = false
  await collector.tick()
  await clock.advance(5_000)
  await collector.tick()
  assert.deepEqual(
    batches.map(({ sequence, pages }) => [sequence, pages]),
    [
      [1, [['a.example', 1]]],
      [2, [['b.example', 1]]],
    ],
  )
  assert.deepEqual(told, batches)
  stop()
  collector.hear(takenOf([capturedPage('http://c.example/')]))
  await collector.flush()
  assert.equal(told.length, 2)
})

test('while the store does not answer, memory stays bounded: what exceeds a full batch is dropped', async () => {
  const { collector, batches, next } = bench({ fullEntries: 50 })
  let go = (): void => {}
  next.wait = new Promise((resolve) => (go = resolve))
  const page = (n: number): void =>
    collector.hear(
      takenOf([capturedPage(`http://p${n}.example/`, { links: ['http://x.example/'] })]),
    )
  for (let n = 0; n < 1_000; n++) page(n)
  next.wait = null
  go()
  await collector.flush()
  await collector.flush()
  const entries = (): number[] => batches.map(({ pages, links }) => pages.length + links.length)
  assert.deepEqual(entries(), [50, 50])
  next.fail = true
  for (let n = 0; n < 1_000; n++) {
    page(n)
    if (n % 100 === 0) await collector.tick().catch(() => {})
  }
  next.fail = false
  await collector.flush()
  await collector.flush()
  assert.deepEqual(entries(), [50, 50, 50, 50])
})

test('connecting is distinguished from the first byte, and a first byte behind TLS is left out', async () => {
  const { collector, batches } = bench()
  const times = { connectMs: 20, firstByteMs: 100 }
  collector.hear(
    takenOf([
      capturedPage('http://plain.example/', times),
      capturedPage('https://safe.example/', times),
      capturedPage('https://kept.example/', { connectMs: null, firstByteMs: 30 }),
      // An agent of a version that does not report it.
      capturedPage('http://old.example/', { connectMs: undefined, firstByteMs: 50 }),
      capturedPage('http://liar.example/', { connectMs: -5, firstByteMs: Number.MAX_VALUE }),
    ]),
  )
  await collector.flush()
  const near = (ms: number | null, wanted: number | null): boolean =>
    wanted === null || ms === null ? ms === wanted : Math.abs(ms / wanted - 1) < 0.03
  const wanted: Record<string, [number | null, number | null]> = {
    'plain.example': [20, 80],
    'safe.example': [20, null],
    'kept.example': [null, 30],
    'old.example': [null, 50],
    'liar.example': [null, 600_000],
  }
  for (const { agent, host, connection, firstByte } of batches[0]!.times) {
    assert.equal(agent, 'dev_1')
    const [connectMs, firstByteMs] = wanted[host]!
    assert.ok(near(median(connection), connectMs), `${host} connected in ${median(connection)}`)
    assert.ok(near(median(firstByte), firstByteMs), `${host} answered in ${median(firstByte)}`)
  }
  assert.equal(batches[0]!.times.length, 5)
})

test('links count by host, those to the page itself too, and embeds where they are collected', async () => {
  const { collector, batches } = bench()
  const page = capturedPage('https://a.example:8443/x', {
    links: [
      'https://a.example:8443/y',
      'http://a.example:8443/z',
      'https://b.example/',
      'https://user@b.example/private',
      `https://${'x'.repeat(400)}.example/`,
    ],
    embeds: ['https://cdn.example/i.png'],
  })
  collector.hear({ ...takenOf([page, capturedPage('http://c.example/')]), pages: [page] })
  collector.hear({ ...takenOf([page]), takesEmbeds: () => true })
  await collector.flush()
  const { pages, links } = batches[0]!
  assert.deepEqual(pages, [['a.example:8443', 2]])
  assert.deepEqual(links, [
    ['a.example:8443', 'a.example:8443', 4],
    ['a.example:8443', 'b.example', 4],
    ['a.example:8443', 'cdn.example', 1],
  ])
})

/** Pages of three hosts, the first of each naming the others, which link to the next host and beyond. */
function smallWeb(pagesPerHost: number): Web {
  const hosts = ['a', 'b', 'c'].map((name) => `http://${name}.test`)
  const pages = hosts.flatMap((host, h) =>
    Array.from({ length: pagesPerHost }, (_, n) => {
      const own = n === 0 ? Array.from({ length: pagesPerHost }, (_own, m) => `${host}/${m}`) : []
      const links = [...own, `${host}/0`, `${hosts[(h + 1) % 3]}/0`, 'http://far.example/']
      const body = links.map((url) => `<a href="${url}">x</a>`).join('')
      return [`${host}/${n}`, { body }] as const
    }),
  )
  return Object.fromEntries(pages)
}

function countCalls({ store }: TestStation): Map<string, number> {
  const calls = new Map<string, number>()
  const call = store.call.bind(store)
  store.call = (operation, ...rest) => {
    calls.set(operation, (calls.get(operation) ?? 0) + 1)
    return call(operation, ...rest)
  }
  return calls
}

for (const engine of ENGINES) {
  describe(`Gathering on ${engine.name}`, { skip: engine.skip }, () => {
    test('Batched exchange, graph updates: a crawl of hundreds of URLs reports its graph in a few calls, each page and link once', async () => {
      const station = await openStation({ engine })
      const calls = countCalls(station)
      const seeds = ['a', 'b', 'c'].map((name) => `http://${name}.test/0`)
      const { pages, found } = await station.crawl({ seeds, scope: 'host' }, smallWeb(60))
      assert.equal(pages, 180)
      const flushedMs = station.clock.monotonicMs()
      await station.clock.advance(5_000)
      await station.tick()
      const flushes = calls.get('flushGraph') ?? 0
      assert.ok(flushes >= 1 && flushes <= 2 + flushedMs / 5_000, `${flushes} calls`)
      assert.ok(flushes * 20 <= found, `${flushes} calls for ${found} URLs`)
      const read = await readTables(station.store)
      assert.deepEqual(read.pages, [
        ['a.test', 60],
        ['b.test', 60],
        ['c.test', 60],
      ])
      // The first page names itself twice, which is one link.
      assert.deepEqual(
        read.links.filter(([from]) => from === 'a.test'),
        [
          ['a.test', 'a.test', 119],
          ['a.test', 'b.test', 60],
          ['a.test', 'far.example', 60],
        ],
      )
      assert.deepEqual(
        new Set(read.times.map(({ host, device }) => `${host} ${device}`)),
        new Set(['a', 'b', 'c'].map((name) => `${name}.test ${station.device.id}`)),
      )
      const totals = await station.store.call('graphTotals', {})
      assert.deepEqual(
        [totals.hosts, totals.pages, totals.linkRows, totals.links, totals.timeRows],
        [3, 180, 9, 717, 3],
      )
    })

    test('an upload that comes twice is gathered once, and stale results not at all', async () => {
      const station = await openStation({ engine })
      const parcels = await station.leased(['http://twice.test/1'], {
        'http://twice.test/1': { body: '<a href="http://b.test/">x</a>' },
      })
      const stale = parcels.map((parcel) => ({
        ...parcel,
        result: { ...parcel.result, fence: parcel.result.fence + 7 },
      }))
      await station.send(stale)
      await station.send(parcels)
      await station.send(parcels)
      await station.clock.advance(5_000)
      await station.tick()
      const { pages, links } = await readTables(station.store)
      assert.deepEqual(pages, [['twice.test', 1]])
      assert.deepEqual(links, [['twice.test', 'b.test', 1]])
    })

    test('when a device is deleted nothing is left of what it measured', async () => {
      const station = await openStation({ engine })
      await station.crawl({ seeds: ['http://gone.test/'] }, { 'http://gone.test/': { body: 'x' } })
      await station.clock.advance(5_000)
      await station.tick()
      assert.equal((await readTables(station.store)).times.length, 1)
      const { id } = station.device
      await station.store.call('deleteDevice', { device: id, owner: null, now: START })
      assert.deepEqual((await readTables(station.store)).times, [])
      const { timeRows } = await station.store.call('graphTotals', {})
      assert.equal(timeRows, 0)
    })
  })
}

test('made uploads add up to what the fixture says', async () => {
  const { collector, batches } = bench()
  const uploads = [1, 2, 3].map(madeUpload)
  for (const upload of uploads) collector.hear(upload)
  await collector.flush()
  const { pages, links } = batches[0]!
  const wanted = totalsOf(uploads)
  assert.deepEqual([pages.length, links.length], [wanted.pages.length, wanted.links.length])
})
