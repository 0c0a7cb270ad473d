// Goal: a federation is a tree: every division, choice, loss and keeper follows its branches, and
// none gets more or less than its share for standing deeper. Method: synthetic trees and crawls;
// the registrar's operations on both databases; whole stations over HTTP.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { planPlacement, type NamedCrawlGraph, type PlanInput } from '@minga/partition'
import type { MapRow } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, type TestStation } from '../../../test/station-fixture.ts'
import { branchIn, farthestOf, nearestOf, treeOf } from './branches.ts'
import { act, statusOf, TestFederation } from '../../../test/federation/federation-fixture.ts'
import { keeperOf, type Unplaced } from './placing.ts'
import {
  openRegistry,
  SELF,
  station,
  type TestRegistry,
} from '../../../test/federation/registrar/registrar-fixture.ts'
import { GRACE_MS, LEASE_MS } from '../timing.ts'
import { TreePlacing, planDown, type WholeInput } from './tree-placing.ts'

test('a branch is up to eight names, and two ways to write one are one', () => {
  assert.equal(branchIn(' PT/Lisbon '), 'pt/lisbon')
  assert.equal(branchIn('pt/Sa\u0303o-Paulo'), 'pt/são-paulo')
  assert.equal(branchIn(''), '')
  assert.equal(branchIn('a/b/c/d/e/f/g/h'), 'a/b/c/d/e/f/g/h')
  for (const wrong of ['/pt', 'pt/', 'pt//lisbon', 'a b', '..', 'a/b/c/d/e/f/g/h/i', 'x\ny']) {
    assert.throws(() => branchIn(wrong), { code: 'MINGA_BAD_BRANCH' }, wrong)
  }
})

test('stations and branches are the direct members of the federation they stand in', () => {
  const tree = treeOf([
    { id: 'a', branch: '' },
    { id: 'b', branch: 'pt' },
    { id: 'c', branch: 'pt/lisbon' },
    { id: 'd', branch: 'pt/lisbon' },
    { id: 'e', branch: 'es/madrid' },
  ])
  assert.deepEqual(tree.members('/'), ['a', '/pt/', '/es/'])
  assert.deepEqual(tree.members('/pt/'), ['b', '/pt/lisbon/'])
  assert.deepEqual(tree.stations('/pt/'), ['b', 'c', 'd'])
})

test('nearest are those of the same branch who can work, farthest those who share the fewest', () => {
  const at = (id: string, branch: string, capacity = 1) => ({ id, branch, capacity })
  const [lima, porto, lisbon, idle] = [
    at('lima', 'pe'),
    at('porto', 'pt/porto'),
    at('lisbon', 'pt/lisbon'),
    at('idle', 'pt/lisbon', 0),
  ]
  const all = [lima, porto, lisbon, idle]
  assert.deepEqual(nearestOf(all, 'pt/lisbon'), [lisbon, idle])
  assert.deepEqual(nearestOf([lima, porto, idle], 'pt/lisbon'), [porto, idle])
  assert.deepEqual(nearestOf([lima, idle], 'pt/lisbon'), [lima, idle])
  assert.deepEqual(nearestOf(all, ''), all)
  assert.deepEqual(farthestOf(all, 'pt/lisbon'), [lima])
  assert.deepEqual(farthestOf([porto, lisbon], 'pt/lisbon'), [porto])
})

test('a keeper is of another branch if there is one, also when one comes later', () => {
  const [a, b, c] = [
    { id: 'a', branch: 'pt' },
    { id: 'b', branch: 'pt' },
    { id: 'c', branch: 'pe' },
  ] as const
  assert.equal(keeperOf({ ...a, keeper: null }, [a, b]), 'b')
  assert.equal(keeperOf({ ...a, keeper: 'b' }, [a, b, c]), 'c')
})

// ── division ──────────────────────────────────────────────────────────────────────────────

const branchOf = fc.constantFrom('', 'pt', 'pt/lisbon', 'pt/porto', 'pe', 'pe/lima/centre')
const crowd = fc.array(fc.record({ branch: branchOf, capacity: fc.nat({ max: 3 }) }), {
  minLength: 1,
  maxLength: 7,
})

