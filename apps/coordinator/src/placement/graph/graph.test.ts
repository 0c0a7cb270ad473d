// Goal: the tables of the graph say what was flushed, to any number of readers, after any end of a process,
// within bounds. Method: made batches against the pure counts, on both databases, and a process killed by force.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CrawlCounts, hostGraph, Random, TimeSketch } from '@minga/partition'
import type { Store, Calls } from '@minga/store'
import { createVirtualClock } from '@minga/testkit'
import {
  ENGINES,
  type Home,
  type TestEngine,
} from '../../../../../packages/store/test/contract-engines.ts'
import { readSnapshot, writeSnapshot, keptNodes } from '../distance/distance-snapshot.ts'
import type { PlaceBatch } from './flush-graph.ts'
import {
  seedOf,
  UPLOADS_PER_FLUSH,
  type ChildArgs,
} from '../../../test/placement/graph/gather-child-fixture.ts'
import {
  madeUpload,
  readTables,
  sorted,
  totalsOf,
} from '../../../test/placement/graph/gather-fixture.ts'
import { GraphForgetting } from './graph-forgetting.ts'
import { hostLinks, hostPages, type HostLinks } from './graph-iterators.ts'
import { readHostGraph } from './read-graph.ts'
import type { Operations } from '../../station/station-operations.ts'

const NOW = 1_750_000_000_000
const DAY_MS = 86_400_000
const operations = new URL('../../operations.ts', import.meta.url).href
const CHILD = fileURLToPath(
  new URL('../../../test/placement/graph/gather-child-fixture.ts', import.meta.url),
)

async function withStore(
  engine: TestEngine,
  run: (store: Store<Operations>, home: Home) => Promise<void>,
): Promise<void> {
  const home = await engine.home()
  const store = await home.openHere<Operations>({ operations })
  try {
    await run(store, home)
  } finally {
    await store.close()
  }
}

function batchOf(source: string, sequence: number, more: Partial<PlaceBatch> = {}): PlaceBatch {
  return { source, sequence, pages: [], links: [], times: [], ...more }
}

const flush = (store: Store<Operations>, batch: PlaceBatch, now = NOW): Promise<boolean> =>
  store.call('flushGraph', { batch, now })

/** Random batches of three sources, each in its order, some sent again. */
function madeBatches(seed: number, count: number): PlaceBatch[] {
  const random = new Random(seed)
  const sequences = [0, 0, 0]
  const host = (): string => `h${random.below(30)}.example`
  const batches: PlaceBatch[] = []
  for (let n = 0; n < count; n++) {
    const source = random.below(3)
    const entries = <T>(make: () => T): T[] => Array.from({ length: random.below(20) }, make)
    const pages = new Map(entries(() => [host(), 1 + random.below(9)] as const))
    const links = new Map(entries(() => [`${host()} ${host()}`, 1 + random.below(9)] as const))
    const batch = batchOf(`source ${source}`, ++sequences[source]!, {
      pages: [...pages],
      links: [...links].map(([pair, times]) => [...(pair.split(' ') as [string, string]), times]),
    })
    batches.push(batch)
    if (random.below(3) === 0) batches.push(batches[random.below(batches.length)]!)
  }
  return batches
}

/** A grid of links: every host to the next few. */
function gridOf(hosts: number, linksEach: number): PlaceBatch {
  const name = (n: number): string => `h${String(n % hosts).padStart(6, '0')}.example`
  const pages = Array.from({ length: hosts }, (_, n): [string, number] => [name(n), n + 1])
  const links = pages.flatMap(([from], n) =>
    Array.from({ length: linksEach }, (_, l): [string, string, number] => [
      from,
      name(n + l),
      l + 1,
    ]),
  )
  return batchOf('grid', 1, { pages, links })
}

async function killedChild(args: ChildArgs, lifeMs: number): Promise<number> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(args)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), lifeMs)
    output += String(chunk)
  }
  if (child.signalCode === null) await once(child, 'exit')
  assert.equal(child.signalCode, 'SIGKILL', 'the child ended by itself')
  // The last line may be cut off by the kill.
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1))
}

/** A server may still commit what a client sent that is dead. */
async function settled(
  store: Store<Operations>,
): Promise<{ batches: number; tables: Awaited<ReturnType<typeof readTables>> }> {
  for (;;) {
    const before = await store.call('graphTotals', {})
    const tables = await readTables(store, 500)
    const { batches } = await store.call('graphTotals', {})
    if (batches === before.batches) return { batches, tables }
  }
}

