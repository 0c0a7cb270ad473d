/**
 * METIS `.graph`: a header `vertices edges [fmt [constraints]]`, then one line per vertex with its
 * size, its weights and its neighbours, counted from 1, as `fmt` says (three digits: sizes, vertex
 * weights, edge weights). Lines that begin with % are comments. Missing reverse arcs, loops and
 * duplicates are repaired; counts that do not fit the lines are errors.
 */
import { BadGraphFile } from '../errors.ts'
import { graphOfArcs, type BuiltGraph } from '../graph/build.ts'
import { DoubleColumn, IntColumn } from './column.ts'
import { NumberLines } from './number-lines.ts'

export interface GraphFile extends BuiltGraph {
  /** What moving each vertex costs, where the file says so. */
  sizes: Float64Array | null
}

interface Header {
  vertices: number
  edges: number
  hasSizes: boolean
  weights: number
  hasEdgeWeights: boolean
  line: number
}

const MOST_VERTICES = 2 ** 31 - 2
const MOST_CONSTRAINTS = 64

export async function readMetis(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<GraphFile> {
  const rows = new MetisRows(name)
  const lines = await new NumberLines(name, rows).readAll(chunks)
  return rows.done(lines)
}

class MetisRows {
  readonly #name: string
  readonly #tails = new IntColumn()
  readonly #heads = new IntColumn()
  readonly #edgeWeights = new DoubleColumn()
  readonly #vertexWeights = new DoubleColumn()
  readonly #sizes = new DoubleColumn()
  #header: Header | null = null
  #rows = 0

  constructor(name: string) {
    this.#name = name
  }

  line(numbers: Float64Array, count: number, line: number): void {
    if (this.#header === null) {
      if (count > 0) this.#header = this.#headerOf(Array.from(numbers.subarray(0, count)), line)
      return
    }
    if (this.#rows === this.#header.vertices) {
      if (count === 0) return
      this.#fail(
        line,
        `the header promises ${this.#header.vertices} vertices, and here is one more`,
      )
    }
    this.#row(numbers, count, line)
    this.#rows++
  }

  #headerOf(numbers: number[], line: number): Header {
    const [vertices = 0, edges = 0, fmt = 0, constraints = 1] = numbers
    const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0
    if (numbers.length < 2 || numbers.length > 4 || !numbers.every(isCount)) {
      this.#fail(line, 'a header is two to four whole numbers: vertices, edges, fmt, constraints')
    }
    if (vertices > MOST_VERTICES || 2 * edges > MOST_VERTICES) {
      this.#fail(line, 'more vertices or edges than can be numbered')
    }
    const digits = String(fmt).padStart(3, '0')
    if (!/^[01]{3}$/.test(digits))
      this.#fail(line, `fmt is ${fmt}; it has up to three digits 0 or 1`)
    if (constraints < 1 || constraints > MOST_CONSTRAINTS) {
      this.#fail(line, `${constraints} constraints; there may be 1 to ${MOST_CONSTRAINTS}`)
    }
    return {
      vertices,
      edges,
      line,
      hasSizes: digits[0] === '1',
      weights: digits[1] === '1' ? constraints : 0,
      hasEdgeWeights: digits[2] === '1',
    }
  }

  #row(numbers: Float64Array, count: number, line: number): void {
    const { vertices, hasSizes, weights, hasEdgeWeights } = this.#header!
    const first = (hasSizes ? 1 : 0) + weights
    if (count < first) this.#fail(line, `${count} numbers; size and weights alone are ${first}`)
    if (hasEdgeWeights && (count - first) % 2 === 1) {
      this.#fail(line, 'the last neighbour has no weight')
    }
    for (let i = 0; i < count; i++) {
      if (numbers[i]! < 0) this.#fail(line, `${numbers[i]} is negative`)
    }
    if (hasSizes) this.#sizes.push(numbers[0]!)
    for (let i = hasSizes ? 1 : 0; i < first; i++) this.#vertexWeights.push(numbers[i]!)
    for (let i = first; i < count; i += hasEdgeWeights ? 2 : 1) {
      const neighbour = numbers[i]!
      if (!Number.isInteger(neighbour) || neighbour < 1 || neighbour > vertices) {
        this.#fail(line, `${neighbour} is no vertex; they are 1 to ${vertices}`)
      }
      this.#tails.push(this.#rows)
      this.#heads.push(neighbour - 1)
      if (hasEdgeWeights) this.#edgeWeights.push(numbers[i + 1]!)
    }
  }

  done(lines: number): GraphFile {
    if (this.#header === null) this.#fail(Math.max(1, lines), 'there is no header')
    const { vertices, edges, weights, hasEdgeWeights, hasSizes, line } = this.#header
    if (this.#rows < vertices) {
      this.#fail(
        lines,
        `the header promises ${vertices} vertices, the file ends after ${this.#rows}`,
      )
    }
    const arcs = this.#heads.length
    const built = graphOfArcs(
      {
        vertices,
        constraints: Math.max(1, weights),
        weights: weights === 0 ? null : this.#vertexWeights.done(),
      },
      {
        tails: this.#tails.done(),
        heads: this.#heads.done(),
        weights: hasEdgeWeights ? this.#edgeWeights.done() : null,
      },
    )
    // Repaired arcs may have been counted or not; apart from that the header must be right.
    const { loops, duplicates, asymmetric, weightless } = built.repairs
    const least = built.graph.heads.length / 2
    if (edges < least || edges > least + loops + duplicates + asymmetric + weightless) {
      this.#fail(line, `the header promises ${edges} edges, the lines hold ${arcs} ends of edges`)
    }
    return { ...built, sizes: hasSizes ? this.#sizes.done().slice() : null }
  }

  #fail(line: number, what: string): never {
    throw new BadGraphFile(this.#name, line, what)
  }
}
