/** Which of two partitions is better: the one nearer to its limits, then the one with the lower objective. */
import { assignmentOf, objectiveOf, overloadOf, type Level } from './level.ts'

export interface Score {
  overload: number
  objective: number
}

export function scoreOf(level: Level, parts: Int32Array): Score {
  return {
    overload: overloadOf(assignmentOf(level, parts)),
    objective: objectiveOf(level, parts),
  }
}

export function isBetter(one: Score, other: Score): boolean {
  if (one.overload !== other.overload) return one.overload < other.overload
  return one.objective < other.objective
}