function wholeOf(
  stations: readonly { id: string; capacity: number }[],
  { hosts, random }: { hosts: number; random: (below: number) => number },
): WholeInput {
  const names = Array.from({ length: hosts }, (_, i) => `h${i}.test`)
  const links = Array.from({ length: 2 * hosts }, () => [random(hosts), random(hosts)] as const)
  const apart = links.filter(([from, to]) => from !== to)
  const graph: NamedCrawlGraph = {
    names,
    pages: Float64Array.from(names, () => random(4)),
    insideLinks: new Float64Array(hosts),
    tails: Int32Array.from(apart, ([from]) => from),
    heads: Int32Array.from(apart, ([, to]) => to),
    links: new Float64Array(apart.length).fill(1),
  }
  const isIdle = stations.every(({ capacity }) => capacity === 0)
  return {
    graph,
    parts: stations.map(({ id, capacity }) => ({ name: id, capacity: isIdle ? 1 : capacity })),
    groups: Int32Array.from(names, (_, i) => (i % 3 === 0 ? i % 5 : -1)),
    previous: new Map(names.map((name) => [name, stations[random(stations.length)]!.id])),
    mostMovedPages: Infinity,
  }
}

/** Seeded by fast-check. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('Hierarchical split: stations get the whole map exactly, each federation divides only what is its own, machines stay whole', async () => {
  await fc.assert(
    fc.asyncProperty(crowd, fc.nat({ max: 40 }), fc.nat(), async (drawn, hosts, seed) => {
      const stations = drawn.map((one, i) => station(`st_${i}`, one))
      const whole = wholeOf(stations, { hosts, random: randomOf(seed) })
      const tree = treeOf(stations)
      const asked: PlanInput[] = []
      const { partOf } = await planDown(whole, stations, async (input) => {
        asked.push(input)
        return planPlacement({ ...input, preset: 'fast' })
      })
      assert.equal(partOf.length, hosts)
      assert.ok(partOf.every((part) => part >= 0 && part < stations.length))
      const groups = Map.groupBy(partOf.keys(), (host) => whole.groups[host]!)
      groups.delete(-1)
      for (const group of groups.values()) {
        assert.equal(new Set(group.map((host) => partOf[host])).size, 1)
      }
      for (const { graph, parts } of asked) {
        const below = new Set(parts.flatMap(({ name }) => tree.stations(name)))
        const owned = whole.graph.names.filter((_, host) =>
          below.has(whole.parts[partOf[host]!]!.name),
        )
        assert.deepEqual(graph.names, owned)
      }
    }),
    { numRuns: 40, seed: 5 },
  )
})

test('Hierarchical split: without branches there is one plan, of all stations', async () => {
  const stations = [station('st_a'), station('st_b', { capacity: 2 })]
  const whole = { ...wholeOf(stations, { hosts: 30, random: randomOf(1) }), mostMovedPages: 9 }
  const asked: PlanInput[] = []
  const plan = planPlacement(whole)
  const { partOf, imbalance } = await planDown(whole, stations, async (input) => {
    asked.push(input)
    return planPlacement(input)
  })
  assert.deepEqual(asked, [whole])
  assert.deepEqual([partOf, imbalance], [plan.partOf, plan.imbalance])
})

test('Hierarchical split: a newcomer gets its share from its own branch and from the others, little else moves', async () => {
  const before = ['pt', 'pt', 'pe', 'pe'].map((branch, i) => station(`st_${i}`, { branch }))
  const stations = [...before, station('st_new', { branch: 'pt' })]
  const whole = wholeOf(before, { hosts: 200, random: randomOf(3) })
  const even = whole.graph.names.map((name, i) => [name, `st_${i % 4}`] as const)
  const input = {
    ...whole,
    graph: {
      ...whole.graph,
      pages: new Float64Array(200).fill(1),
      tails: NONE,
      heads: NONE,
      links: new Float64Array(0),
    },
    parts: stations.map(({ id, capacity }) => ({ name: id, capacity })),
    groups: new Int32Array(200).fill(-1),
    previous: new Map(even),
    mostMovedPages: 80,
  }
  const { partOf, imbalance } = await planDown(input, stations, async (one) => planPlacement(one))
  const got = partOf.filter((part) => part === 4).length
  assert.ok(got >= 36 && got <= 44, `${got} of 200`)
  assert.ok(imbalance <= 0.11, `${imbalance}`)
  const moved = even.filter(([, was], host) => stations[partOf[host]!]!.id !== was).length
  assert.ok(moved <= 80, `${moved} moved`)
})

const NONE = new Int32Array(0)

// ── claims ────────────────────────────────────────────────────────────────────────────────

const seat = (id: string, branch: string, more: { capacity?: number; load?: number } = {}) => ({
  id,
  branch,
  capacity: 1,
  load: 0,
  ...more,
})

const host = (key: string, more: Partial<Unplaced> = {}): Unplaced => ({
  key,
  weight: 1,
  wantedBy: null,
  links: new Map(),
  near: null,
  ...more,
})

test('links tie a host to a branch first, although one station elsewhere has more of them than any there', () => {
  const seats = [
    seat('a', 'pt', { load: 50 }),
    seat('b', 'pt', { load: 50 }),
    seat('c', 'pe', { load: 50 }),
    seat('d', 'pe', { load: 50 }),
  ]
  const placing = new TreePlacing(seats, 2)
  const links = new Map([
    ['a', 4],
    ['b', 3],
    ['c', 5],
  ])
  assert.equal(placing.place(host('1', { links })), 'a')
  assert.equal(placing.place(host('2', { near: 'd' })), 'd')
})

test('a station with work that cannot move gets the host, also in a branch without a share', () => {
  const seats = [seat('a', 'pt', { capacity: 0 }), seat('b', 'pe', { load: 9 })]
  const placing = new TreePlacing(seats, 3)
  assert.equal(placing.place(host('1', { wantedBy: 'a' })), 'a')
  assert.deepEqual([placing.place(host('2')), placing.place(host('3'))], ['b', 'b'])
})

test('a station gets no more than its share of the whole and a quarter, however deep it stands', () => {
  fc.assert(
    fc.property(crowd, fc.integer({ min: 1, max: 300 }), (drawn, hosts) => {
      const seats = drawn.map(({ branch, capacity }, i) => seat(`s${i}`, branch, { capacity }))
      const placing = new TreePlacing(seats, hosts)
      const counts = new Map<string, number>()
      for (let i = 0; i < hosts; i++) {
        const owner = placing.place(host(`host ${i}`))
        counts.set(owner, (counts.get(owner) ?? 0) + 1)
      }
      const all = seats.reduce((sum, { capacity }) => sum + capacity, 0)
      for (const { id, capacity } of seats) {
        const share = all === 0 ? 1 / seats.length : capacity / all
        const most = Math.ceil(1.25 * share * hosts - 1e-9)
        assert.ok((counts.get(id) ?? 0) <= most, `${counts.get(id)} of ${most}`)
      }
    }),
    { seed: 11 },
  )
})

// ── the registrar ─────────────────────────────────────────────────────────────────────────

/** What a station says of itself. */
function placeOf(id: string, branch: string) {
  const { name, url, ca } = station(id)
  return { name, url, ca, branch }
}

