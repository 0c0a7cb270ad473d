// Goal: stations that know little of each other act as one: joins reach every station, every URL
// reaches its owner, also when representatives are dead and tables of different age meet. Method:
// messages carried in rounds between pure stations, a worked example of 27 stations, and random
// trees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { graphOf, ringOfCliques } from '../../test/graph-fixture.ts'
import type { Graph } from '../graph/graph.ts'
import { partition } from '../partition.ts'
import { Random } from '../random.ts'
import { blockText } from './block.ts'
import { BadStationTree } from './errors.ts'
import { filterOf } from './filter-rules.ts'
import type { UrlFacts } from './filter.ts'
import {
  loneStation,
  foundFederation,
  joinFederation,
  receiveNotice,
  type Letter,
  type Newcomer,
  type Outcome,
} from './join.ts'
import { knowledgeOf, knownEntities, type Knowledge } from './knowledge.ts'
import { journeyOf, nextHop, tablesOfTree, type Journey, type Seat } from './next-hop.ts'
import { RoutingTable } from './routing-table.ts'
import {
  merged,
  routesTo,
  sirRepresentatives,
  sirTree,
  type Merged,
} from '../../test/routing/sir-fixture.ts'
import { splitSpace } from './split-space.ts'
import { chooseRepresentatives, StationTree, type Entity } from './station-tree.ts'

/** Every federation has `fanOut` members, stations are `levels` below the root. */
function regular(fanOut: number, levels: number, id = 'r'): Entity {
  if (levels === 0) return { id }
  const members = Array.from({ length: fanOut }, (_, i) =>
    regular(fanOut, levels - 1, `${id}.${i}`),
  )
  return { id, members }
}

const evenly = { responseMs: 10, load: 0 }
type IsUp = (station: string) => boolean
const up: IsUp = () => true

/** Stations that carry each other's letters, all letters of a round at once. */
class Village {
  readonly known = new Map<string, Knowledge>()
  letters = 0

  /** The number of rounds until no station has a message left. */
  carry(outcome: Outcome, isUp: (station: string) => boolean = up): number {
    this.known.set(outcome.knowledge.id, outcome.knowledge)
    let pending: Letter[] = [...outcome.letters]
    let rounds = 0
    for (; pending.length > 0; rounds++) {
      this.letters += pending.length
      pending = pending.flatMap(({ to, notice }) => {
        const station = to.find(isUp)
        if (station === undefined) return []
        const heard = receiveNotice(this.known.get(station)!, notice)
        this.known.set(station, heard.knowledge)
        return heard.letters
      })
    }
    return rounds
  }

  /** Members join one after the other, each through some station that is already inside. */
  build({ id, members = [] }: Entity, random: Random, rounds: number[]): string[] {
    if (members.length === 0) {
      this.known.set(id, loneStation(id))
      return [id]
    }
    const inside: string[] = []
    for (const member of members) {
      const stations = this.build(member, random, rounds)
      const contact = inside[random.below(inside.length)]
      const isStation = stations.length === 1 && stations[0] === member.id
      const newcomer = { id: member.id, representatives: isStation ? stations : [stations[0]!] }
      const outcome =
        contact === undefined
          ? foundFederation(this.known.get(stations[0]!)!, id)
          : joinFederation(this.known.get(contact)!, id, newcomer)
      rounds.push(this.carry(outcome))
      inside.push(...stations)
    }
    return inside
  }
}

const regularTree = fc
  .record({ fanOut: fc.integer({ min: 2, max: 4 }), levels: fc.integer({ min: 1, max: 3 }) })
  .map((shape) => ({ ...shape, tree: new StationTree(regular(shape.fanOut, shape.levels)) }))

test('Entity tree, join/propagate: each station knows exactly l(c−1)+1 entities', () => {
  fc.assert(
    fc.property(regularTree, ({ tree, fanOut, levels }) => {
      const representatives = chooseRepresentatives(tree, () => evenly)
      assert.equal(tree.stations().length, fanOut ** levels)
      for (const station of tree.stations()) {
        const known = knownEntities(knowledgeOf(tree, station, representatives))
        assert.equal(known.length, levels * (fanOut - 1) + 1)
        assert.equal(new Set(known).size, known.length)
      }
    }),
    { seed: 71 },
  )
})

