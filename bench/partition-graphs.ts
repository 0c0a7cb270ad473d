/** Graphs made up for the benchmark of the partitioner. Same seed, same graph. */
import { graphOfEdges, Random, type Graph } from '@minga/partition'

class Edges {
  #tails = new Int32Array(1_024)
  #heads = new Int32Array(1_024)
  #count = 0

  add(tail: number, head: number): void {
    if (this.#count === this.#tails.length) {
      this.#tails = doubled(this.#tails)
      this.#heads = doubled(this.#heads)
    }
    this.#tails[this.#count] = tail
    this.#heads[this.#count++] = head
  }

  /** Links are counted once: peers that read files know no parallel edges. */
  graph(vertices: number): Graph {
    const tails = this.#tails.slice(0, this.#count)
    const heads = this.#heads.slice(0, this.#count)
    const { graph } = graphOfEdges({ vertices }, { tails, heads, weights: null })
    graph.edgeWeights.fill(1)
    return graph
  }
}

function doubled(values: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(values.length * 2)
  larger.set(values)
  return larger
}

function unit(random: Random): number {
  return (random.below(0x1_0000_0000) + 0.5) / 0x1_0000_0000
}

/** A whole number of at least `least` with a tail of the given exponent. */
function powerLaw(random: Random, least: number, exponent: number): number {
  return Math.floor(least * unit(random) ** (-1 / (exponent - 1)))
}

/**
 * Hosts of the web: communities of power-law sizes (topics, countries) with power-law degrees inside,
 * one link in five to anywhere, and hubs (search engines, networks) that everybody links to.
 */
export function webGraph(vertices: number, seed: number): Graph {
  const random = new Random(seed)
  const edges = new Edges()
  const community = new Int32Array(vertices)
  const firsts: number[] = []
  for (let v = 0; v < vertices;) {
    const size = Math.min(powerLaw(random, 20, 1.9), Math.ceil(vertices / 50), vertices - v)
    for (let i = 0; i < size; i++) community[v + i] = firsts.length
    firsts.push(v)
    v += size
  }
  firsts.push(vertices)
  const hubs = Math.max(4, Math.floor(vertices / 2_000))
  const hubOf = (): number => Math.floor(hubs * unit(random) ** 3) * Math.floor(vertices / hubs)
  for (let v = 0; v < vertices; v++) {
    const from = firsts[community[v]!]!
    const size = firsts[community[v]! + 1]! - from
    const degree = Math.min(powerLaw(random, 3, 2.4), 2_000)
    for (let i = 0; i < degree; i++) {
      const dice = unit(random)
      // Within a community the first hosts are the popular ones.
      if (dice < 0.8) edges.add(v, from + Math.floor(size * unit(random) ** 2))
      else if (dice < 0.9) edges.add(v, hubOf())
      else edges.add(v, random.below(vertices))
    }
  }
  return shuffled(edges.graph(vertices), random)
}

/** R-MAT, Chakrabarti, Zhan, Faloutsos 2004, with the figures of Graph500: no communities to find. */
export function rmatGraph(scale: number, degree: number, seed: number): Graph {
  const random = new Random(seed)
  const edges = new Edges()
  const vertices = 2 ** scale
  for (let i = 0; i < vertices * degree; i++) {
    let tail = 0
    let head = 0
    for (let bit = 0; bit < scale; bit++) {
      const dice = unit(random)
      const [down, right] = [dice >= 0.76, (dice >= 0.57 && dice < 0.76) || dice >= 0.95]
      tail = tail * 2 + (down ? 1 : 0)
      head = head * 2 + (right ? 1 : 0)
    }
    edges.add(tail, head)
  }
  return edges.graph(vertices)
}

export function mesh2d(side: number): Graph {
  const edges = new Edges()
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      if (x + 1 < side) edges.add(y * side + x, y * side + x + 1)
      if (y + 1 < side) edges.add(y * side + x, (y + 1) * side + x)
    }
  }
  return edges.graph(side * side)
}

