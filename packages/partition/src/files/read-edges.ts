/**
 * Edge lists: `from to [weight]` per line, vertices counted from 0, comments with % or #. There are as
 * many vertices as the largest number says. Both directions of an edge are the same edge.
 */
import { BadGraphFile } from '../errors.ts'
import { graphOfEdges } from '../graph/build.ts'
import { DoubleColumn, IntColumn } from './column.ts'
import { NumberLines } from './number-lines.ts'
import type { GraphFile } from './read-metis.ts'

/** Numbers beyond this are names, not numbers from 0 up: a graph of gaps would fill the memory. */
const MOST_VERTICES = 2 ** 28

export async function readEdges(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<GraphFile> {
  const tails = new IntColumn()
  const heads = new IntColumn()
  const weights = new DoubleColumn()
  let vertices = 0
  let isWeighted = false
  const line = (numbers: Float64Array, count: number, at: number): void => {
    if (count === 0) return
    const fail = (what: string): never => {
      throw new BadGraphFile(name, at, what)
    }
    if (count < 2 || count > 3) fail(`${count} numbers; an edge has two and perhaps a weight`)
    for (let i = 0; i < 2; i++) {
      const vertex = numbers[i]!
      if (!Number.isInteger(vertex) || vertex < 0) fail(`${vertex} is no vertex; they count from 0`)
      if (vertex >= MOST_VERTICES)
        fail(`vertex ${vertex} is too large; number them from 0 without gaps`)
      vertices = Math.max(vertices, vertex + 1)
    }
    const weight = count === 3 ? numbers[2]! : 1
    if (weight < 0) fail(`the weight ${weight} is negative`)
    if (weight !== 1) isWeighted = true
    tails.push(numbers[0]!)
    heads.push(numbers[1]!)
    weights.push(weight)
  }
  await new NumberLines(name, { line }).readAll(chunks)
  const columns = { tails: tails.done(), heads: heads.done() }
  const built = graphOfEdges(
    { vertices },
    { ...columns, weights: isWeighted ? weights.done() : null },
  )
  return { ...built, sizes: null }
}