test('Entity tree, join/propagate: a tree that grew by joins is known as if it had been drawn, after ≤ l rounds each', () => {
  fc.assert(
    fc.property(regularTree, fc.nat(), ({ tree, fanOut, levels }, seed) => {
      const village = new Village()
      const rounds: number[] = []
      village.build(regular(fanOut, levels), new Random(seed), rounds)
      assert.ok(Math.max(...rounds) <= levels)
      for (const station of tree.stations()) {
        const { ascendants, representatives } = village.known.get(station)!
        const drawn = knowledgeOf(tree, station, new Map())
        assert.deepEqual(ascendants, drawn.ascendants)
        assert.deepEqual(
          [...representatives.keys()].toSorted(),
          [...drawn.representatives.keys()].toSorted(),
        )
      }
    }),
    { seed: 72, numRuns: 60 },
  )
})

const grown = (entity: Entity): Village => {
  const village = new Village()
  village.build(entity, new Random(3), [])
  village.letters = 0
  return village
}
const newStation: Newcomer = { id: 'new', representatives: ['new'] }

test('Entity tree, join/propagate: a join costs one letter per station', () => {
  const village = grown(regular(3, 3))
  village.known.set('new', loneStation('new'))
  const rounds = village.carry(joinFederation(village.known.get('r.1.1.1')!, 'r', newStation))
  assert.equal(rounds, 3)
  assert.equal(village.letters, 27)
  for (const { ascendants } of village.known.values()) {
    assert.deepEqual(ascendants.at(-1)!.members, ['r.0', 'r.1', 'r.2', 'new'])
  }
})

test('Entity tree, join/propagate: repeating a join repairs lost messages and announces other representatives', () => {
  const village = grown(regular(3, 2))
  const contact = (): Knowledge => village.known.get('r.1.1')!
  village.known.set('new', loneStation('new'))
  village.carry(joinFederation(contact(), 'r', newStation), (station) => !station.startsWith('r.2'))
  assert.ok(!knownEntities(village.known.get('r.2.2')!).includes('new'))
  village.carry(joinFederation(contact(), 'r', newStation))
  for (const knowledge of village.known.values()) {
    assert.deepEqual(knowledge.ascendants.at(-1)!.members, ['r.0', 'r.1', 'r.2', 'new'])
  }
  const representatives = ['r.0.2', 'r.0.1']
  village.carry(joinFederation(contact(), 'r', { id: 'r.0', representatives }))
  for (const knowledge of village.known.values()) {
    assert.deepEqual(knowledge.representatives.get('r.0'), representatives)
  }
})

test('Entity tree, join/propagate: what cannot be a tree is refused', () => {
  const twice = { id: 'r', members: [{ id: 'a' }, { id: 'a' }] }
  for (const bad of [twice, { id: 'r', members: [] }, { id: '' }]) {
    assert.throws(() => new StationTree(bad), BadStationTree)
  }
  const tree = new StationTree(regular(2, 1))
  assert.throws(() => tree.members('nobody'), BadStationTree)
  const { knowledge } = foundFederation(loneStation('a'), 'f')
  assert.throws(() => joinFederation(knowledge, 'g', newStation), /a is not in g/)
  assert.throws(
    () => joinFederation(knowledge, 'f', { id: 'f', representatives: ['b'] }),
    BadStationTree,
  )
  assert.throws(() => foundFederation(knowledge, 'a'), BadStationTree)
})

test('Entity tree, join/propagate: station 1 of the worked example knows what its table says', () => {
  const { ascendants, representatives } = knowledgeOf(sirTree(), 'SIR 1', sirRepresentatives)
  assert.deepEqual(ascendants, [
    { id: 'A', members: ['SIR 1', 'SIR 2', 'SIR 3'] },
    { id: 'J', members: ['A', 'B', 'C'] },
    { id: 'M', members: ['J', 'K', 'L'] },
  ])
  const others = ['B', 'C', 'K', 'L'].map((id) => representatives.get(id))
  assert.deepEqual(others, [['SIR 4'], ['SIR 7'], ['SIR 14'], ['SIR 26']])
})

/** Blocks in equal shares in their order, where the worked example does not name an owner. */
function shareOut(members: readonly string[], blocks: readonly string[]): [string, string[]][] {
  const size = Math.ceil(blocks.length / members.length)
  return members.map((member, i) => [member, blocks.slice(i * size, (i + 1) * size)])
}

