/**
 * Where the stages of a plan stand when it is drawn: from the inputs on the left to the results on the right, each
 * behind everything it waits for, with few crossings.
 *
 * Layers by the longest way from the inputs; an edge over several layers gets a place in each of them, so that it runs
 * between stages and not through them; the order within layers by the mean place of the neighbours, back and forth,
 * keeping the best (Sugiyama, Tagawa, Toda, 1981). Plans have tens of stages: it takes a millisecond.
 */
import type { QueryPlanView, QueryStageView } from '@minga/protocol'

/** `read`: of an input; `shuffle`: each task a part; `broadcast`: each task all; `gather`: one task all. */
export type EdgeKind = 'read' | 'shuffle' | 'broadcast' | 'gather' | 'result'

export type PlanNode =
  | { kind: 'input'; id: string; name: string; bytes: number }
  | { kind: 'stage'; id: string; stage: QueryStageView }
  | { kind: 'result'; id: string; query: string; columns: string[] }

export interface PlacedNode {
  node: PlanNode
  layer: number
  x: number
  y: number
}

export interface PlacedEdge {
  from: string
  to: string
  kind: EdgeKind
  /** Through which it runs, from its begin to its end. */
  points: { x: number; y: number }[]
}

export interface PlacedPlan {
  /** Layer by layer, from top to bottom: the order in which they are read. */
  nodes: PlacedNode[]
  edges: PlacedEdge[]
  width: number
  height: number
}

export const NODE = { width: 196, height: 104, gapX: 64, gapY: 22, margin: 8 } as const
const SWEEPS = 8

interface Edge {
  from: string
  to: string
  kind: EdgeKind
}

export function layOutPlan(plan: Pick<QueryPlanView, 'stages' | 'results'>): PlacedPlan {
  const { nodes, edges } = graphOf(plan)
  const layers = layersOf([...nodes.keys()], edges)
  const { rows, chains } = withPassages(layers, edges)
  const order = fewCrossings(rows, chains)
  return place({ nodes, edges, order, chains })
}

function graphOf({ stages, results }: Pick<QueryPlanView, 'stages' | 'results'>): {
  nodes: Map<string, PlanNode>
  edges: Edge[]
} {
  const nodes = new Map<string, PlanNode>()
  const edges: Edge[] = []
  const known = new Set(stages.map(({ id }) => id))
  for (const stage of stages) {
    const id = `stage ${stage.id}`
    for (const { name, bytes } of stage.inputs) {
      nodes.set(`input ${name}`, { kind: 'input', id: `input ${name}`, name, bytes })
      edges.push({ from: `input ${name}`, to: id, kind: 'read' })
    }
    nodes.set(id, { kind: 'stage', id, stage })
    for (const { stage: from, part } of stage.after) {
      if (known.has(from)) edges.push({ from: `stage ${from}`, to: id, kind: kindOf(stage, part) })
    }
  }
  for (const { query, columns, stage } of results) {
    const id = `result ${query}`
    nodes.set(id, { kind: 'result', id, query, columns })
    if (known.has(stage)) edges.push({ from: `stage ${stage}`, to: id, kind: 'result' })
  }
  return { nodes, edges: withoutTwins(edges) }
}

function kindOf({ tasks }: QueryStageView, part: 'whole' | 'partition'): EdgeKind {
  if (part === 'partition') return 'shuffle'
  return tasks === 1 ? 'gather' : 'broadcast'
}

/** A stage may read several outputs of another: one line is drawn for all of a kind. */
function withoutTwins(edges: readonly Edge[]): Edge[] {
  return [
    ...new Map(edges.map((edge) => [`${edge.from}\n${edge.to}\n${edge.kind}`, edge])).values(),
  ]
}

/** The longest way from a node that waits for nothing. A circle, which no plan has, ends where it began. */
function layersOf(ids: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const before = Map.groupBy(edges, ({ to }) => to)
  const layers = new Map<string, number>()
  const visit = (id: string, way: ReadonlySet<string>): number => {
    const known = layers.get(id)
    if (known !== undefined) return known
    const waits = (before.get(id) ?? []).filter(({ from }) => !way.has(from))
    const layer = Math.max(0, ...waits.map(({ from }) => visit(from, new Set([...way, id])) + 1))
    layers.set(id, layer)
    return layer
  }
  for (const id of ids) visit(id, new Set())
  return layers
}

/** What an edge runs through: its ends, and a passage in each layer between them. */
type Chain = string[]

function withPassages(
  layers: ReadonlyMap<string, number>,
  edges: readonly Edge[],
): { rows: string[][]; chains: Chain[] } {
  const rows: string[][] = []
  const add = (id: string, layer: number): void => void (rows[layer] ??= []).push(id)
  for (const [id, layer] of layers) add(id, layer)
  const chains = edges.map(({ from, to }, number) => {
    const chain = [from]
    for (let layer = layers.get(from)! + 1; layer < layers.get(to)!; layer++) {
      chain.push(`passage ${number} ${layer}`)
      add(chain.at(-1)!, layer)
    }
    return [...chain, to]
  })
  return { rows: Array.from(rows, (row) => row ?? []), chains }
}

