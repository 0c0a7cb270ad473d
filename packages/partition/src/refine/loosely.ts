/**
 * Refinement across full parts: where every part is filled to its limit, a vertex cannot go where its
 * links are, however clear the case. So limits are loosened, labels flow, overloaded parts are
 * drained at the least loss, and the outcome is kept if it is better. On web graphs this finds
 * what no walk of single legal moves does. (After Maas, Gottesbüren, Seemaier, "Parallel unconstrained
 * local search for partitioning irregular graphs", ALENEX 2024.)
 */
import { assignmentOf, type Assignment } from '../level.ts'
import type { Preset } from '../preset.ts'
import type { Random } from '../random.ts'
import { refineByLabels } from './label-propagation.ts'
import { rebalance } from './rebalance.ts'

export function refineLoosely(
  assignment: Assignment,
  slack: number,
  preset: Preset,
  random: Random,
): number {
  const { level, parts, loads } = assignment
  const limits = level.limits.map((limit) => limit * (1 + slack))
  const trial = parts.slice()
  let gained = refineByLabels(assignmentOf({ ...level, limits }, trial), preset.labelRounds, random)
  const strict = assignmentOf(level, trial)
  const drained = rebalance(strict)
  if (!drained.within) return 0
  gained += drained.gained + refineByLabels(strict, preset.labelRounds, random)
  if (gained <= 0) return 0
  parts.set(trial)
  loads.set(strict.loads)
  return gained
}