function sirTable(tree: StationTree): RoutingTable {
  const printed = ['SIR 19', 'SIR 20', 'SIR 21'] as const
  const rest = (['J', 'K', 'H', 'I'] as const satisfies Merged[]).flatMap((id) =>
    shareOut(tree.stations(id), merged(id)),
  )
  return new RoutingTable([
    ...printed.flatMap((station) => routesTo(station, merged(station))),
    ...rest.flatMap(([station, blocks]) => routesTo(station, blocks)),
  ])
}

interface World {
  tree: StationTree
  table: RoutingTable
  seats: Map<string, Seat>
}

function worldOf(
  tree: StationTree,
  table: RoutingTable,
  representatives = sirRepresentatives,
): World {
  const tables = tablesOfTree(tree, table)
  const seats = tree.stations().map((id): [string, Seat] => {
    const knowledge = knowledgeOf(tree, id, representatives)
    return [id, { knowledge, tables, filters: [], fallback: () => null }]
  })
  return { tree, table, seats: new Map(seats) }
}

const at = (address: string): UrlFacts => ({ host: 'www.ipb.pt', addresses: [address] })
const journey = ({ seats }: World, start: string, facts: UrlFacts, isUp = up): Journey =>
  journeyOf(seats, facts, { start, isUp })

test('Hop routing: the URL of the worked example goes from SIR 1 over SIR 26 to SIR 20', () => {
  const tree = sirTree()
  const world = worldOf(tree, sirTable(tree))
  const found195 = journey(world, 'SIR 1', at('193.136.195.224'))
  assert.deepEqual(found195, { path: ['SIR 1', 'SIR 26', 'SIR 20'], end: 'here' })
  // The address as it was printed is in a block of K.
  const printed = journey(world, 'SIR 1', at('193.136.95.224'))
  assert.equal(printed.path[1], 'SIR 14')
  assert.ok(tree.ascendants(printed.path.at(-1)!).includes('K'))
})

test('Hop routing: the tables of M, L and G are the printed ones', () => {
  const tree = sirTree()
  const tables = tablesOfTree(tree, sirTable(tree))
  const blocks = (federation: string, member: string): string[] =>
    tables
      .get(federation)!
      .routes.filter(({ owner }) => owner === member)
      .map(({ block }) => blockText(block))
  for (const id of ['J', 'K', 'L'] as const) assert.deepEqual(blocks('M', id), merged(id))
  for (const id of ['G', 'H', 'I'] as const) assert.deepEqual(blocks('L', id), merged(id))
  for (const id of ['SIR 19', 'SIR 20', 'SIR 21'] as const) {
    assert.deepEqual(blocks('G', id), merged(id))
  }
})

test('Hop routing: from everywhere to everywhere in at most log_c n hops, without a loop', () => {
  const tree = sirTree()
  const world = worldOf(tree, sirTable(tree))
  const addresses = Array.from({ length: 256 }, (_, i) => `193.136.${i}.1`)
  for (const start of tree.stations()) {
    for (const address of addresses) {
      const owner = world.table.ownerOfAddress(address)
      const { path, end } = journey(world, start, at(address))
      assert.equal(end, owner === null ? 'held' : 'here')
      if (owner !== null) assert.equal(path.at(-1), owner)
      assert.ok(path.length - 1 <= 3)
      assert.equal(new Set(path).size, path.length)
    }
  }
})

test('Hop routing: tables of different age at every station cause no loop and no more hops', () => {
  fc.assert(
    fc.property(regularTree, fc.nat(), ({ tree, levels }, seed) => {
      const random = new Random(seed)
      const stations = tree.stations()
      const aged = (): RoutingTable => {
        const owner = (): string => stations[random.below(stations.length)]!
        return new RoutingTable(routesTo(owner(), ['10.0.0.0/8']))
      }
      const seats = new Map<string, Seat>()
      const representatives = chooseRepresentatives(tree, () => evenly)
      for (const id of stations) {
        const seat = worldOf(tree, aged(), representatives).seats.get(id)!
        seats.set(id, { ...seat, fallback: (_, { members }) => members[seed % members.length]! })
      }
      for (const start of stations) {
        const { path, end } = journeyOf(seats, at('10.1.2.3'), { start, isUp: up })
        assert.equal(end, 'here')
        assert.ok(path.length - 1 <= levels)
        assert.equal(new Set(path).size, path.length)
      }
    }),
    { seed: 73, numRuns: 40 },
  )
})

