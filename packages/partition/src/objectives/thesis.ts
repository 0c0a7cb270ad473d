/**
 * Flat multi-objective partitioning, as a baseline: flat k-way KL/FM with locks, and a combination
 * of several objectives: partition by each alone, divide its weights by the cut reached, add up
 * with preferences p, partition again: w = Σ p·w/ec. (After Schloegel et al. 1999.)
 *
 * Chosen here: the first partition deals vertices out to the emptiest part; moves must respect the
 * limits. A cost c(v, r) stands for an edge between v and the fixed robot r of weight max c − c, an
 * affinity: with raw latencies as weights, minimising the cut would maximise latency.
 */
import type { Graph } from '../graph/graph.ts'
import { assignmentOf, type Level } from '../level.ts'
import { described, levelOf, type Partition, type PartitionOptions } from '../partition.ts'
import { Random } from '../random.ts'
import { refineByFm } from '../refine/fm.ts'
import { rebalance } from '../refine/rebalance.ts'
import { combine, valueOf, type Objective } from './objective.ts'

/** Passes end when one gains nothing; this only guards against rounding. */
const MOST_PASSES = 100

export function thesisPartition(
  graph: Graph,
  options: PartitionOptions,
  preferences: readonly number[] = [1, 1],
): Partition {
  const { costs, ...rest } = options
  const links = { name: 'links', links: graph }
  if (costs === undefined)
    return described(levelOf(graph, options), flat(levelOf(graph, rest), options))
  const objectives: Objective[] = [links, { name: 'costs', costs }]
  const factors = objectives.map((objective, i) => {
    const alone = combine(graph, [objective], [1], options.k)
    const parts = flat(levelOf(alone.graph, { ...rest, costs: alone.costs }), options)
    return preferences[i]! / robotCut(objective, parts, options.k)
  })
  const combined = combine(graph, objectives, factors, options.k)
  const parts = flat(levelOf(combined.graph, { ...rest, costs: combined.costs }), options)
  return described(levelOf(graph, options), parts)
}

/** The cut `ec` of one objective: cut links, or the affinities to all robots but one's own. */
function robotCut(objective: Objective, parts: Int32Array, k: number): number {
  const { costs } = objective
  if (costs === undefined) return valueOf(objective, parts, k) || 1
  let most = -Infinity
  let sum = 0
  for (let i = 0; i < costs.length; i++) {
    most = Math.max(most, costs[i]!)
    sum += costs[i]!
  }
  return (k - 1) * parts.length * most - (sum - valueOf(objective, parts, k)) || 1
}

function flat(level: Level, { seed = 1 }: PartitionOptions): Int32Array {
  const parts = dealt(level)
  const assignment = assignmentOf(level, parts)
  rebalance(assignment)
  const rules = { rounds: MOST_PASSES, seeds: Infinity, patience: Infinity, leastGain: 0 }
  refineByFm(assignment, rules, new Random(seed))
  return parts
}

function dealt({ graph, fixed, limits, k }: Level): Int32Array {
  const { vertices, constraints, vertexWeights } = graph
  const parts = new Int32Array(vertices)
  const shares = new Float64Array(k)
  for (let v = 0; v < vertices; v++) {
    let part = fixed === null ? -1 : fixed[v]!
    if (part < 0) {
      part = 0
      for (let p = 1; p < k; p++) if (shares[p]! < shares[part]!) part = p
    }
    parts[v] = part
    shares[part]! += vertexWeights[v * constraints]! / Math.max(limits[part * constraints]!, 1)
  }
  return parts
}
