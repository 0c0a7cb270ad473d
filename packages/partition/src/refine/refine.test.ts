// Goal: refinement never worsens, never overloads, and its bookkeeping is right. Method: random
// partitions of drawn graphs are refined, and gains, loads and objectives compared with those
// computed from scratch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { drawnGraph, graphOf, type Drawn } from '../../test/graph-fixture.ts'
import {
  assignmentOf,
  loadsOf,
  objectiveOf,
  overloadOf,
  type Assignment,
  type Level,
} from '../level.ts'
import { limitsOf } from '../limits.ts'
import { PRESETS } from '../preset.ts'
import { Random } from '../random.ts'
import { refineByFm } from './fm.ts'
import { VertexHeap } from './heap.ts'
import { refineByLabels } from './label-propagation.ts'
import { refineLoosely } from './loosely.ts'
import { rebalance } from './rebalance.ts'

const RUNS = { numRuns: 300, seed: 20_081_101 }

function scene({ vertices, edges, weights, k, seed }: Drawn, hasOptions: boolean): Assignment {
  const random = new Random(seed)
  const graph = graphOf(vertices, edges, weights)
  const level: Level = {
    graph,
    k,
    limits: limitsOf(graph, { k, imbalance: 0.2 }),
    fixed: hasOptions
      ? Int32Array.from({ length: vertices }, (_, v) => (v % 7 === 0 ? v % k : -1))
      : null,
    costs: hasOptions ? Float64Array.from({ length: vertices * k }, () => random.below(5)) : null,
    home: hasOptions ? Int32Array.from({ length: vertices }, () => random.below(k + 1) - 1) : null,
    loyalty: hasOptions ? Float64Array.from({ length: vertices }, () => random.below(4)) : null,
  }
  const parts = Int32Array.from({ length: vertices }, (_, v) => {
    const bound = level.fixed?.[v] ?? -1
    return bound >= 0 ? bound : random.below(k)
  })
  return assignmentOf(level, parts)
}

function checkRefinement(refine: (assignment: Assignment, random: Random) => number): void {
  fc.assert(
    fc.property(drawnGraph(40), fc.boolean(), (drawn, hasOptions) => {
      const assignment = scene(drawn, hasOptions)
      const { level, parts } = assignment
      const [before, overload] = [objectiveOf(level, parts), overloadOf(assignment)]
      const gained = refine(assignment, new Random(drawn.seed))
      assert.ok(
        Math.abs(before - objectiveOf(level, parts) - gained) < 1e-9,
        'the gain is the one reported',
      )
      assert.ok(gained >= 0, 'never worse')
      assert.ok(overloadOf(assignment) <= overload + 1e-12, 'never fuller')
      assert.deepEqual(assignment.loads, loadsOf(level.graph, parts, level.k))
      assert.ok(parts.every((part, v) => (level.fixed?.[v] ?? -1) < 0 || level.fixed![v] === part))
    }),
    RUNS,
  )
}

test('Fixed-vertex k-way FM: it never worsens the objective and reports what it gained', () => {
  for (const { fm, fmSmall } of Object.values(PRESETS)) {
    checkRefinement((assignment, random) => refineByFm(assignment, fm, random))
    checkRefinement((assignment, random) => refineByFm(assignment, fmSmall, random))
  }
})

test('label propagation never worsens the objective and reports what it gained', () => {
  checkRefinement((assignment, random) => refineByLabels(assignment, 5, random))
})

test('loosened limits never leave a worse partition behind', () => {
  checkRefinement((assignment, random) => refineLoosely(assignment, 0.3, PRESETS.default, random))
})

test('rebalancing meets limits that unit weights can always meet and counts its loss', () => {
  fc.assert(
    fc.property(drawnGraph(60), (drawn) => {
      const assignment = scene({ ...drawn, weights: drawn.weights.map(() => 1) }, false)
      const { level, parts } = assignment
      const before = objectiveOf(level, parts)
      const { within, gained } = rebalance(assignment)
      assert.equal(within, true)
      assert.equal(overloadOf(assignment), 0)
      assert.equal(before - objectiveOf(level, parts), gained)
    }),
    RUNS,
  )
})

test('boulders that only a swap or a new packing can place are placed', () => {
  const graph = graphOf(6, [], [5, 5, 4, 4, 3, 3])
  const limits = new Float64Array([12, 12])
  const level: Level = { graph, k: 2, limits, fixed: null, costs: null, home: null, loyalty: null }
  assert.equal(rebalance(assignmentOf(level, Int32Array.of(0, 0, 0, 1, 1, 1))).within, true)
  assert.equal(rebalance(assignmentOf(level, new Int32Array(6))).within, true)
})

test('the heap always has the largest key on top, whatever was changed or removed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(19), fc.integer({ min: -9, max: 9 }), fc.boolean())),
      (steps) => {
        const heap = new VertexHeap(20)
        const keys = new Map<number, number>()
        for (const [v, key, removes] of steps) {
          if (removes && heap.has(v)) {
            heap.remove(v)
            keys.delete(v)
          } else {
            if (heap.has(v)) heap.update(v, key)
            else heap.push(v, key)
            keys.set(v, key)
          }
          assert.equal(heap.size, keys.size)
          if (keys.size > 0) assert.equal(keys.get(heap.top()), Math.max(...keys.values()))
        }
      },
    ),
    RUNS,
  )
})
