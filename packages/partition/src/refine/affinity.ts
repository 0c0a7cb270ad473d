/**
 * How much every vertex likes every part: the weight of its links into it, less its cost there, plus
 * its loyalty at home. Kept up to date move by move, so that the gain of any move is a subtraction.
 */
import { pull, type Assignment } from '../level.ts'

export class Affinity {
  readonly table: Int32Array | Float64Array
  /** Parts without any link can be attractive too when costs or homes speak. */
  readonly everywhere: boolean

  constructor({ level, parts }: Assignment) {
    const { graph, k } = level
    const { vertices, starts, heads, edgeWeights } = graph
    this.everywhere = level.costs !== null || level.home !== null
    const whole = edgeWeights instanceof Int32Array && !this.everywhere
    const table = whole ? new Int32Array(vertices * k) : new Float64Array(vertices * k)
    for (let v = 0; v < vertices; v++) {
      const row = v * k
      const end = starts[v + 1]!
      for (let a = starts[v]!; a < end; a++) table[row + parts[heads[a]!]!]! += edgeWeights[a]!
      if (this.everywhere) for (let p = 0; p < k; p++) table[row + p]! += pull(level, v, p)
    }
    this.table = table
  }

  /** To be called when v goes from one part to another; only its neighbours are touched. */
  move({ level }: Assignment, v: number, from: number, to: number): void {
    const { k } = level
    const { starts, heads, edgeWeights } = level.graph
    const { table } = this
    const end = starts[v + 1]!
    for (let a = starts[v]!; a < end; a++) {
      const row = heads[a]! * k
      const weight = edgeWeights[a]!
      table[row + from]! -= weight
      table[row + to]! += weight
    }
  }
}