for (const engine of ENGINES) {
  describe(`The graph on ${engine.name}`, { skip: engine.skip }, () => {
    test('Distributed graph/set/map + iterators: batches add up to the pure counts, whatever is sent again', () =>
      withStore(engine, async (store) => {
        const counts = new CrawlCounts()
        for (const batch of madeBatches(7, 60)) {
          assert.equal(await flush(store, batch), counts.apply(batch))
        }
        const totals = sorted(counts.totals())
        const { pages, links } = await readTables(store, 7)
        assert.deepEqual({ pages, links, sequences: [] }, totals)
        const { addresses, ...graph } = await readHostGraph(store)
        assert.deepEqual(graph, hostGraph(totals))
        assert.equal(addresses.length, graph.names.length)
        await store.call('countLinkRows', {})
        const told = await store.call('graphTotals', {})
        const sum = (all: readonly (readonly unknown[])[]): number =>
          all.reduce((before, entry) => before + Number(entry.at(-1)), 0)
        assert.deepEqual(
          [told.hosts, told.pages, told.linkRows, told.links],
          [pages.length, sum(pages), links.length, sum(links)],
        )
      }))

    test('Distributed graph/set/map + iterators: eight readers at once each meet every row once, at the cost of its rows', () =>
      withStore(engine, async (store) => {
        const grid = gridOf(1_000, 3)
        await flush(store, grid)
        let calls = 0
        let rows = 0
        const counting: Calls<Operations> = {
          call: async (operation, args) => {
            calls++
            const page = await store.call(operation, args)
            rows += (page as unknown[]).length
            return page
          },
        }
        const readers = Array.from({ length: 8 }, (_, n) =>
          Array.fromAsync(hostLinks(counting, 100 + n)),
        )
        // In the meantime the crawl continues: existing rows are met all the same.
        const later = batchOf('grid', 2, { links: [['h000500.example', 'new.example', 1]] })
        const [all] = await Promise.all([Promise.all(readers), flush(store, later)])
        for (const [n, pages] of all.entries()) {
          const read = pages.flat().filter(({ to_host: to }) => to !== 'new.example')
          const names = ({ from_host: from, to_host: to }: HostLinks): string => `${from} ${to}`
          assert.equal(new Set(read.map(names)).size, 3_000, `reader ${n}`)
          assert.equal(read.length, 3_000, `reader ${n} met a row twice`)
        }
        assert.ok(rows <= 8 * 3_001, `${rows} rows were read`)
        assert.ok(calls <= 8 * (Math.ceil(3_001 / 100) + 1), `${calls} calls`)
        assert.equal((await Array.fromAsync(hostPages(store, 333))).flat().length, 1_000)
      }))

    test('Distributed graph/set/map + iterators: a process killed between flushes resumes from the last one, and no snapshot is ever half', async () => {
      const home = await engine.home()
      const uploads: number[] = []
      let snapshots = 0
      for (let boot = 0; boot < 3; boot++) {
        const args = { options: { ...home.options, operations }, boot }
        const acknowledged = await killedChild(args, 30 + 110 * boot)
        const store = await home.openHere<Operations>({ operations })
        const { batches, tables } = await settled(store)
        const kept = batches * UPLOADS_PER_FLUSH - uploads.length
        assert.ok(kept === acknowledged || kept === acknowledged + UPLOADS_PER_FLUSH)
        for (let upload = 0; upload < kept; upload++) uploads.push(seedOf(boot, upload))
        const { pages, links, times } = tables
        assert.deepEqual({ pages, links, sequences: [] }, totalsOf(uploads.map(madeUpload)))
        const connections = times.map(({ connection }) =>
          TimeSketch.fromBytes(connection).count(Date.now()),
        )
        assert.equal(
          connections.reduce((sum, count) => sum + count, 0),
          10 * uploads.length,
        )
        const snapshot = await readSnapshot(store)
        if (snapshot !== null) {
          snapshots++
          const [mark] = snapshot.state
          assert.ok(snapshot.state.every((value) => value === mark))
          assert.ok(snapshot.neighbours.every((value) => value === mark))
          assert.equal(snapshot.names.length, 9_000)
        }
        await store.close()
      }
      assert.ok(uploads.length > 20 && snapshots > 0, `${uploads.length} uploads`)
    })

    test('batches of several coordinators that come together, in any order of their rows, all count', () =>
      withStore(engine, async (store) => {
        const { pages, links } = gridOf(40, 3)
        const sources = Array.from({ length: 6 }, (_, n) =>
          batchOf(`coordinator ${n}`, 1, {
            pages: n % 2 === 0 ? pages : pages.toReversed(),
            links: n % 2 === 0 ? links : links.toReversed(),
          }),
        )
        // Each twice, as after a lost answer.
        const counted = await Promise.all(
          [...sources, ...sources].map((batch) => flush(store, batch)),
        )
        assert.equal(counted.filter((isNew) => isNew).length, 6)
        const wrong = batchOf('coordinator 0', 2, { links: [['a.example', 'b.example', -1]] })
        await assert.rejects(flush(store, wrong), { code: 'MINGA_BAD_DISTANCE_INPUT' })
        const read = await readTables(store)
        assert.deepEqual(
          read.links,
          sorted({ pages, links }).links.map(([from, to, count]) => [from, to, 6 * count]),
        )
        assert.deepEqual(
          read.pages,
          pages.map(([host, count]) => [host, 6 * count]),
        )
      }))

    test('times of a pair add up over batches, and corrupted bytes are dropped and counted from the start', () =>
      withStore(engine, async (store) => {
        const timesOf = (ms: number): PlaceBatch['times'][number] => {
          const sketch = new TimeSketch()
          for (let n = 0; n < 4; n++) sketch.add(ms + n, NOW)
          const none = new TimeSketch().toBytes()
          return {
            agent: 'dev_1',
            host: 'a.example',
            connection: sketch.toBytes(),
            firstByte: none,
          }
        }
        const broken = { ...timesOf(10), host: 'b.example', connection: new Uint8Array([9, 9]) }
        await flush(store, batchOf('s', 1, { times: [timesOf(20), broken] }))
        const mended = { ...timesOf(30), host: 'b.example' }
        await flush(store, batchOf('s', 2, { times: [timesOf(40), mended] }))
        const { times } = await readTables(store)
        assert.deepEqual(
          times.map(({ host, connection }) => [host, TimeSketch.fromBytes(connection).count(NOW)]),
          [
            ['a.example', 8],
            ['b.example', 4],
          ],
        )
      }))

    test('times go after their window, the oldest first when they are too many, and rare links when they are', () =>
      withStore(engine, async (store) => {
        const clock = createVirtualClock(NOW)
        const sketch = new TimeSketch().toBytes()
        const times = (from: number, to: number): PlaceBatch['times'] =>
          Array.from({ length: to - from }, (_, n) => ({
            agent: 'dev_1',
            host: `h${from + n}.example`,
            connection: sketch,
            firstByte: sketch,
          }))
        await flush(store, batchOf('s', 1, { times: times(0, 5) }), NOW - 9 * DAY_MS)
        await flush(store, batchOf('s', 2, { times: times(5, 8) }), NOW - 3 * DAY_MS)
        await flush(store, { ...gridOf(50, 4), source: 's', sequence: 3, times: times(8, 20) })
        const forgetting = new GraphForgetting({ store, clock, mostLinkRows: 70, mostTimeRows: 14 })
        for (let tick = 0; tick < 20; tick++) {
          await forgetting.tick()
          await clock.advance(11_000)
        }
        const left = await readTables(store)
        assert.equal(left.times.length, 14, 'five were too old, one too many')
        assert.ok(!left.times.some(({ host }) => /^h[0-4]\.example$/.test(host)))
        // Counts were 1 to 4 of each host: those of 1 and 2 had to go, and thirty of those of 3.
        const counts = left.links.map(([, , links]) => links).toSorted((a, b) => a - b)
        assert.deepEqual(counts, [...Array(20).fill(3), ...Array(50).fill(4)])
        const totals = await store.call('graphTotals', {})
        assert.deepEqual([totals.timeRows, totals.linkRows, totals.links], [14, 70, 260])
        assert.equal(left.pages.length, 50, 'pages stay')
      }))

    test('links that were met twice and not for a month go, others stay', () =>
      withStore(engine, async (store) => {
        const clock = createVirtualClock(NOW)
        const links: PlaceBatch['links'] = [
          ['a.example', 'rare.example', 2],
          ['a.example', 'often.example', 3],
        ]
        await flush(store, batchOf('s', 1, { links }), NOW - 31 * DAY_MS)
        await flush(store, batchOf('s', 2, { links: [['b.example', 'new.example', 1]] }))
        await new GraphForgetting({ store, clock }).tick()
        const left = await readTables(store)
        assert.deepEqual(
          left.links.map(([, to]) => to),
          ['often.example', 'new.example'],
        )
      }))

    test('a snapshot of coordinates is read as it was written, and without the nodes that are gone', () =>
      withStore(engine, async (store) => {
        assert.equal(await readSnapshot(store), null)
        const names = Array.from({ length: 5_000 }, (_, n) => `n${n}`)
        const whole = {
          names,
          state: Float64Array.from({ length: 7 * 5_000 }, (_, n) => n / 3),
          neighbours: Int32Array.from({ length: 4 * 5_000 }, (_, n) =>
            n % 4 === 3 ? -1 : n % 5_000,
          ),
        }
        await writeSnapshot(store, whole, NOW)
        assert.deepEqual(await readSnapshot(store), whole)
        const kept = keptNodes(whole, (name) => ['n0', 'n1', 'n4000'].includes(name))
        assert.deepEqual(kept.names, ['n0', 'n1', 'n4000'])
        assert.deepEqual([...kept.state.subarray(14, 16)], [28_000 / 3, 28_001 / 3])
        assert.deepEqual([...kept.neighbours], [0, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1])
        await writeSnapshot(store, kept, NOW + 1)
        assert.deepEqual(await readSnapshot(store), kept)
      }))
  })
}
