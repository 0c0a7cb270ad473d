// Goal: what stations exchange and how long their hosts take is measured, reported, and a reason to
// reassign hosts when it drifts, and only then. Method: hand-made measures; the real registrar on
// both databases, with what stations report written by the test; whole stations over HTTP that
// gather a web.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planPlacement, TimeSketch } from '@minga/partition'
import type { MapRow, RenewMessage, StationReport } from '@minga/protocol'
import { createVirtualClock, type VirtualClock } from '@minga/testkit'
import { ENGINES, type TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import type { TestStation } from '../../../test/station-fixture.ts'
import { linkedWeb, statusOf, TestFederation } from '../../../test/federation/federation-fixture.ts'
import { MapPlan, Traffic } from './map-plan.ts'
import { RecentWaits } from '../member/recent-waits.ts'
import {
  openRegistry,
  SELF,
  type TestRegistry,
} from '../../../test/federation/registrar/registrar-fixture.ts'
import { Registrar, SETTLED } from './registrar.ts'

interface Said {
  kept?: number
  sent?: number
  waitMs?: number | null
}

function reportOf({ kept = 0, sent = 0, waitMs = null }: Said): StationReport {
  const peers = [{ station: 'other', sent, received: 0 }]
  return { collections: [], hot: [], agents: 1, settled: [], exchange: { kept, peers }, waitMs }
}

test('the share that is exchanged is of what came since a station was first heard, also when it starts again', () => {
  const traffic = new Traffic(100)
  traffic.hear('a', reportOf({ kept: 5_000, sent: 5_000 }), 0)
  assert.equal(traffic.measured([]).exchangeShare, null, 'the time of that is unknown')
  traffic.hear('a', reportOf({ kept: 5_090, sent: 5_009 }), 0)
  assert.equal(traffic.measured([]).exchangeShare, null, 'too few')
  traffic.hear('a', reportOf({ kept: 5_091, sent: 5_009 }), 0)
  assert.equal(traffic.measured([]).exchangeShare, 0.09)
  traffic.hear('a', reportOf({ kept: 5_091, sent: 91 }), 0)
  assert.equal(traffic.measured([]).exchangeShare, 100 / 191, 'it started counting again')
  traffic.forget()
  assert.equal(traffic.measured([]).exchangeShare, null)
})

test('what was exchanged long ago weighs less', () => {
  const traffic = new Traffic(100)
  traffic.hear('a', reportOf({}), 0)
  traffic.hear('a', reportOf({ kept: 1_000 }), 0)
  traffic.hear('a', reportOf({ kept: 1_000, sent: 1_000 }), 3_600_000)
  assert.ok(traffic.measured([]).exchangeShare! > 0.98)
})

test('waiting is the mean of the medians of all stations that work, unknown while one has none', () => {
  const traffic = new Traffic()
  traffic.hear('a', reportOf({ waitMs: 40 }), 0)
  assert.equal(traffic.measured(['a', 'b']).latencyMs, null)
  traffic.hear('b', reportOf({ waitMs: 80 }), 0)
  traffic.hear('b', reportOf({ waitMs: null }), 0)
  assert.equal(traffic.measured(['a', 'b']).latencyMs, 60)
  assert.equal(traffic.measured(['a']).latencyMs, 40)
  assert.equal(traffic.measured([]).latencyMs, null)
})

test('a station says the median wait of the hosts it visited in the last minutes', async () => {
  const clock = createVirtualClock(1_700_000_000_000)
  const waits = new RecentWaits(clock)
  const visit = (ms: number, hosts: number): void => {
    const sketch = new TimeSketch()
    sketch.add(ms, clock.now())
    waits.note(Array.from({ length: hosts }, () => ({ firstByte: sketch.toBytes() })))
  }
  visit(50, 29)
  assert.equal(waits.medianMs(), null, 'too few')
  visit(1_000, 1)
  assert.ok(Math.abs(waits.medianMs()! - 50) < 3, `${waits.medianMs()}`)
  await clock.advance(400_000)
  visit(200, 100)
  assert.ok(Math.abs(waits.medianMs()! - 200) < 10, `${waits.medianMs()}`)
  await clock.advance(700_000)
  assert.equal(waits.medianMs(), null, 'that is too long ago')
})

// ── the registrar ─────────────────────────────────────────────────────────────────────────

const OTHER = 'st_b'
const HOSTS = 40

/**
 * Two circles of hosts that link among themselves; they were placed before anyone knew of their
 * links.
 */
async function placeBlindly(registry: TestRegistry): Promise<void> {
  const hosts = Array.from({ length: HOSTS }, (_, i) => `h${i}.test`)
  for (const host of hosts) await registry.claim(SELF, [{ host }])
  const links = hosts.flatMap((from, i) =>
    [2, 4, 6].map((step): [string, string, number] => [from, hosts[(i + step) % HOSTS]!, 50]),
  )
  const pages = hosts.map((host): [string, number] => [host, 10])
  const batch = { source: 'test', sequence: 1, pages, links, times: [] }
  await registry.store.call('flushGraph', { batch, now: registry.now })
}

class Watched {
  readonly registry: TestRegistry
  readonly clock: VirtualClock
  readonly registrar: Registrar

  private constructor(registry: TestRegistry, clock: VirtualClock, registrar: Registrar) {
    this.registry = registry
    this.clock = clock
    this.registrar = registrar
  }

  static async open(registry: TestRegistry): Promise<Watched> {
    await registry.store.call('writeFact', { name: SETTLED, value: '1' })
    await registry.join(OTHER)
    await placeBlindly(registry)
    const clock = createVirtualClock(registry.now)
    const { store } = registry
    const plan = async (input: Parameters<typeof planPlacement>[0]) => planPlacement(input)
    const mapPlan = new MapPlan({ store, clock, plan, urlsLeast: 1_000 })
    const registrar = await Registrar.open({
      store,
      clock,
      mapPlan,
      guard: { allowPrivateAddresses: false },
      self: SELF,
    })
    return new Watched(registry, clock, registrar)
  }

  /** Both stations say this for two minutes. Answers how many hosts moved. */
  async report(said: (seconds: number) => Said): Promise<number> {
    const before = new Map((await this.registry.rows()).map(({ host, station }) => [host, station]))
    for (let seconds = 0; seconds < 120; seconds += 5) {
      await this.clock.advance(5_000)
      for (const id of [SELF, OTHER])
        await this.registrar.renew(id, renewalOf(reportOf(said(seconds))))
      await this.registrar.tick()
    }
    const rows = await this.registry.rows()
    return rows.filter(({ host, station }) => before.get(host) !== station).length
  }
}

function renewalOf(report: StationReport): RenewMessage {
  return {
    term: 1,
    under: SELF,
    since: 0,
    epoch: 0,
    capacity: 1,
    report,
    round: 0,
    isBusy: false,
    isLeaving: false,
    self: null,
    known: null,
  }
}

/** Links that lead to hosts of another station. */
function cutOf(rows: readonly MapRow[]): number {
  const owner = new Map(rows.map(({ host, station }) => [host, station]))
  const isCut = (i: number, step: number): boolean =>
    owner.get(`h${i}.test`) !== owner.get(`h${(i + step) % HOSTS}.test`)
  return [...Array(HOSTS).keys()].flatMap((i) => [2, 4, 6].filter((step) => isCut(i, step))).length
}

async function watched(
  engine: TestEngine,
  t: Parameters<typeof openRegistry>[1],
): Promise<Watched> {
  return Watched.open(await openRegistry(engine, t))
}

for (const engine of ENGINES) {
  describe(`drift at the registrar on ${engine.name}`, { skip: engine.skip }, () => {
    test('Repartition triggers: stations that exchange more than they did have their hosts reassigned, by their links', async (t) => {
      const fleet = await watched(engine, t)
      const cut = cutOf(await fleet.registry.rows())
      assert.equal(await fleet.report((s) => ({ kept: s * 1_000, sent: s * 100 })), 0)
      const moved = await fleet.report((s) => ({
        kept: 120_000 + s * 1_000,
        sent: 12_000 + s * 2_000,
      }))
      assert.ok(moved > 0, 'the share has grown from a tenth to two thirds')
      const after = cutOf(await fleet.registry.rows())
      assert.ok(after < cut / 2, `${after} links are cut, after ${cut}`)
    })

    test('Repartition triggers: hosts that take longer than they did are a reason too, once', async (t) => {
      const fleet = await watched(engine, t)
      assert.equal(await fleet.report(() => ({ waitMs: 50 })), 0)
      assert.ok((await fleet.report(() => ({ waitMs: 90 }))) > 0)
      assert.equal(await fleet.report(() => ({ waitMs: 90 })), 0, 'that is how it is now')
    })

    test('Repartition triggers: nothing moves while stations report what they always did', async (t) => {
      const fleet = await watched(engine, t)
      const steady = (s: number): Said => ({
        kept: s * 1_000,
        sent: s * 500,
        waitMs: 50 + (s % 10),
      })
      for (let round = 0; round < 3; round++) assert.equal(await fleet.report(steady), 0)
    })
  })
}

test('stations count the URLs that they send to and get from each other, and the registrar receives the counts', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  await a.collect({ seeds: ['http://site0.test/0'], scope: 'any', delayMs: 0 })
  await federation.workOut(linkedWeb(8, 4))
  const [ours, theirs] = [await statusOf(a), await statusOf(b)]
  const [toB, toA] = [ours.peers[0]!, theirs.peers[0]!]
  assert.deepEqual([toB.station, toA.station], [theirs.id, ours.id])
  assert.deepEqual([toB.sent, toB.received], [toA.received, toA.sent])
  assert.ok(toB.sent > 0 && toB.received > 0)
  assert.deepEqual(
    [ours.measured, theirs.measured],
    [{ exchangeShare: null, latencyMs: null }, null],
  )
})
