// Goal: several objectives are weighted as requested, and the flat multi-objective method does what
// is documented. Method: graphs where each objective alone has a known answer, scaled and swept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gridOf, ringOfCliques } from '../../test/graph-fixture.ts'
import { partition } from '../partition.ts'
import { Random } from '../random.ts'
import { paretoSweep } from './pareto.ts'
import { thesisPartition } from './thesis.ts'

/** Each vertex is cheapest in a part that has nothing to do with its clique. */
function scattered(vertices: number, k: number): Float64Array {
  const random = new Random(7)
  const costs = new Float64Array(vertices * k).fill(10)
  for (let v = 0; v < vertices; v++) costs[v * k + random.below(k)] = 1
  return costs
}

test('Multi-objective combine: scaling an objective leaves result unchanged', () => {
  const graph = ringOfCliques(12, 8)
  const costs = scattered(96, 4)
  const scaled = costs.map((cost) => 1_024 * cost)
  const one = thesisPartition(graph, { k: 4, costs })
  assert.deepEqual(thesisPartition(graph, { k: 4, costs: scaled }).parts, one.parts)
  const plain = partition(graph, { k: 4, costs })
  assert.notDeepEqual(partition(graph, { k: 4, costs: scaled }).parts, plain.parts)
})

test('Multi-objective combine: Pareto sweep over `p` trades one objective for the other', () => {
  const graph = ringOfCliques(12, 8)
  const objectives = [
    { name: 'links', links: graph },
    { name: 'latency', costs: scattered(96, 4) },
  ]
  const factors = [
    [1, 0],
    [1, 0.01],
    [1, 1],
    [0.01, 1],
    [0, 1],
  ]
  const points = paretoSweep(graph, objectives, factors, { k: 4 })
  const [links, latency] = [
    points.map(({ values }) => values[0]!),
    points.map(({ values }) => values[1]!),
  ]
  assert.equal(links[0], 4)
  assert.ok(links[4]! > 4 && latency[4]! < latency[0]!)
  assert.deepEqual(
    links,
    links.toSorted((a, b) => a - b),
  )
  assert.ok(points.every(({ balanced }) => balanced))
  const efficient = points.filter((point) => point.efficient)
  for (const point of points.filter((candidate) => !candidate.efficient)) {
    assert.ok(efficient.some(({ values }) => values.every((value, i) => value <= point.values[i]!)))
  }
  assert.ok(efficient.length >= 2)
})

test('the flat method is balanced, keeps robots fixed and improves on dealing out', () => {
  const graph = gridOf(20, 20)
  const fixed = Int32Array.from({ length: 400 }, (_, v) => (v < 4 ? v : -1))
  const found = thesisPartition(graph, { k: 4, fixed })
  assert.equal(found.balanced, true)
  assert.deepEqual(Array.from(found.parts.slice(0, 4)), [0, 1, 2, 3])
  assert.ok(found.cut < 570, `${found.cut} of 760 links`)
  assert.ok(partition(graph, { k: 4, fixed }).cut < found.cut)
})

test('links between other vertices and costs of another size are refused', () => {
  const graph = gridOf(3, 3)
  const sweep = (objective: object) => (): unknown =>
    paretoSweep(graph, [{ name: 'odd', ...objective }], [[1]], { k: 2 })
  assert.throws(sweep({ links: gridOf(2, 2) }), { code: 'MINGA_BAD_PARTITION_INPUT' })
  assert.throws(sweep({ costs: [1, 2] }), { code: 'MINGA_BAD_PARTITION_INPUT' })
})
