// Goal: plots and tables of placement say what the plan says. Method: plans by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlacementEpoch } from '@minga/protocol'
import { changesBetween, changesOf, partChanges, waysOf } from './epoch-changes.ts'
import { cellsOf, sumsOf } from './exchange-cells.ts'
import { barsOf } from './part-bars.ts'
import { peersOf, treeOf, type Federated, type MemberStation } from './station-tree.ts'

const part = (device: string, pages: number, capacity = 1, hosts = 1) => ({
  device,
  capacity,
  hosts,
  pages,
})

test('a bar knows its share by capacity, and who is above what is allowed', () => {
  const [a, b] = barsOf({ parts: [part('a', 150), part('b', 50)] }, 0.05)
  assert.equal(a!.share, 100)
  assert.equal(a!.above, 0.5)
  assert.deepEqual([a!.isTooFull, b!.isTooFull], [true, false])
  assert.equal(a!.width, 1)
  assert.equal(b!.shareAt, 100 / 150)
  const [small, large] = barsOf({ parts: [part('s', 25, 0.25), part('l', 75, 0.75)] }, 0.05)
  assert.deepEqual([small!.above, large!.above], [0, 0])
})

test('agents without pages or capacity make no bar wider than the plot', () => {
  const bars = barsOf({ parts: [part('a', 0, 0), part('b', 0, 0)] }, 0.05)
  assert.ok(bars.every(({ width, above }) => width === 0 && above === 0))
})

test('links inside and between agents are heated apart', () => {
  const exchange = {
    devices: ['a', 'b'],
    links: [
      [1_000, 4],
      [1, 500],
    ],
  }
  const cells = cellsOf(exchange)
  assert.deepEqual(
    cells.map(({ heat }) => Math.round(heat * 100) / 100),
    [1, 1, 0.5, 0.71],
  )
  assert.deepEqual(sumsOf(exchange), { own: 1_500, between: 5 })
  assert.ok(cellsOf({ devices: [], links: [[0]] }).every(({ heat }) => heat === 0))
})

const FIGURES = { cut: 10, exchangeShare: 0.1, imbalance: 0.02, latencyMs: null }

const epoch = (change: Partial<PlacementEpoch>): PlacementEpoch => ({
  epoch: 1,
  at: 0,
  reason: 'members',
  why: '',
  way: 'refined',
  hosts: 2,
  pages: 2,
  movedPages: 0,
  exchangeShare: 0.1,
  imbalance: 0.02,
  latencyMs: null,
  parts: [],
  story: null,
  ...change,
})

test('a plan is compared with what was before it, as far as that is known', () => {
  const [cut, , , latency] = changesOf({ before: { ...FIGURES, cut: 25 }, after: FIGURES })
  assert.deepEqual([cut!.before, cut!.after, cut!.change], [25, 10, -15])
  assert.equal(latency!.change, null)
  assert.equal(changesOf({ before: null, after: FIGURES })[0]!.change, null)
})

test('two epochs are compared by figures and by agents, also by those who left', () => {
  const one = epoch({ exchangeShare: 0.3, parts: [part('a', 1, 1, 7)] })
  const other = epoch({ epoch: 2, exchangeShare: 0.1, parts: [part('b', 1, 1, 9)] })
  const share = changesBetween(one, other).find(({ figure }) => figure === 'exchangeShare')!
  assert.ok(Math.abs(share.change! + 0.2) < 1e-9)
  assert.deepEqual(partChanges(one, other), [
    { device: 'a', before: 7, after: 0 },
    { device: 'b', before: 0, after: 9 },
  ])
})

test('the ways that were weighed stand in the order of their cost, with the chosen one marked', () => {
  const compared = {
    kept: { runningMs: 50, migrationMs: 0 },
    refined: { runningMs: 10, migrationMs: 20 },
  }
  const story = { compared } as unknown as NonNullable<PlacementEpoch['story']>
  const ways = waysOf(epoch({ story }))
  assert.deepEqual(
    ways.map(({ way, totalMs, isChosen }) => [way, totalMs, isChosen]),
    [
      ['refined', 30, true],
      ['kept', 50, false],
    ],
  )
  assert.deepEqual(waysOf(epoch({})), [])
})

test('stations stand in the branches that they name', () => {
  const station = (id: string, branch: string): MemberStation => ({
    id,
    name: id,
    url: '',
    branch,
    capacity: 1,
    state: 'active',
    keeper: null,
  })
  const stations = [station('root', ''), station('lisbon', 'pt/lisbon'), station('porto', 'pt')]
  const tree = treeOf(stations)
  assert.deepEqual(
    tree.stations.map(({ id }) => id),
    ['root'],
  )
  assert.deepEqual([tree.branches[0]!.name, tree.branches[0]!.branches[0]!.name], ['pt', 'lisbon'])
  const status = {
    id: 'root',
    registrar: 'porto',
    stations,
    peers: [{ station: 'porto', sent: 3, received: 4 }],
    outbox: { lisbon: 2 },
  } as unknown as Federated
  assert.deepEqual(
    peersOf(status).map(({ isSelf, isRegistrar, sent, waiting }) => [
      isSelf,
      isRegistrar,
      sent,
      waiting,
    ]),
    [
      [true, false, 0, 0],
      [false, false, 0, 2],
      [false, true, 3, 0],
    ],
  )
})