/** The registrar and st_b in pe, st_c and st_d in pt. */
async function grow(registry: TestRegistry): Promise<void> {
  await registry.renew(SELF, 0, { self: placeOf(SELF, 'pe') })
  await registry.join('st_b', { branch: 'pe' })
  await registry.join('st_c', { branch: 'pt' })
  await registry.join('st_d', { branch: 'pt' })
}

const claims = Array.from({ length: 80 }, (_, i) => ({
  host: `h${i}.test`,
  address: `10.0.${i % 40}.1`,
}))

const ownersOf = (rows: readonly MapRow[], hosts: readonly MapRow[]): string[] => {
  const wanted = new Set(hosts.map((row) => row.host))
  const owners = rows.filter((row) => wanted.has(row.host)).map((row) => row.station)
  return [...new Set(owners)].toSorted()
}

for (const engine of ENGINES) {
  describe(engine.name, { skip: engine.skip }, () => {
    test("Representatives, failover: a lost station's hosts stay in its branch while anyone is there, and go to the next one up after that", async (t) => {
      const registry = await openRegistry(engine, t)
      await grow(registry)
      await registry.claim(SELF, claims)
      const lost = (await registry.rows()).filter((row) => row.station === 'st_d')
      assert.ok(lost.length > 0)
      await registry.lose('st_d')
      assert.equal(await registry.reassign('st_d'), lost.length)
      assert.deepEqual(ownersOf(await registry.rows(), lost), ['st_c'])
      await registry.lose('st_c')
      await registry.reassign('st_c')
      const rows = await registry.rows()
      assert.deepEqual(ownersOf(rows, rows), [SELF, 'st_b'])
    })

    test('journals are kept in another branch, and a station that changes its branch is announced to all', async (t) => {
      const registry = await openRegistry(engine, t)
      await grow(registry)
      const { stations } = await registry.store.call('federationFacts', {})
      const branchOfId = new Map(stations.map(({ id, branch }) => [id, branch]))
      assert.deepEqual([...branchOfId.values()], ['pe', 'pe', 'pt', 'pt'])
      for (const { branch, keeper } of stations) assert.notEqual(branchOfId.get(keeper!), branch)
      const told = await registry.renew('st_d', 0, { self: placeOf('st_d', 'br') })
      assert.equal(told.stations.find(({ id }) => id === 'st_d')!.branch, 'br')
    })

    test('hosts that link to a branch come into it', async (t) => {
      const registry = await openRegistry(engine, t)
      await grow(registry)
      const hub = (id: string, n: number) => ({
        host: `hub${n}.test`,
        address: `10.${n}.0.1`,
        by: id,
      })
      const hubs = [SELF, 'st_b', 'st_c', 'st_d'].map(hub)
      for (const { by, ...claim } of hubs) await registry.claim(by, [{ ...claim, wants: true }])
      const links = [
        { host: 'hub1.test', count: 5 },
        { host: 'hub2.test', count: 3 },
        { host: 'hub3.test', count: 4 },
      ]
      const [row] = await registry.claim(SELF, [{ host: 'new.test', address: '10.9.0.1', links }])
      assert.equal(row!.station, 'st_d')
    })
  })
}