test('Hop routing: what no table knows is held, or goes to one owner wherever it was found', () => {
  const tree = sirTree()
  const world = worldOf(tree, sirTable(tree))
  const unknown: UrlFacts = { host: 'new.example', addresses: ['10.0.0.1'] }
  assert.deepEqual(journey(world, 'SIR 5', unknown), { path: ['SIR 5'], end: 'held' })
  for (const [id, seat] of world.seats) {
    const fallback = (host: string, { members }: { members: readonly string[] }): string =>
      members[host.length % members.length]!
    world.seats.set(id, { ...seat, fallback })
  }
  const ends = tree.stations().map((start) => journey(world, start, unknown))
  assert.deepEqual(new Set(ends.map(({ end }) => end)), new Set(['here']))
  assert.equal(new Set(ends.map(({ path }) => path.at(-1))).size, 1)
})

test('Hop routing: a URL for a stranger, or for one who is no member, is not passed on', () => {
  const tree = sirTree()
  const { seats } = worldOf(tree, sirTable(tree))
  const seat = seats.get('SIR 1')!
  assert.deepEqual(nextHop(seat, at('193.136.195.224'), 'L'), { kind: 'stray' })
  assert.deepEqual(nextHop(seat, at('193.136.195.224'), 'SIR 1'), { kind: 'here' })
  const tables = new Map([['M', new RoutingTable(routesTo('Z', ['193.136.0.0/16']))]])
  assert.deepEqual(nextHop({ ...seat, tables }, at('193.136.1.1')), { kind: 'stray' })
})

test('Representatives, failover: with one dead per federation every URL is still delivered', () => {
  const tree = sirTree()
  const representatives = chooseRepresentatives(tree, () => evenly)
  const world = worldOf(tree, sirTable(tree), representatives)
  const dead = representatives.get('L')![0]!
  const owner = world.table.ownerOfAddress('193.136.195.224')!
  assert.notEqual(dead, owner)
  const isUp = (station: string): boolean => station !== dead
  for (const start of tree.stations().filter(isUp)) {
    const { path, end } = journey(world, start, at('193.136.195.224'), isUp)
    assert.equal(end, 'here')
    assert.equal(path.at(-1), owner)
    assert.ok(!path.includes(dead))
  }
  const before = journey(world, 'SIR 1', at('193.136.195.224'))
  assert.ok(before.path.includes(dead))
})

test('Representatives, failover: any one dead station stops only the URLs it owns', () => {
  const tree = sirTree()
  const representatives = chooseRepresentatives(tree, () => evenly)
  const world = worldOf(tree, sirTable(tree), representatives)
  const addresses = Array.from({ length: 64 }, (_, i) => `193.136.${4 * i}.1`)
  for (const dead of tree.stations()) {
    const isUp = (station: string): boolean => station !== dead
    const start = dead === 'SIR 1' ? 'SIR 2' : 'SIR 1'
    for (const address of addresses) {
      const owner = world.table.ownerOfAddress(address)
      if (owner === null) continue
      const { path, end } = journey(world, start, at(address), isUp)
      assert.equal(end, owner === dead ? 'unreachable' : 'here')
      if (owner !== dead) assert.equal(path.at(-1), owner)
    }
  }
})

test('Representatives, failover: a join reaches everyone although first representatives are dead', () => {
  const tree = new StationTree(regular(3, 2))
  const representatives = chooseRepresentatives(tree, () => evenly)
  const village = new Village()
  for (const id of tree.stations()) village.known.set(id, knowledgeOf(tree, id, representatives))
  village.known.set('new', loneStation('new'))
  const dead = new Set(['r.0', 'r.2'].map((id) => representatives.get(id)![0]!))
  const isUp = (station: string): boolean => !dead.has(station)
  village.carry(joinFederation(village.known.get('r.1.0')!, 'r', newStation), isUp)
  for (const [id, knowledge] of village.known) {
    if (isUp(id)) assert.ok(knownEntities(knowledge).includes('new'), id)
  }
})

test('Representatives, failover: the best answering stations are chosen, 1 + ⌊log₂ n⌋ of n', () => {
  const tree = new StationTree(regular(3, 2))
  const stations = tree.stations()
  const chosen = chooseRepresentatives(tree, (id) => ({
    responseMs: 100 - stations.indexOf(id),
    load: id === 'r.2.2' ? 0.9 : 0.1,
  }))
  assert.deepEqual(chosen.get('r'), ['r.2.1', 'r.2.0', 'r.1.2', 'r.1.1'])
  assert.deepEqual(chosen.get('r.2'), ['r.2.1', 'r.2.0'])
})