function fewCrossings(rows: readonly string[][], chains: readonly Chain[]): string[][] {
  const links = chains.flatMap((chain) => chain.slice(1).map((to, i) => [chain[i]!, to] as const))
  const before = Map.groupBy(links, ([, to]) => to)
  const after = Map.groupBy(links, ([from]) => from)
  let order = rows.map((row) => [...row])
  let best = order
  let fewest = crossings(order, links)
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const isForward = sweep % 2 === 0
    const neighbours = (id: string): string[] =>
      isForward
        ? (before.get(id) ?? []).map(([from]) => from)
        : (after.get(id) ?? []).map(([, to]) => to)
    order = order.map((row) => [...row])
    const turns = order.map((_, layer) => (isForward ? layer : order.length - 1 - layer))
    for (const layer of turns) order[layer] = byNeighbours(order, layer, neighbours)
    const count = crossings(order, links)
    if (count < fewest) [best, fewest] = [order, count]
  }
  return best
}

function byNeighbours(
  order: readonly string[][],
  layer: number,
  neighbours: (id: string) => string[],
): string[] {
  const places = placesIn(order)
  const row = order[layer]!
  const mean = (id: string): number => {
    const near = neighbours(id).map((one) => places.get(one)!)
    if (near.length === 0) return places.get(id)!
    return near.reduce((sum, one) => sum + one, 0) / near.length
  }
  const means = new Map(row.map((id) => [id, mean(id)]))
  return row.toSorted((a, b) => means.get(a)! - means.get(b)!)
}

function placesIn(order: readonly string[][]): Map<string, number> {
  return new Map(order.flatMap((row) => row.map((id, at) => [id, at] as const)))
}

/** Pairs of lines between two layers that cross. */
export function crossings(
  order: readonly string[][],
  links: readonly (readonly [string, string])[],
): number {
  const places = placesIn(order)
  const layerOf = new Map(order.flatMap((row, layer) => row.map((id) => [id, layer] as const)))
  const byLayer = Map.groupBy(links, ([from]) => layerOf.get(from)!)
  let count = 0
  for (const between of byLayer.values()) {
    const ends = between.map(([from, to]) => [places.get(from)!, places.get(to)!] as const)
    for (const [i, [a, b]] of ends.entries()) {
      for (const [c, d] of ends.slice(i + 1)) if ((a - c) * (b - d) < 0) count++
    }
  }
  return count
}

interface Placing {
  nodes: ReadonlyMap<string, PlanNode>
  edges: readonly Edge[]
  order: readonly string[][]
  chains: readonly Chain[]
}

/** Layers side by side, each in the middle of the height. */
function place({ nodes, edges, order, chains }: Placing): PlacedPlan {
  const { width, height, gapX, gapY, margin } = NODE
  const tallest = Math.max(1, ...order.map((row) => row.length))
  const heightOf = (rows: number): number => rows * height + (rows - 1) * gapY
  const corner = new Map<string, { layer: number; x: number; y: number }>()
  for (const [layer, row] of order.entries()) {
    const top = margin + (heightOf(tallest) - heightOf(row.length)) / 2
    for (const [i, id] of row.entries()) {
      corner.set(id, { layer, x: margin + layer * (width + gapX), y: top + i * (height + gapY) })
    }
  }
  return {
    nodes: order.flat().flatMap((id) => {
      const node = nodes.get(id)
      return node === undefined ? [] : [{ node, ...corner.get(id)! }]
    }),
    edges: edges.map((edge, i) => ({ ...edge, points: pointsOf(chains[i]!, corner) })),
    width: 2 * margin + order.length * width + Math.max(0, order.length - 1) * gapX,
    height: 2 * margin + heightOf(tallest),
  }
}

function pointsOf(
  chain: Chain,
  corner: ReadonlyMap<string, { x: number; y: number }>,
): { x: number; y: number }[] {
  const { width, height } = NODE
  return chain.flatMap((id, i) => {
    const { x, y } = corner.get(id)!
    const middle = y + height / 2
    if (i === 0) return [{ x: x + width, y: middle }]
    if (i === chain.length - 1) return [{ x, y: middle }]
    return [
      { x, y: middle },
      { x: x + width, y: middle },
    ]
  })
}

/** A line that leaves and arrives level. */
export function curveOf(points: readonly { x: number; y: number }[]): string {
  return points
    .map(({ x, y }, i) => {
      if (i === 0) return `M${x} ${y}`
      const before = points[i - 1]!
      const half = (before.x + x) / 2
      return `C${half} ${before.y} ${half} ${y} ${x} ${y}`
    })
    .join(' ')
}