// ── whole stations ────────────────────────────────────────────────────────────────────────

async function mapOf({ store }: TestStation): Promise<MapRow[]> {
  return (await store.call('mapSince', { epoch: 0 })).rows
}

test('Hierarchical split: stations that say their branch share what is delegated to it, and take over from one another inside it', async () => {
  const federation = new TestFederation()
  const names = ['Lima', 'Cusco', 'Porto']
  const [lima, cusco, porto] = await federation.found(names)
  for (const peruvian of [lima!, cusco!]) await act(peruvian, 'branch', { branch: 'pe' })
  await act(porto!, 'branch', { branch: 'PT' })
  const seeds = Array.from({ length: 60 }, (_, i) => `http://many${i}.test/`)
  await lima!.collect({ seeds, scope: 'host', delayMs: 0 })
  await federation.pass(5_000)
  const lisbon = await federation.open()
  const { token, url } = await act<{ token: string; url: string }>(lima!, 'invite')
  await act(lisbon, 'join', { name: 'Lisbon', token, url, capacity: 1, branch: 'pt' })
  await federation.pass(120_000)
  const { stations } = await statusOf(porto!)
  assert.deepEqual(stations.map(({ name, branch }) => `${branch}/${name}`).toSorted(), [
    'pe/Cusco',
    'pe/Lima',
    'pt/Lisbon',
    'pt/Porto',
  ])
  const idOf = (wanted: string): string => stations.find(({ name }) => name === wanted)!.id
  const before = await mapOf(lima!)
  const counts = stations.map(({ id }) => before.filter((row) => row.station === id).length)
  assert.equal(before.length, 60)
  assert.ok(Math.min(...counts) >= 11 && Math.max(...counts) <= 19, counts.join(', '))
  await federation.kill(lisbon)
  await federation.pass(LEASE_MS + GRACE_MS + 3_000)
  const lost = before.filter((row) => row.station === idOf('Lisbon'))
  assert.deepEqual(ownersOf(await mapOf(lima!), lost), [idOf('Porto')])
  assertRefused(
    await lima!.post('/federation/branch', { branch: 'pe//lima' }),
    '400 MINGA_BAD_BRANCH',
    /^The name of the branch is invalid: "pe\/\/lima". Write at most 8 names/,
  )
})
