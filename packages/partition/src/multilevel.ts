/**
 * Multilevel k-way partitioning: coarsen → partition the coarsest → refine level by level → and again
 * around what was found (V-cycles), which can only improve it.
 */
import { coarsen, isEven, projectDown, projectUp, type Step } from './coarsen/hierarchy.ts'
import { bisectRecursively } from './initial/bisect.ts'
import { assignmentOf, relaxed, type Level } from './level.ts'
import type { Preset } from './preset.ts'
import type { Random } from './random.ts'
import { refineByFm } from './refine/fm.ts'
import { refineByLabels } from './refine/label-propagation.ts'
import { refineLoosely } from './refine/loosely.ts'
import { rebalance } from './refine/rebalance.ts'

/** What a long run tells about itself. */
export interface Stage {
  stage: 'coarsened' | 'partitioned' | 'refined'
  vertices: number
}

export interface Effort {
  preset: Preset
  random: Random
  tell: (stage: Stage) => void
}

export function multilevel(level: Level, effort: Effort): Int32Array {
  const { preset, random, tell } = effort
  const classes = classesOf(level, null)
  const { coarsest, steps } = coarsen(
    level,
    { preset, enough: enoughFor(level, preset), classes },
    random,
  )
  tell({ stage: 'coarsened', vertices: coarsest.graph.vertices })
  const parts = bisectRecursively(coarsest, preset, random)
  tell({ stage: 'partitioned', vertices: coarsest.graph.vertices })
  return uncoarsen({ coarsest, steps, parts }, effort)
}

/** One V-cycle: vertices are merged only within their part, so the partition survives coarsening. */
export function cycle(level: Level, parts: Int32Array, effort: Effort): Int32Array {
  const { preset, random } = effort
  const classes = classesOf(level, parts)
  const { coarsest, steps } = coarsen(
    level,
    { preset, enough: enoughFor(level, preset), classes },
    random,
  )
  const coarse = steps.reduce((found, { clustering }) => projectUp(found, clustering), parts)
  return uncoarsen({ coarsest, steps, parts: coarse.slice() }, effort)
}

function enoughFor({ k }: Level, preset: Preset): number {
  return Math.max(preset.coarsestPerPart * k, 160)
}

interface Coarse {
  coarsest: Level
  steps: Step[]
  parts: Int32Array
}

function uncoarsen(
  { coarsest, steps, parts }: Coarse,
  { preset, random, tell }: Effort,
): Int32Array {
  const finest = steps[0]?.finer ?? coarsest
  const rules = { ...preset, largeSlacks: isEven(finest.graph) ? [] : preset.slacks }
  let fine = parts
  refine(coarsest === finest ? finest : relaxed(coarsest), fine, rules, random)
  for (const { finer, clustering } of steps.toReversed()) {
    fine = projectDown(fine, clustering)
    refine(finer === finest ? finest : relaxed(finer), fine, rules, random)
    tell({ stage: 'refined', vertices: finer.graph.vertices })
  }
  return fine
}

/** Meshes gain little by loosened limits: on large levels they are spared the time. */
interface RefineRules extends Preset {
  largeSlacks: number[]
}

function refine(level: Level, parts: Int32Array, preset: RefineRules, random: Random): void {
  const assignment = assignmentOf(level, parts)
  const { heads, vertices } = level.graph
  rebalance(assignment)
  refineByLabels(assignment, preset.labelRounds, random)
  for (const slack of heads.length > SMALL_ARCS ? preset.largeSlacks : preset.slacks) {
    refineLoosely(assignment, slack, preset, random)
  }
  if (heads.length > preset.fmArcs || vertices * level.k > TABLE_CELLS) return
  refineByFm(assignment, heads.length > SMALL_ARCS ? preset.fm : preset.fmSmall, random)
}

const SMALL_ARCS = 100_000

/** A table of a gigabyte is the most that FM may ask for; beyond it labels refine alone. */
const TABLE_CELLS = 2 ** 28

function classesOf({ fixed, home, graph, k }: Level, parts: Int32Array | null): Int32Array | null {
  if (fixed === null && home === null) return parts
  const classes = new Int32Array(graph.vertices)
  for (let v = 0; v < graph.vertices; v++) {
    const bound = fixed !== null && fixed[v]! >= 0 ? fixed[v]! + 1 : 0
    const from = home === null ? 0 : home[v]! + 1
    const now = parts === null ? 0 : parts[v]!
    classes[v] = (bound * (k + 1) + from) * k + now
  }
  return classes
}