export function mesh3d(side: number): Graph {
  const edges = new Edges()
  const at = (x: number, y: number, z: number): number => (z * side + y) * side + x
  for (let z = 0; z < side; z++) {
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        if (x + 1 < side) edges.add(at(x, y, z), at(x + 1, y, z))
        if (y + 1 < side) edges.add(at(x, y, z), at(x, y + 1, z))
        if (z + 1 < side) edges.add(at(x, y, z), at(x, y, z + 1))
      }
    }
  }
  return edges.graph(side ** 3)
}

/**
 * Like a Delaunay triangulation: points on a jittered lattice, each cell cut along its shorter diagonal, so
 * degrees vary around six. The points are numbered at random, as those of real meshes often are.
 */
export function delaunayLike(side: number, seed: number): Graph {
  const random = new Random(seed)
  const edges = new Edges()
  const xs = Float64Array.from({ length: side * side }, (_, i) => (i % side) + 0.9 * unit(random))
  const ys = Float64Array.from(
    { length: side * side },
    (_, i) => Math.floor(i / side) + 0.9 * unit(random),
  )
  const apart = (a: number, b: number): number => (xs[a]! - xs[b]!) ** 2 + (ys[a]! - ys[b]!) ** 2
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const here = y * side + x
      const [right, below] = [here + 1, here + side]
      if (x + 1 < side) edges.add(here, right)
      if (y + 1 < side) edges.add(here, below)
      if (x + 1 === side || y + 1 === side) continue
      if (apart(here, below + 1) < apart(right, below)) edges.add(here, below + 1)
      else edges.add(right, below)
    }
  }
  return shuffled(edges.graph(side * side), random)
}

/** The same graph with its vertices numbered at random: order must not give the answer away. */
function shuffled(graph: Graph, random: Random): Graph {
  const { vertices, starts, heads } = graph
  const names = Int32Array.from({ length: vertices }, (_, v) => v)
  random.shuffle(names)
  const edges = new Edges()
  for (let v = 0; v < vertices; v++) {
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      if (heads[a]! > v) edges.add(names[v]!, names[heads[a]!]!)
    }
  }
  return edges.graph(vertices)
}

/** Unit weights only, as all graphs here have. */
export function metisText(graph: Graph): Uint8Array {
  return rowsText(`${graph.vertices} ${graph.heads.length / 2}\n`, graph, {
    first: 1,
    counted: false,
  })
}

/** Scotch's own format: arcs instead of edges, a count before every row, numbers from 0. */
export function scotchText(graph: Graph): Uint8Array {
  const header = `0\n${graph.vertices} ${graph.heads.length}\n0 000\n`
  return rowsText(header, graph, { first: 0, counted: true })
}

function rowsText(
  header: string,
  { vertices, starts, heads }: Graph,
  { first, counted }: { first: number; counted: boolean },
): Uint8Array {
  const blocks = [Buffer.from(header)]
  for (let v = 0; v < vertices;) {
    let block = ''
    for (const last = Math.min(v + 1_000, vertices); v < last; v++) {
      if (counted) block += `${starts[v + 1]! - starts[v]!} `
      for (let a = starts[v]!; a < starts[v + 1]!; a++) block += `${heads[a]! + first} `
      block += '\n'
    }
    blocks.push(Buffer.from(block))
  }
  return Buffer.concat(blocks)
}

/** With the weights of vertices and edges. */
export function weightedMetisText(graph: Graph): string {
  const { vertices, starts, heads, vertexWeights, edgeWeights } = graph
  const lines = [`${vertices} ${heads.length / 2} 011`]
  for (let v = 0; v < vertices; v++) {
    const words = [vertexWeights[v]!]
    for (let a = starts[v]!; a < starts[v + 1]!; a++) words.push(heads[a]! + 1, edgeWeights[a]!)
    lines.push(words.join(' '))
  }
  return `${lines.join('\n')}\n`
}