test('Admin filters override: a filtered URL is never enqueued nor passed on, whichever station owns it', () => {
  const tree = sirTree()
  const world = worldOf(tree, sirTable(tree))
  const filter = filterOf({ otherwise: 'allow', rules: [{ effect: 'deny', domains: ['ipb.pt'] }] })
  for (const id of tree.stations('L')) {
    world.seats.set(id, { ...world.seats.get(id)!, filters: [filter] })
  }
  const refused = journey(world, 'SIR 1', at('193.136.195.224'))
  assert.deepEqual(refused, { path: ['SIR 1', 'SIR 26'], end: 'unwanted' })
  for (const start of tree.stations('L')) {
    const { path, end } = journey(world, start, at('193.136.195.224'))
    assert.deepEqual({ path, end }, { path: [start], end: 'unwanted' })
  }
  const other = { host: 'www.other.pt', addresses: ['193.136.195.224'] }
  assert.equal(journey(world, 'SIR 1', other).end, 'here')
})

const drawnTree = fc.letrec<{ entity: Entity; station: Entity; federation: Entity }>((tie) => ({
  entity: fc.oneof({ maxDepth: 3 }, tie('station'), tie('federation')),
  station: fc.constant({ id: '' }),
  federation: fc
    .array(tie('entity'), { minLength: 1, maxLength: 4 })
    .map((members) => ({ id: '', members })),
})).federation

function named({ members }: Entity, id = 'r'): Entity {
  return members === undefined
    ? { id }
    : { id, members: members.map((m, i) => named(m, `${id}.${i}`)) }
}

test('Hierarchical split: leaves partition the root space exactly, and each split sees only what was delegated', async () => {
  await fc.assert(
    fc.asyncProperty(drawnTree, fc.nat({ max: 200 }), fc.nat(), async (drawn, hosts, seed) => {
      const tree = new StationTree(named(drawn))
      const random = new Random(seed)
      const seen = new Map<string, Int32Array>()
      const space = Int32Array.from({ length: hosts }, (_, i) => 7 * i)
      const spaces = await splitSpace(tree, space, ({ federation, members, space: part }) => {
        assert.deepEqual(members, tree.members(federation))
        seen.set(federation, part)
        return part.map(() => random.below(members.length))
      })
      const leaves = tree.stations().flatMap((id) => [...spaces.get(id)!])
      assert.deepEqual(
        leaves.toSorted((a, b) => a - b),
        [...space],
      )
      for (const [federation, part] of seen) {
        const below = tree.stations(federation).flatMap((id) => [...spaces.get(id)!])
        assert.deepEqual(
          below.toSorted((a, b) => a - b),
          [...part],
        )
      }
    }),
    { seed: 74 },
  )
})

/** What a federation sees of the graph: its own hosts, and the links among them. */
function inducedBy(graph: Graph, space: Int32Array): Graph {
  const places = new Map(Array.from(space, (v, i) => [v, i]))
  const edges = Array.from(space).flatMap((v, i) =>
    Array.from(graph.heads.subarray(graph.starts[v], graph.starts[v + 1]))
      .filter((head) => head > v && places.has(head))
      .map((head) => [i, places.get(head)!]),
  )
  return graphOf(space.length, edges)
}

test('Hierarchical split: the partitioner divides each level, and neighbours stay together', async () => {
  const graph = ringOfCliques(9, 6)
  const tree = new StationTree(regular(3, 2))
  const space = Int32Array.from({ length: graph.vertices }, (_, v) => v)
  const spaces = await splitSpace(tree, space, ({ members, space: part }) => {
    return partition(inducedBy(graph, part), { k: members.length }).parts
  })
  for (const station of tree.stations()) {
    const cliques = new Set(Array.from(spaces.get(station)!, (v) => Math.floor(v / 6)))
    assert.equal(spaces.get(station)!.length, 6)
    assert.equal(cliques.size, 1)
  }
})

test('Hierarchical split: a split that loses or misplaces a host is refused', async () => {
  const tree = new StationTree(regular(2, 1))
  const space = Int32Array.of(4, 5)
  await assert.rejects(
    splitSpace(tree, space, () => [0]),
    BadStationTree,
  )
  await assert.rejects(
    splitSpace(tree, space, () => [0, 2]),
    BadStationTree,
  )
  await assert.rejects(
    splitSpace(tree, space, () => [0, -1]),
    BadStationTree,
  )
})
