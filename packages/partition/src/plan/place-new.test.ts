// Goal: newcomers come to where their links and distances lead while there is room, the others to where
// their name leads, and few of those move when the fleet changes. Method: maps and newcomers by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeNewHosts, type NewHost } from './place-new.ts'
import { communitiesOf, nameOf, partsNamed } from '../../test/plan/plan-fixture.ts'

const PARTS = partsNamed('a', 'b', 'c', 'd')
const nowhere = (): number => -1

function stranger(host: string, more: Partial<NewHost> = {}): NewHost {
  return { host, pages: 1, links: [], latencyMs: null, ...more }
}

test('a newcomer goes to the part of the hosts it is linked with', () => {
  const placed = placeNewHosts({
    parts: PARTS,
    loads: [100, 100, 100, 100],
    newcomers: [
      stranger('x', {
        links: [
          ['old', 5],
          ['unheard', 50],
        ],
      }),
      stranger('friend-of-x', { links: [['x', 3]] }),
    ],
    partOf: (host) => (host === 'old' ? 2 : -1),
  })
  assert.deepEqual([...placed], [2, 2])
})

test('distance decides in the measure of its weight against links', () => {
  const newcomer = stranger('x', { links: [['old', 1]], latencyMs: [20, 300, 300, 300] })
  const input = {
    parts: PARTS,
    loads: [0, 0, 0, 0],
    newcomers: [newcomer],
    partOf: (host: string): number => (host === 'old' ? 2 : -1),
  }
  // 280 ms saved against one link: at 100 ms it is worth the exchange, at 1,000 ms it is not.
  assert.deepEqual([...placeNewHosts(input)], [0])
  assert.deepEqual([...placeNewHosts({ ...input, weights: { exchangeMs: 1_000 } })], [2])
  assert.deepEqual([...placeNewHosts({ ...input, weights: { exchangeMs: 0 } })], [0])
})

test('no part is overrun, whatever the links say', () => {
  const newcomers = Array.from({ length: 100 }, (_, i) =>
    stranger(`n${i}`, { pages: 10, links: [['old', 9]] }),
  )
  const placed = placeNewHosts({
    parts: PARTS,
    loads: [0, 0, 0, 0],
    newcomers,
    partOf: (host) => (host === 'old' ? 1 : -1),
  })
  const counts = PARTS.map((_, part) => placed.filter((one) => one === part).length)
  assert.ok(Math.max(...counts) <= 32, counts.join(', '))
  assert.equal(counts[1], Math.max(...counts), 'as many friends as there is room for')
})

test('hosts nothing is known of are shared out by capacity, and a new part takes only its share', () => {
  const newcomers = Array.from({ length: 3_000 }, (_, i) => stranger(nameOf(i)))
  const before = placeNewHosts({
    parts: [...PARTS.slice(0, 3), { name: 'd', capacity: 3 }],
    loads: [0, 0, 0, 0],
    newcomers,
    partOf: nowhere,
  })
  const onD = before.filter((part) => part === 3).length
  assert.ok(Math.abs(onD - 1_500) < 120, `${onD}`)
  const after = placeNewHosts({
    parts: [...PARTS.slice(0, 3), { name: 'd', capacity: 3 }, { name: 'e', capacity: 1 }],
    loads: [0, 0, 0, 0, 0],
    newcomers,
    partOf: nowhere,
  })
  const moved = before.filter((part, i) => part !== after[i]).length
  const ideal = 3_000 / 7
  assert.ok(moved < 1.3 * ideal && moved > 0.7 * ideal, `${moved} moved, ${ideal} would be ideal`)
})

test('full and absent parts get no strangers', () => {
  const parts = [...PARTS.slice(0, 3), { name: 'gone', capacity: 0 }]
  const newcomers = Array.from({ length: 30 }, (_, i) => stranger(nameOf(i)))
  const placed = placeNewHosts({ parts, loads: [900, 0, 0, 0], newcomers, partOf: nowhere })
  assert.deepEqual(new Set(placed), new Set([1, 2]))
  assert.equal(
    placeNewHosts({ parts, loads: [0, 0, 0, 0], newcomers: [], partOf: nowhere }).length,
    0,
  )
})

test('a stream of newcomers in batches cuts far fewer links than their names would', () => {
  const graph = communitiesOf(1_000, 20)
  const links: [string, number][][] = graph.names.map(() => [])
  for (const [i, tail] of graph.tails.entries()) {
    const head = graph.heads[i]!
    links[tail]!.push([graph.names[head]!, graph.links[i]!])
    links[head]!.push([graph.names[tail]!, graph.links[i]!])
  }
  const map = new Map<string, number>()
  const loads = [0, 0, 0, 0]
  for (let at = 0; at < 1_000; at += 100) {
    const newcomers = graph.names.slice(at, at + 100).map((host, i) => ({
      ...stranger(host, { pages: 10 }),
      links: links[at + i]!,
    }))
    const placed = placeNewHosts({
      parts: PARTS,
      loads,
      newcomers,
      partOf: (h) => map.get(h) ?? -1,
    })
    for (const [i, part] of placed.entries()) {
      map.set(newcomers[i]!.host, part)
      loads[part]! += 10
    }
  }
  let cut = 0
  for (const [i, tail] of graph.tails.entries()) {
    const isCut = map.get(graph.names[tail]!) !== map.get(graph.names[graph.heads[i]!]!)
    if (isCut) cut += graph.links[i]!
  }
  const share = cut / graph.links.reduce((sum, count) => sum + count)
  assert.ok(share < 0.5, `${share} of the links are cut; names would cut three quarters`)
  assert.ok(Math.max(...loads) <= 1.3 * 2_500, loads.join(', '))
})
