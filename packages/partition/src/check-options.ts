/** Rejects invalid options: wrong lengths, parts that do not exist, costs that are not numbers. */
import { BadPartitionInput } from './errors.ts'
import { sumOf, type Graph } from './graph/graph.ts'
import type { PartitionOptions } from './partition.ts'

/** A vertex has one cell per part in several tables: beyond this no memory suffices. */
const MOST_PARTS = 1_000_000

export function checkOptions(graph: Graph, options: PartitionOptions): void {
  const { k, imbalance = 0.03, fixed, previous, costs, migrationCosts, capacities } = options
  const { vertices, constraints } = graph
  if (!Number.isInteger(k) || k < 1 || k > MOST_PARTS) {
    throw new BadPartitionInput(`The number of parts is ${k}; it must be from 1 to ${MOST_PARTS}`)
  }
  if (!(imbalance >= 0 && imbalance < Infinity)) {
    throw new BadPartitionInput(`The imbalance is ${imbalance}; it must be a number from 0`)
  }
  checkSums(graph)
  checkParts('fixed', fixed, vertices, k)
  checkParts('previous', previous, vertices, k)
  checkNumbers('costs', costs, vertices * k, -Infinity)
  checkNumbers('migration costs', migrationCosts, vertices, 0)
  checkNumbers('capacities', capacities, k * constraints, 0)
}

/** Sums must stay exact, or the loads would drift away from the parts. */
function checkSums({ vertexWeights, edgeWeights }: Graph): void {
  for (const [what, weights] of [
    ['vertex', vertexWeights],
    ['edge', edgeWeights],
  ] as const) {
    if (sumOf(weights) > Number.MAX_SAFE_INTEGER) {
      throw new BadPartitionInput(`The ${what} weights add up to more than 2^53`)
    }
  }
}

function checkParts(
  what: string,
  parts: ArrayLike<number> | undefined,
  vertices: number,
  k: number,
): void {
  if (parts === undefined) return
  checkLength(what, parts, vertices)
  for (let v = 0; v < vertices; v++) {
    const part = parts[v]!
    if (!Number.isInteger(part) || part < -1 || part >= k) {
      throw new BadPartitionInput(
        `Vertex ${v} has ${part} as ${what} part; there are 0 to ${k - 1}, and -1 for none`,
      )
    }
  }
}

function checkNumbers(
  what: string,
  values: ArrayLike<number> | undefined,
  length: number,
  least: number,
): void {
  if (values === undefined) return
  checkLength(what, values, length)
  for (let i = 0; i < length; i++) {
    const value = values[i]!
    if (Number.isNaN(value) || value < least || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      if (what === 'capacities' && value === Infinity) continue
      throw new BadPartitionInput(`Entry ${i} of the ${what} is ${value}, which is out of range`)
    }
  }
}

function checkLength(what: string, values: ArrayLike<number>, length: number): void {
  if (values.length === length) return
  throw new BadPartitionInput(`There are ${values.length} entries of ${what}; ${length} are needed`)
}
