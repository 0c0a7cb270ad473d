/**
 * What a partition can be good at. An objective is linear in the partition: links that should not be cut, or
 * costs of vertices in parts, or both; latency, exchange, migration and whatever else is of this form plugs
 * in. Several are combined by adding them up, each with a factor, on the union of their links.
 */
import { BadPartitionInput } from '../errors.ts'
import { graphOfEdges } from '../graph/build.ts'
import { cutOf, type Graph } from '../graph/graph.ts'

export interface Objective {
  name: string
  /** Links between the same vertices; only their weights matter, not those of the vertices. */
  links?: Graph
  /** What each vertex costs in each part, row by row. */
  costs?: ArrayLike<number>
}

export interface Combined {
  /** Vertices and their weights from the first argument, links from all objectives. */
  graph: Graph
  costs: Float64Array | undefined
}

/** The value of an objective: lower is better. */
export function valueOf({ links, costs }: Objective, parts: Int32Array, k: number): number {
  let value = links === undefined ? 0 : cutOf(links, parts)
  if (costs !== undefined) for (let v = 0; v < parts.length; v++) value += costs[v * k + parts[v]!]!
  return value
}

export function combine(
  vertices: Graph,
  objectives: readonly Objective[],
  factors: readonly number[],
  k: number,
): Combined {
  const cells = vertices.vertices * k
  let costs: Float64Array | undefined
  for (const [i, objective] of objectives.entries()) {
    if (objective.links !== undefined && objective.links.vertices !== vertices.vertices) {
      throw new BadPartitionInput(`The links of "${objective.name}" are between other vertices`)
    }
    if (objective.costs === undefined) continue
    if (objective.costs.length !== cells) {
      throw new BadPartitionInput(
        `"${objective.name}" has ${objective.costs.length} costs, not ${cells}`,
      )
    }
    costs ??= new Float64Array(cells)
    for (let at = 0; at < cells; at++) costs[at]! += factors[i]! * objective.costs[at]!
  }
  return { graph: { ...vertices, ...unitedLinks(vertices, objectives, factors) }, costs }
}

function unitedLinks(
  { vertices }: Graph,
  objectives: readonly Objective[],
  factors: readonly number[],
): Pick<Graph, 'starts' | 'heads' | 'edgeWeights'> {
  const linked = objectives.flatMap(({ links }, i) =>
    links === undefined || factors[i] === 0 ? [] : [{ links, factor: factors[i]! }],
  )
  const count = linked.reduce((sum, { links }) => sum + links.heads.length / 2, 0)
  const edges = {
    tails: new Int32Array(count),
    heads: new Int32Array(count),
    weights: new Float64Array(count),
  }
  let written = 0
  for (const { links, factor } of linked) {
    for (let v = 0; v < vertices; v++) {
      for (let a = links.starts[v]!; a < links.starts[v + 1]!; a++) {
        if (links.heads[a]! < v) continue
        edges.tails[written] = v
        edges.heads[written] = links.heads[a]!
        edges.weights[written++] = factor * links.edgeWeights[a]!
      }
    }
  }
  return graphOfEdges({ vertices }, edges).graph
}
