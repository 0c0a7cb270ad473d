/**
 * Repacks all free vertices, the heaviest first, each into the part with the most room left
 * (longest processing time first, Graham 1969). Kept only if the overload falls: links are ignored.
 */
import { isFree, overloadOf, type Assignment } from '../level.ts'

export function packAnew(assignment: Assignment): void {
  const before = overloadOf(assignment)
  const parts = assignment.parts.slice()
  const loads = assignment.loads.slice()
  pack(assignment)
  if (overloadOf(assignment) < before) return
  assignment.parts.set(parts)
  assignment.loads.set(loads)
}

function pack(assignment: Assignment): void {
  const { level, parts, loads } = assignment
  const { vertices, constraints, vertexWeights } = level.graph
  const free: number[] = []
  for (let v = 0; v < vertices; v++) if (isFree(level, v)) free.push(v)
  const totals = new Float64Array(constraints)
  for (let i = 0; i < vertexWeights.length; i++) totals[i % constraints]! += vertexWeights[i]!
  const weightOf = (v: number): number => {
    let most = 0
    for (let c = 0; c < constraints; c++) {
      most = Math.max(most, vertexWeights[v * constraints + c]! / Math.max(1, totals[c]!))
    }
    return most
  }
  for (const v of free) {
    for (let c = 0; c < constraints; c++) {
      loads[parts[v]! * constraints + c]! -= vertexWeights[v * constraints + c]!
    }
  }
  const keys = new Map(free.map((v) => [v, weightOf(v)]))
  free.sort((a, b) => keys.get(b)! - keys.get(a)! || a - b)
  const room = (v: number, p: number): number => {
    let least = Infinity
    for (let c = 0; c < constraints; c++) {
      const at = p * constraints + c
      const left = level.limits[at]! - loads[at]! - vertexWeights[v * constraints + c]!
      least = Math.min(least, left / Math.max(1, totals[c]!))
    }
    return least
  }
  for (const v of free) {
    let best = 0
    for (let p = 1; p < level.k; p++) if (room(v, p) > room(v, best)) best = p
    parts[v] = best
    for (let c = 0; c < constraints; c++) {
      loads[best * constraints + c]! += vertexWeights[v * constraints + c]!
    }
  }
}
