/**
 * Single moves and swaps that lower the overload, for weights so coarse that no plain move fits. Only
 * the heaviest candidates are tried: it is a rescue, not a search.
 */
import { isFree, overloadOf, shift, type Assignment } from '../level.ts'

/** Vertices compared on each side of a swap. */
const CANDIDATES = 64
const ROUNDS = 200

export function trade(assignment: Assignment): void {
  for (let round = 0; round < ROUNDS && overloadOf(assignment) > 0; round++) {
    if (!tradeOnce(assignment)) return
  }
}

function tradeOnce(assignment: Assignment): boolean {
  const { parts, level } = assignment
  const full = overloadedPart(assignment)
  const heavy = heaviestOf(assignment, (v) => parts[v] === full)
  const others = heaviestOf(assignment, (v) => parts[v] !== full)
  let least = overloadOf(assignment)
  let best: (() => void) | null = null
  const consider = (apply: () => void, revert: () => void): void => {
    apply()
    const overload = overloadOf(assignment)
    revert()
    if (overload >= least) return
    least = overload
    best = apply
  }
  for (const v of heavy) {
    for (let p = 0; p < level.k; p++) {
      if (p !== full)
        consider(
          () => put(assignment, v, p),
          () => put(assignment, v, full),
        )
    }
    for (const u of others) {
      const home = parts[u]!
      const swap = (a: number, b: number) => (): void => {
        put(assignment, v, a)
        put(assignment, u, b)
      }
      consider(swap(home, full), swap(full, home))
    }
  }
  ;(best as (() => void) | null)?.()
  return best !== null
}

function put(assignment: Assignment, v: number, to: number): void {
  const from = assignment.parts[v]!
  assignment.parts[v] = to
  shift(assignment, v, from, to)
}

function overloadedPart({ level, loads }: Assignment): number {
  const { constraints } = level.graph
  let worst = 0
  let most = -Infinity
  for (let at = 0; at < loads.length; at++) {
    const above = (loads[at]! - level.limits[at]!) / Math.max(1, level.limits[at]!)
    if (above <= most) continue
    most = above
    worst = Math.floor(at / constraints)
  }
  return worst
}

function heaviestOf({ level }: Assignment, wanted: (v: number) => boolean): number[] {
  const { vertices, vertexWeights, constraints } = level.graph
  const weightOf = (v: number): number => vertexWeights[v * constraints]!
  const found: number[] = []
  for (let v = 0; v < vertices; v++) if (isFree(level, v) && wanted(v)) found.push(v)
  found.sort((a, b) => weightOf(b) - weightOf(a) || a - b)
  if (found.length <= CANDIDATES) return found
  // Light ones close the last gap, heavy ones the first.
  return [...found.slice(0, CANDIDATES / 2), ...found.slice(-CANDIDATES / 2)]
}
