// Goal: from fetches to a table of round trips in one go. Method: a made world is fetched from, half of its
// pairs never; the table must be near the truth, know what was measured and come out of a restart the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RouteEstimates, learnDistances, witnessesOf, type DistanceSources } from './distances.ts'
import { parseHopLists } from './hop-lists.ts'
import { locate, type HostPlace } from './locate.ts'
import { medianOf } from './median.ts'
import { PairTimes, type MeasuredPair } from './pair-times.ts'
import { routesOf } from './route-graph.ts'
import { World, type Node } from '../../test/distance/world-fixture.ts'

const NOW_MS = 1_700_000_000_000
const [AGENTS, HOSTS] = [8, 80]

function fetchedFrom(world: World): MeasuredPair[] {
  const times = new PairTimes()
  for (const agent of world.agents) {
    for (const host of world.hosts) {
      if (world.uniform() < 0.5) continue
      for (let n = 0; n < 9; n++) {
        const connectMs = world.probeMs(world.trueRttMs(agent, host))
        const names = { agent: agent.name, host: host.name }
        times.observe({ ...names, connectMs, firstByteMs: connectMs + 30, atMs: NOW_MS })
      }
    }
  }
  return [...times.measured(NOW_MS)]
}

const placed = (at: Node | undefined): HostPlace | null =>
  at === undefined ? null : locate([{ source: 'dns-loc', errorKm: 10, lat: at.lat, lon: at.lon }])

function sourcesOf(world: World): DistanceSources {
  const nodes = new Map([...world.agents, ...world.hosts].map((node) => [node.name, node]))
  return { measured: fetchedFrom(world), placeOf: (name) => placed(nodes.get(name)) }
}

test('a table of round trips has medians where there are any and good estimates elsewhere', () => {
  const world = new World(AGENTS, HOSTS, 31)
  const sources = sourcesOf(world)
  const { rtt, rttTable, kmTable } = learnDistances(sources)
  const errors: number[] = []
  for (const agent of world.agents) {
    for (const host of world.hosts) {
      const { rttMs, sources: by } = rtt(agent.name, host.name)!
      if (by[0] === 'measured') continue
      const trueMs = world.trueRttMs(agent, host)
      errors.push(Math.abs(rttMs - trueMs) / trueMs)
    }
  }
  assert.equal(errors.length + sources.measured.length, AGENTS * HOSTS)
  assert.ok(medianOf(errors) < 0.2, `${medianOf(errors)}`)
  const names = [world.agents, world.hosts].map((nodes) => nodes.map(({ name }) => name))
  const table = rttTable(names[0]!, names[1]!)
  assert.equal(table.unknown, 0)
  assert.equal(table.values[3 * AGENTS + 2], rtt('agent-2', 'host-3.example')!.rttMs)
  assert.equal(kmTable(names[0]!, [...names[1]!, 'unknown.example']).unknown, AGENTS)
})

test('after a restart the coordinates go on, and equal sources give equal distances', () => {
  const sources = sourcesOf(new World(AGENTS, HOSTS, 32))
  const first = learnDistances(sources)
  assert.deepEqual(learnDistances(sources).coordinates, first.coordinates)
  const again = learnDistances({ ...sources, previous: first.coordinates })
  const apart = sources.measured.map(({ host }) => {
    const [before, after] = [first, again].map(({ rtt }) => rtt('agent-0', host)!.rttMs)
    return Math.abs(after! - before!) / before!
  })
  assert.ok(medianOf(apart) < 0.1, 'what was settled stays nearly where it was')
})

test('routes of traces speak for hosts by the names that traces give them', () => {
  const { traces } = parseHopLists('traces', ['lisbon 192.0.2.9 192.0.2.1=4 192.0.2.9=11'])
  const { rtt } = learnDistances({
    measured: [],
    routes: new RouteEstimates(routesOf(traces)),
    traceNameOf: (name) => ({ 'agent-0': 'lisbon', 'www.example': '192.0.2.9' })[name] ?? name,
  })
  assert.equal(rtt('agent-0', 'www.example')!.rttMs, 11)
  assert.deepEqual(rtt('agent-0', 'www.example')!.sources, ['route'])
  assert.equal(rtt('agent-0', 'other.example'), null)
})

test('who measured a host is a witness of where it is, if its own place is known', () => {
  const world = new World(AGENTS, HOSTS, 33)
  const { measured, placeOf } = sourcesOf(world)
  const witnesses = witnessesOf(measured, (agent) => (agent === 'agent-0' ? null : placeOf!(agent)))
  assert.ok([...witnesses.values()].flat().every(({ agent }) => agent !== 'agent-0'))
  let exposed = 0
  for (const host of world.hosts) {
    const truth = placed(host)!.place!
    const opposite = { ...truth, lat: -truth.lat, lon: truth.lon + (truth.lon > 0 ? -180 : 180) }
    const seenBy = witnesses.get(host.name) ?? []
    assert.equal(locate([truth], seenBy).place, truth)
    if (locate([opposite], seenBy).refuted.length > 0) exposed++
  }
  assert.ok(exposed > HOSTS / 3, `${exposed} claims of the other side of the Earth were refuted`)
})
