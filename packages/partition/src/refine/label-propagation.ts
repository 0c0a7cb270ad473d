/**
 * Greedy refinement: every vertex goes to the part it likes best if there is room and it gains, or if it
 * gains nothing but evens the loads. First all vertices, then only those near a move. O(arcs) a
 * round, no table: the cheap first step before FM, and the only one where a table would not fit.
 */
import { fits, isFree, isOnBoundary, pull, shift, type Assignment } from '../level.ts'
import type { Random } from '../random.ts'

/** Vertices are visited in shuffled blocks: random enough, and kind to the processor's cache. */
const BLOCK = 64

export function refineByLabels(assignment: Assignment, rounds: number, random: Random): number {
  const { graph } = assignment.level
  let active = boundaryOf(assignment)
  // The round in which a vertex is due next.
  const due = new Uint8Array(graph.vertices)
  const scratch = {
    ratings: new Float64Array(assignment.level.k),
    seen: new Int32Array(assignment.level.k),
  }
  let gained = 0
  for (let round = 1; round <= rounds && active.length > 0; round++) {
    const next = new Int32Array(graph.vertices)
    const { gain, moves, count } = sweep(
      { assignment, active, next, due, round, ...scratch },
      random,
    )
    gained += gain
    if (moves < active.length / 200) break
    active = next.subarray(0, count)
  }
  return gained
}

/** Vertices with a neighbour in another part; all of them where costs or homes can draw them away. */
function boundaryOf(assignment: Assignment): Int32Array {
  const { level } = assignment
  const { vertices } = level.graph
  const everywhere = level.costs !== null || level.home !== null
  const found = new Int32Array(vertices)
  let count = 0
  for (let v = 0; v < vertices; v++) {
    if (isFree(level, v) && (everywhere || isOnBoundary(assignment, v))) found[count++] = v
  }
  return found.slice(0, count)
}

interface Sweep {
  assignment: Assignment
  active: Int32Array
  next: Int32Array
  due: Uint8Array
  round: number
  ratings: Float64Array
  seen: Int32Array
}

function sweep(
  { assignment, active, next, due, round, ratings, seen }: Sweep,
  random: Random,
): { gain: number; moves: number; count: number } {
  const { level, parts } = assignment
  const { starts, heads } = level.graph
  const blocks = Math.ceil(active.length / BLOCK)
  const order = Int32Array.from({ length: blocks }, (_, i) => i)
  random.shuffle(order)
  let gain = 0
  let moves = 0
  let drawn = 0
  for (let b = 0; b < blocks; b++) {
    const first = order[b]! * BLOCK
    const last = Math.min(first + BLOCK, active.length)
    for (let i = first; i < last; i++) {
      const v = active[i]!
      const own = parts[v]!
      const count = rate(assignment, v, ratings, seen)
      const target = count === 0 ? own : better(assignment, v, { ratings, seen, count })
      const won = ratings[target]! - ratings[own]!
      for (let j = 0; j < count; j++) ratings[seen[j]!] = 0
      ratings[own] = 0
      if (target === own) continue
      parts[v] = target
      shift(assignment, v, own, target)
      gain += won
      moves++
      const end = starts[v + 1]!
      for (let a = starts[v]!; a < end; a++) {
        const u = heads[a]!
        if (due[u] === round || !isFree(level, u)) continue
        due[u] = round
        next[drawn++] = u
      }
    }
  }
  return { gain, moves, count: drawn }
}

/** Affinities of v; `seen` lists its foreign parts. */
function rate(
  { level, parts }: Assignment,
  v: number,
  ratings: Float64Array,
  seen: Int32Array,
): number {
  const { starts, heads, edgeWeights } = level.graph
  const own = parts[v]!
  const end = starts[v + 1]!
  let count = 0
  if (level.costs !== null || level.home !== null) {
    for (let p = 0; p < level.k; p++) {
      ratings[p] = pull(level, v, p)
      if (p !== own) seen[count++] = p
    }
    for (let a = starts[v]!; a < end; a++) ratings[parts[heads[a]!]!]! += edgeWeights[a]!
    return count
  }
  for (let a = starts[v]!; a < end; a++) {
    const p = parts[heads[a]!]!
    if (ratings[p] === 0 && p !== own) seen[count++] = p
    ratings[p]! += edgeWeights[a]!
  }
  return count
}

function better(
  assignment: Assignment,
  v: number,
  { ratings, seen, count }: { ratings: Float64Array; seen: Int32Array; count: number },
): number {
  const { parts, loads, level } = assignment
  const { constraints } = level.graph
  const own = parts[v]!
  let best = own
  let bestRating = ratings[own]!
  for (let i = 0; i < count; i++) {
    const p = seen[i]!
    const rating = ratings[p]!
    if (rating < bestRating || !fits(assignment, v, p)) continue
    if (rating === bestRating) {
      const weight = best === own ? level.graph.vertexWeights[v * constraints]! : 0
      if (loads[p * constraints]! + weight >= loads[best * constraints]!) continue
    }
    best = p
    bestRating = rating
  }
  return best
}
