// Goal: a plan is drawn from its inputs to its results, nothing on top of anything, with few crossings. Method: plans as
// plain data, some of them random with a fixed seed; the drawing is judged by its coordinates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueryStageView } from '@minga/protocol'
import { crossings, curveOf, layOutPlan, NODE, type PlacedPlan } from './plan-layout.ts'

function stage(id: string, after: string[], more: Partial<QueryStageView> = {}): QueryStageView {
  const reads = after.map((from) =>
    from.startsWith('*')
      ? { stage: from.slice(1), part: 'partition' as const }
      : { stage: from, part: 'whole' as const },
  )
  return { id, about: id, tasks: 2, inputs: [], after: reads, program: [], outputs: [], ...more }
}

const books = { name: 'books', bytes: 10, columns: ['title'] }

const at = ({ nodes }: PlacedPlan, id: string) => nodes.find(({ node }) => node.id === id)!

test('every stage stands to the right of what it waits for, inputs first and results last', () => {
  const plan = layOutPlan({
    stages: [
      stage('scan', [], { inputs: [books] }),
      stage('count', ['*scan']),
      stage('sort', ['count', 'scan'], { tasks: 1 }),
    ],
    results: [{ query: 'q', columns: ['title'], stage: 'sort' }],
  })
  const layers = ['input books', 'stage scan', 'stage count', 'stage sort', 'result q']
  assert.deepEqual(
    layers.map((id) => at(plan, id).layer),
    [0, 1, 2, 3, 4],
  )
  assert.deepEqual(
    plan.edges.map(({ from, to, kind }) => `${from} → ${to} ${kind}`),
    [
      'input books → stage scan read',
      'stage scan → stage count shuffle',
      'stage count → stage sort gather',
      'stage scan → stage sort gather',
      'stage sort → result q result',
    ],
  )
  // The long edge runs through a lane next to the stage between.
  assert.equal(plan.edges[3]!.points.length, 4)
})

test('several outputs of one stage are one line, and each task reading all of them is a broadcast', () => {
  const { edges } = layOutPlan({
    stages: [stage('a', []), stage('b', ['a', 'a', '*a'])],
    results: [],
  })
  assert.deepEqual(
    edges.map(({ kind }) => kind),
    ['broadcast', 'shuffle'],
  )
})

test('two paths that are written crosswise are drawn without a crossing', () => {
  const plan = layOutPlan({
    stages: [stage('a', []), stage('b', []), stage('c', ['b']), stage('d', ['a'])],
    results: [],
  })
  const above = (one: string, other: string): boolean => at(plan, one).y < at(plan, other).y
  assert.equal(above('stage a', 'stage b'), above('stage d', 'stage c'))
})

test('crossings are counted between neighbouring layers', () => {
  const links = [
    ['a', 'd'],
    ['b', 'c'],
  ] as const
  assert.equal(
    crossings(
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      links,
    ),
    1,
  )
  assert.equal(
    crossings(
      [
        ['a', 'b'],
        ['d', 'c'],
      ],
      links,
    ),
    0,
  )
})

test('nothing stands on top of anything, and all is inside, for any plan', () => {
  let seed = 7
  const dice = (n: number): number => (seed = (seed * 48_271) % 2_147_483_647) % n
  for (let round = 0; round < 200; round++) {
    const stages = Array.from({ length: 1 + dice(14) }, (_, i) =>
      stage(
        `s${i}`,
        Array.from({ length: i === 0 ? 0 : dice(4) }, () => `${dice(2) ? '*' : ''}s${dice(i)}`),
        dice(3) === 0 ? { inputs: [books] } : {},
      ),
    )
    const results = [{ query: 'q', columns: [], stage: stages.at(-1)!.id }]
    const { nodes, edges, width, height } = layOutPlan({ stages, results })
    const places = new Set(nodes.map(({ x, y }) => `${x} ${y}`))
    assert.equal(places.size, nodes.length)
    for (const { x, y } of nodes) {
      assert.ok(x >= 0 && y >= 0 && x + NODE.width <= width && y + NODE.height <= height)
    }
    for (const { points } of edges) assert.ok(points[0]!.x < points.at(-1)!.x)
  }
})

test('a line begins and ends where it should', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 20 },
  ]
  assert.equal(curveOf(points), 'M0 0 C5 0 5 20 10 20')
})

test('a plan without stages is an empty drawing', () => {
  const { nodes, edges } = layOutPlan({ stages: [], results: [] })
  assert.deepEqual([nodes, edges], [[], []])
})
