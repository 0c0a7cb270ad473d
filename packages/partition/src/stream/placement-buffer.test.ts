// Goal: waiting costs no host its place and makes places better. Method: every arrival is followed
// through drawn buffers; the cut of a crawled web is compared with and without waiting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { drawnGraph, graphOf } from '../../test/graph-fixture.ts'
import { cutOf } from '../graph/graph.ts'
import { PlacementBuffer } from './placement-buffer.ts'
import { arrivalOf, crawlOrder, partsOf, plantedWeb } from '../../test/stream/stream-fixture.ts'
import { StreamPlacer, type Arrival } from './stream-placer.ts'

const RUNS = { numRuns: 120, seed: 20_260_105 }

function host(number: number, neighbours: number[] = []): Arrival {
  return { host: number, weight: 1, neighbours, linkWeights: null, costs: null }
}

test('Unknown-URL fallback: in hold mode every host that waits is placed once, and all of them drain', () => {
  const sizes = fc.record({
    capacity: fc.integer({ min: 1, max: 20 }),
    batch: fc.integer({ min: 1, max: 25 }),
    rounds: fc.integer({ min: 0, max: 3 }),
  })
  fc.assert(
    fc.property(drawnGraph(50), sizes, ({ vertices, edges, k }, size) => {
      const graph = graphOf(vertices, edges)
      const placer = new StreamPlacer({ k })
      const buffer = new PlacementBuffer(placer, size)
      const seen = new Set<number>()
      const note = (placed: { host: number; part: number }[]): void => {
        for (const { host: number, part } of placed) {
          assert.ok(!seen.has(number) && part >= 0 && part < k)
          seen.add(number)
          assert.equal(placer.partOf(number), part)
        }
      }
      for (let v = 0; v < vertices; v++) {
        note(buffer.add(arrivalOf(graph, v)))
        assert.ok(buffer.held <= size.capacity)
        assert.equal(seen.size + buffer.held, v + 1)
      }
      note(buffer.drain())
      assert.deepEqual([seen.size, buffer.held], [vertices, 0])
      assert.ok(placer.loads.every((load) => load <= 1.03 * Math.ceil(vertices / k)))
    }),
    RUNS,
  )
})

test('the host with the most links to placed ones leaves first', () => {
  const placer = new StreamPlacer({ k: 2, expectedWeight: 20 })
  for (const number of [0, 1, 2]) placer.adopt(number, 0, 1)
  const buffer = new PlacementBuffer(placer, { capacity: 3, batch: 1 })
  const left = [host(10), host(11, [0]), host(12, [0, 1, 2]), host(13, [0, 1]), host(14)]
    .flatMap((arrival) => buffer.add(arrival))
    .map((placed) => placed.host)
  assert.deepEqual(left, [12, 13])
  assert.equal(buffer.drain()[0]!.host, 11)
})

test('a host that waits hears of links from those that come after it', () => {
  const placer = new StreamPlacer({ k: 2, expectedWeight: 40 })
  for (const number of [0, 1, 2]) placer.adopt(number, 1, 1)
  const buffer = new PlacementBuffer(placer, { capacity: 4, batch: 4 })
  buffer.add(host(10))
  buffer.add(host(11, [0, 1, 2, 10]))
  assert.deepEqual(
    buffer.drain().map(({ host: number, part }) => [number, part]),
    [
      [11, 1],
      [10, 1],
    ],
  )
})

test('waiting cuts fewer links than placing at once, and looking at a batch again fewer still', () => {
  const hosts = 3_000
  const graph = plantedWeb({ hosts, communities: 50, links: 8, inside: 85, seed: 11 })
  const options = { k: 8, expectedWeight: hosts }
  const atOnce = new StreamPlacer(options)
  for (const v of crawlOrder(graph)) atOnce.place(arrivalOf(graph, v))
  const waited = (rounds: number): number => {
    const placer = new StreamPlacer(options)
    const buffer = new PlacementBuffer(placer, { capacity: 512, rounds })
    for (const v of crawlOrder(graph)) buffer.add(arrivalOf(graph, v))
    buffer.drain()
    return cutOf(graph, partsOf(placer, hosts))
  }
  const cut = cutOf(graph, partsOf(atOnce, hosts))
  assert.ok(waited(0) < 0.8 * cut, `${waited(0)} against ${cut}`)
  assert.ok(waited(3) < 0.9 * waited(0), `${waited(3)} against ${waited(0)}`)
})

test('a host that comes twice, and invalid sizes, are refused', () => {
  const refused = { code: 'MINGA_BAD_PARTITION_INPUT' }
  const placer = new StreamPlacer({ k: 2 })
  for (const bad of [{ capacity: 0 }, { batch: 0 }, { rounds: -1 }, { capacity: 1.5 }]) {
    assert.throws(() => new PlacementBuffer(placer, bad), refused)
  }
  const buffer = new PlacementBuffer(placer)
  buffer.add(host(1))
  assert.throws(() => buffer.add(host(1)), refused)
  buffer.drain()
  assert.throws(() => buffer.add(host(1)), refused)
})
