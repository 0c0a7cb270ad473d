// Goal: a planner gets the distances in the tables, learnt outside of the station's main thread and
// resumed from the last run. Method: a synthetic world is flushed to a store on both databases; the
// table must equal what the pure code makes of the same times, and be near the truth where nothing
// was measured.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { learnDistances, PairTimes, type MeasuredPair } from '@minga/partition'
import type { Store } from '@minga/store'
import { createVirtualClock, type VirtualClock } from '@minga/testkit'
import { World } from '../../../../../packages/partition/test/distance/world-fixture.ts'
import { ENGINES, type TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import { readSnapshot } from './distance-snapshot.ts'
import { DevicePlaces } from './places-devices.ts'
import { NO_PLACE_TEXTS, type PlaceTexts } from './places-files.ts'
import { PlaceDistances } from './read-distances.ts'
import type { Operations } from '../../station/station-operations.ts'

const NOW = 1_750_000_000_000
const [AGENTS, HOSTS] = [6, 60]

interface Crawled {
  store: Store<Operations>
  clock: VirtualClock
  world: World
  measured: MeasuredPair[]
  distances: PlaceDistances
  agents: string[]
  hosts: string[]
}

/** A world half of whose pairs were fetched from nine times. */
async function crawled(engine: TestEngine, texts: PlaceTexts = NO_PLACE_TEXTS): Promise<Crawled> {
  const home = await engine.home()
  const store = await home.openHere<Operations>({
    operations: new URL('../../operations.ts', import.meta.url).href,
  })
  const clock = createVirtualClock(NOW)
  const world = new World(AGENTS, HOSTS, 31)
  const times = new PairTimes()
  for (const { name: agent, ...from } of world.agents) {
    for (const { name: host, ...to } of world.hosts) {
      if (world.uniform() < 0.5) continue
      const trueMs = world.trueRttMs({ name: agent, ...from }, { name: host, ...to })
      for (let n = 0; n < 9; n++) {
        const connectMs = world.probeMs(trueMs)
        times.observe({ agent, host, connectMs, firstByteMs: connectMs + 30, atMs: NOW })
      }
    }
  }
  const batch = { source: 's', sequence: 1, pages: [], links: [], times: [...times.snapshot()] }
  await store.call('flushGraph', { batch, now: NOW })
  const devices = new DevicePlaces()
  const parts = { store, clock, positionOf: () => null, devices, texts: () => texts }
  return {
    store,
    clock,
    world,
    measured: [...times.measured(NOW)],
    distances: new PlaceDistances(parts),
    agents: world.agents.map(({ name }) => name),
    hosts: world.hosts.map(({ name }) => name),
  }
}

for (const engine of ENGINES) {
  describe(`Distances on ${engine.name}`, { skip: engine.skip }, () => {
    test('the table is the one that the pure code makes of the same times, and near the truth', async () => {
      const { store, world, measured, distances, agents, hosts } = await crawled(engine)
      const { rtt, measuredPairs } = await distances.distancesOf({ agents, hosts })
      assert.equal(measuredPairs, measured.length)
      const byHost = measured.toSorted((a, b) =>
        a.host === b.host ? (a.agent < b.agent ? -1 : 1) : a.host < b.host ? -1 : 1,
      )
      const pure = learnDistances({ measured: byHost })
      const known = new Set(measured.map(({ agent, host }) => `${agent} ${host}`))
      const errors: number[] = []
      for (const [h, host] of world.hosts.entries()) {
        for (const [a, agent] of world.agents.entries()) {
          const ms = rtt.values[h * AGENTS + a]!
          const trueMs = world.trueRttMs(agent, host)
          if (known.has(`${agent.name} ${host.name}`)) {
            assert.equal(ms, pure.rtt(agent.name, host.name)!.rttMs)
          } else errors.push(Math.abs(ms - trueMs) / trueMs)
        }
      }
      const median = errors.toSorted((a, b) => a - b)[errors.length >> 1]!
      assert.ok(median < 0.25, `half of the estimates are wrong by more than ${median}`)
      await store.close()
    })

    test('the next time begins where the coordinates stood, and forgets who is not measured any more', async () => {
      const { store, clock, distances, agents, hosts } = await crawled(engine)
      await distances.distancesOf({ agents, hosts })
      const first = await readSnapshot(store)
      assert.ok(first !== null)
      assert.equal(first.names.length, AGENTS + HOSTS)
      await clock.advance(1_000)
      await distances.distancesOf({ agents, hosts })
      const second = await readSnapshot(store)
      assert.deepEqual(second!.names.toSorted(), first.names.toSorted())
      assert.notDeepEqual(second!.state, first.state)
      const moved = second!.names.map((name, n) => {
        const before = first.names.indexOf(name)
        return Math.hypot(
          ...[0, 1, 2].map((d) => second!.state[n * 7 + d]! - first.state[before * 7 + d]!),
        )
      })
      const median = moved.toSorted((a, b) => a - b)[moved.length >> 1]!
      assert.ok(median < 8, `they moved by ${median} ms`)
      await store.call('forgetTimes', { notSince: 0, most: 20, limit: 10_000 })
      await clock.advance(1_000)
      const { measuredPairs } = await distances.distancesOf({ agents, hosts })
      assert.equal(measuredPairs, 20)
      const third = await readSnapshot(store)
      assert.ok(third!.names.length <= 40 && third!.names.length < first.names.length)
      await store.close()
    })

    test('where nothing is measured, traces and the operator say how far it is', async () => {
      const list = ['agent-0 52.5 13.4', 'b.example 40.7 -74.0'].join('\n')
      const traces = 'agent-1 192.0.2.7 10.0.0.1=1 192.0.2.7=31,33,32'
      const texts = {
        places: { name: 'places', text: list },
        routes: [{ name: 'routes', text: traces }],
      }
      const { store, distances } = await crawled(engine, texts)
      const hosts = ['192.0.2.7', 'b.example']
      const { rtt } = await distances.distancesOf({ agents: ['agent-0', 'agent-1'], hosts })
      const [, traced, far] = rtt.values
      assert.ok(Math.abs(traced! - 32) < 1, `${traced} ms by the trace`)
      assert.ok(far! > 60 && far! < 300, `${far} ms from Berlin to New York`)
      await store.close()
    })
  })
}
