/** Small graphs for tests: drawn by fast-check, or with a shape that is known. */
import * as fc from 'fast-check'
import { graphOfEdges } from '../src/graph/build.ts'
import type { Graph } from '../src/graph/graph.ts'

export function graphOf(
  vertices: number,
  edges: readonly (readonly number[])[],
  weights?: readonly number[],
): Graph {
  const column = (at: number): Int32Array => Int32Array.from(edges, (edge) => edge[at]!)
  return graphOfEdges(
    { vertices, weights: weights === undefined ? null : Float64Array.from(weights) },
    {
      tails: column(0),
      heads: column(1),
      weights: Float64Array.from(edges, (edge) => edge[2] ?? 1),
    },
  ).graph
}

export interface Drawn {
  vertices: number
  edges: number[][]
  weights: number[]
  k: number
  seed: number
}

/** Graphs of every kind of badness: disconnected, with loops, duplicates, weightless vertices. */
export function drawnGraph(mostVertices: number, mostWeight = 3): fc.Arbitrary<Drawn> {
  return fc.integer({ min: 1, max: mostVertices }).chain((vertices) => {
    const vertex = fc.integer({ min: 0, max: vertices - 1 })
    return fc.record({
      vertices: fc.constant(vertices),
      edges: fc.array(fc.tuple(vertex, vertex, fc.integer({ min: 0, max: 5 })), {
        maxLength: 4 * vertices,
      }),
      weights: fc.array(fc.integer({ min: 0, max: mostWeight }), {
        minLength: vertices,
        maxLength: vertices,
      }),
      k: fc.integer({ min: 1, max: 6 }),
      seed: fc.integer({ min: 0, max: 1_000_000 }),
    })
  })
}

export function gridOf(width: number, height: number): Graph {
  const edges: number[][] = []
  for (let v = 0; v < width * height; v++) {
    if ((v + 1) % width !== 0) edges.push([v, v + 1])
    if (v + width < width * height) edges.push([v, v + width])
  }
  return graphOf(width * height, edges)
}

/** Cliques in a ring, joined by single edges: the best cut is known. */
export function ringOfCliques(cliques: number, size: number): Graph {
  const edges: number[][] = []
  for (let c = 0; c < cliques; c++) {
    for (let i = 0; i < size; i++) {
      for (let j = i + 1; j < size; j++) edges.push([c * size + i, c * size + j])
    }
    edges.push([c * size, ((c + 1) % cliques) * size + 1])
  }
  return graphOf(cliques * size, edges)
}
