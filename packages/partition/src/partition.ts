/**
 * The partitioner: checks what is asked, makes several independent starts, refines the best one in
 * V-cycles, and says how good the outcome is. Same graph, options and seed: same parts, whatever
 * the number of threads.
 */
import { cutOf, sumOf, totalWeights, type Graph } from './graph/graph.ts'
import { EXACT_VERTICES, bestOfAll } from './initial/exact.ts'
import { assignmentOf, costOf, migrationOf, overloadOf, type Level } from './level.ts'
import { limitsOf, obstacles } from './limits.ts'
import { cycle, multilevel, type Stage } from './multilevel.ts'
import { PRESETS, type Preset, type PresetName } from './preset.ts'
import { Random } from './random.ts'
import { rebalance } from './refine/rebalance.ts'
import { isBetter, scoreOf } from './score.ts'
import { BadPartitionInput } from './errors.ts'

export interface PartitionOptions {
  k: number
  /** Default 1. */
  seed?: number | undefined
  /** How far above ⌈total / k⌉ a part may be; default 0.03. */
  imbalance?: number | undefined
  preset?: PresetName | undefined
  /** The part each vertex must be in, or −1. */
  fixed?: ArrayLike<number> | undefined
  /** What each vertex costs in each part, row by row. */
  costs?: ArrayLike<number> | undefined
  /** The part each vertex is in now, or −1. */
  previous?: ArrayLike<number> | undefined
  /** What it costs to move each vertex out of its previous part; default 1. */
  migrationCosts?: ArrayLike<number> | undefined
  /** The most each part may carry; several constraints stand side by side. */
  capacities?: ArrayLike<number> | undefined
  onStage?: ((stage: Stage) => void) | undefined
}

export interface Partition {
  parts: Int32Array
  cut: number
  /** Sum of the assignment costs. */
  cost: number
  /** Sum of the migration costs. */
  migration: number
  /** What was minimised: cut + cost + migration. */
  objective: number
  /** Load of each part; several constraints stand side by side. */
  loads: Float64Array
  limits: Float64Array
  /** Largest load over ⌈total / k⌉, less 1, of the worst constraint. */
  imbalance: number
  /** Every part is within its limit. */
  balanced: boolean
  /** Why it is not, as far as that can be said. */
  obstacles: string[]
}

export function partition(graph: Graph, options: PartitionOptions): Partition {
  const level = levelOf(graph, options)
  const tell = options.onStage ?? ((): void => {})
  const starts = startsOf(level, options).map((start) => runStart(level, start, tell))
  return finish(level, starts, options)
}

export function levelOf(graph: Graph, options: PartitionOptions): Level {
  checkOptions(graph, options)
  const { k, imbalance = 0.03, fixed, costs, previous, migrationCosts, capacities } = options
  const home = previous === undefined ? null : Int32Array.from(previous)
  return {
    graph,
    k,
    limits: limitsOf(graph, { k, imbalance, capacities }),
    fixed: fixed === undefined ? null : Int32Array.from(fixed),
    costs: costs === undefined ? null : Float64Array.from(costs),
    home,
    loyalty: home === null ? null : Float64Array.from(migrationCosts ?? home.map(() => 1)),
  }
}

/** One way to begin; each is independent of the others, so that threads can share them out. */
export interface Start {
  kind: 'multilevel' | 'home' | 'cheapest'
  preset: PresetName
  seed: number
}

export function startsOf(
  level: Level,
  { seed = 1, preset = 'default' }: PartitionOptions,
): Start[] {
  const chance = new Random(seed)
  const draw = (): number => chance.below(2 ** 32)
  const starts: Start[] = Array.from({ length: PRESETS[preset].runs }, () => ({
    kind: 'multilevel',
    preset,
    seed: draw(),
  }))
  if (level.home !== null) starts.push({ kind: 'home', preset, seed: draw() })
  if (level.costs !== null) starts.push({ kind: 'cheapest', preset, seed: draw() })
  return starts
}

export function runStart(level: Level, start: Start, tell: (stage: Stage) => void): Int32Array {
  const effort = { preset: PRESETS[start.preset], random: new Random(start.seed), tell }
  if (level.k === 1 || level.graph.vertices === 0) return new Int32Array(level.graph.vertices)
  if (start.kind === 'multilevel') return multilevel(level, effort)
  const parts = start.kind === 'home' ? homeParts(level) : cheapestParts(level)
  rebalance(assignmentOf(level, parts))
  return cycle(level, parts, effort)
}

function homeParts({ home, fixed, k, graph }: Level): Int32Array {
  // Newcomers are spread; refinement takes them to where they belong.
  return Int32Array.from({ length: graph.vertices }, (_, v) => {
    if (fixed !== null && fixed[v]! >= 0) return fixed[v]!
    return home![v]! >= 0 ? home![v]! : v % k
  })
}

function cheapestParts({ costs, fixed, k, graph }: Level): Int32Array {
  return Int32Array.from({ length: graph.vertices }, (_, v) => {
    if (fixed !== null && fixed[v]! >= 0) return fixed[v]!
    let best = 0
    for (let p = 1; p < k; p++) if (costs![v * k + p]! < costs![v * k + best]!) best = p
    return best
  })
}

export function finish(level: Level, starts: Int32Array[], options: PartitionOptions): Partition {
  const { seed = 1, preset = 'default', onStage = (): void => {} } = options
  let best = starts[0]!
  for (const parts of starts) {
    if (isBetter(scoreOf(level, parts), scoreOf(level, best))) best = parts
  }
  const random = new Random(seed).fork()
  best = cycled(level, best, { preset: PRESETS[preset], random, tell: onStage })
  if (level.graph.vertices <= EXACT_VERTICES && level.k > 1) best = bestOfAll(level, best)
  return described(level, best)
}

function cycled(
  level: Level,
  parts: Int32Array,
  effort: { preset: Preset; random: Random; tell: (stage: Stage) => void },
): Int32Array {
  if (level.k === 1) return parts
  let best = parts
  for (let i = 0; i < effort.preset.cycles; i++) {
    const next = cycle(level, best, effort)
    if (!isBetter(scoreOf(level, next), scoreOf(level, best))) break
    best = next
  }
  return best
}

export function described(level: Level, parts: Int32Array): Partition {
  const assignment = assignmentOf(level, parts)
  const [cut, cost, migration] = [
    cutOf(level.graph, parts),
    costOf(level, parts),
    migrationOf(level, parts),
  ]
  const balanced = overloadOf(assignment) === 0
  const known = balanced ? [] : obstacles(level)
  return {
    parts,
    cut,
    cost,
    migration,
    objective: cut + cost + migration,
    loads: assignment.loads,
    limits: level.limits,
    imbalance: imbalanceOf(level.graph, assignment.loads, level.k),
    balanced,
    obstacles:
      balanced || known.length > 0
        ? known
        : ['No arrangement within the limits was found; the weights may be too coarse for them'],
  }
}

function imbalanceOf(graph: Graph, loads: Float64Array, k: number): number {
  const { constraints } = graph
  const totals = totalWeights(graph)
  let worst = 0
  for (let at = 0; at < loads.length; at++) {
    const share = Math.ceil(totals[at % constraints]! / k)
    if (share > 0) worst = Math.max(worst, loads[at]! / share - 1)
  }
  return worst
}

/** A vertex has one cell per part in several tables: beyond this no memory suffices. */
const MOST_PARTS = 1_000_000

/** Rejects invalid options: wrong lengths, parts that do not exist, costs that are not numbers. */
function checkOptions(graph: Graph, options: PartitionOptions): void {
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
