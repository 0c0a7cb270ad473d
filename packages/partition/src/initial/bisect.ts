/**
 * k parts by halving: split the vertices between two ranges of parts, then each half again. Each split is
 * itself multilevel, with several tries at the coarsest level, so that it sees the whole shape.
 */
import { coarsen, projectDown } from '../coarsen/hierarchy.ts'
import { totalWeights } from '../graph/graph.ts'
import { assignmentOf, relaxed, type Level } from '../level.ts'
import type { Preset } from '../preset.ts'
import type { Random } from '../random.ts'
import { refineByFm } from '../refine/fm.ts'
import { rebalance } from '../refine/rebalance.ts'
import { isBetter, scoreOf } from '../score.ts'
import { grow } from './grow.ts'
import { sublevel } from './sublevel.ts'

/** A bisection is begun on a graph of about this many vertices. */
const COARSEST = 160

export function bisectRecursively(level: Level, preset: Preset, random: Random): Int32Array {
  const { k, graph } = level
  const parts = new Int32Array(graph.vertices)
  if (k === 1 || graph.vertices === 0) return parts
  const split = k >> 1
  const halves = bisect(halved(level, split), preset, random)
  const sides = [
    { side: 0, from: 0, to: split },
    { side: 1, from: split, to: k },
  ]
  for (const { side, from, to } of sides) {
    if (to - from === 1) {
      for (let v = 0; v < parts.length; v++) if (halves[v] === side) parts[v] = from
      continue
    }
    const { level: sub, members } = sublevel(level, halves, { side, from, to })
    const inner = bisectRecursively(sub, preset, random)
    for (let i = 0; i < members.length; i++) parts[members[i]!] = from + inner[i]!
  }
  return parts
}

/** The same vertices with two parts: the ranges below and from `split`. */
function halved(level: Level, split: number): Level {
  const { graph, k, fixed, costs, home } = level
  const sideOf = (p: number): number => (p < 0 ? -1 : p < split ? 0 : 1)
  return {
    ...level,
    k: 2,
    limits: halvedLimits(level, split),
    fixed: fixed?.map(sideOf) ?? null,
    home: home?.map(sideOf) ?? null,
    costs: costs === null ? null : cheapestOfSides(costs, { split, k, vertices: graph.vertices }),
  }
}

/**
 * Each split may use only its share of the tolerance: what the first one wastes the later ones lack. With
 * d splits to come, each gets the d-th root.
 */
function halvedLimits({ graph, limits, k }: Level, split: number): Float64Array {
  const { constraints } = graph
  const totals = totalWeights(graph)
  const halves = new Float64Array(2 * constraints)
  for (let p = 0; p < k; p++) {
    for (let c = 0; c < constraints; c++) {
      halves[(p < split ? 0 : constraints) + c]! += limits[p * constraints + c]!
    }
  }
  const depth = Math.ceil(Math.log2(k))
  for (let c = 0; c < constraints; c++) {
    const room = halves[c]! + halves[constraints + c]!
    const total = totals[c]!
    if (total === 0 || room <= total) continue
    const factor = (total / room) * (room / total) ** (1 / depth)
    halves[c]! *= factor
    halves[constraints + c]! *= factor
  }
  return halves
}

function cheapestOfSides(
  costs: Float64Array,
  { split, k, vertices }: { split: number; k: number; vertices: number },
): Float64Array {
  const sides = new Float64Array(2 * vertices).fill(Infinity)
  for (let v = 0; v < vertices; v++) {
    for (let p = 0; p < k; p++) {
      const at = 2 * v + (p < split ? 0 : 1)
      sides[at] = Math.min(sides[at]!, costs[v * k + p]!)
    }
  }
  return sides
}

function bisect(level: Level, preset: Preset, random: Random): Int32Array {
  const { coarsest, steps } = coarsen(
    level,
    { preset, enough: COARSEST, classes: classesOf(level) },
    random,
  )
  let parts = bestGrown(relaxed(coarsest), preset, random)
  for (const { finer, clustering } of steps.toReversed()) {
    parts = projectDown(parts, clustering)
    const assignment = assignmentOf(relaxed(finer), parts)
    rebalance(assignment)
    refineByFm(assignment, preset.fmSmall, random)
  }
  return parts
}

/** Vertices fixed to different sides, or with different homes, are not merged. */
function classesOf({ fixed, home, graph }: Level): Int32Array | null {
  if (fixed === null && home === null) return null
  return Int32Array.from(
    { length: graph.vertices },
    (_, v) => 3 * ((fixed?.[v] ?? -1) + 1) + (home?.[v] ?? -1) + 1,
  )
}

function bestGrown(level: Level, preset: Preset, random: Random): Int32Array {
  const { limits, graph } = level
  const { constraints } = graph
  const [total = 0] = totalWeights(graph)
  const share = (total * limits[constraints]!) / Math.max(limits[0]! + limits[constraints]!, 1)
  let best: Int32Array | null = null
  let bestScore = { overload: Infinity, objective: Infinity }
  for (let i = 0; i < preset.tries; i++) {
    const parts = grow(level, share, random)
    const assignment = assignmentOf(level, parts)
    rebalance(assignment)
    refineByFm(assignment, preset.fmSmall, random)
    const score = scoreOf(level, parts)
    if (best !== null && !isBetter(score, bestScore)) continue
    best = parts
    bestScore = score
  }
  return best!
}
