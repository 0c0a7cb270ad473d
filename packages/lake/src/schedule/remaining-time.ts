/** How long a query will still take: tasks that are left, at the pace of those that are done. */

export interface StagePace {
  total: number
  running: number
  done: number
  spentMs: number
}

/**
 * Tasks of a stage that has none done yet are taken to be as long as the others were on average; tasks under way
 * as half done. Null before the first task is done.
 */
export function remainingMs(stages: readonly StagePace[]): number | null {
  const done = sum(stages, (stage) => stage.done)
  if (done === 0) return null
  const usualMs = sum(stages, ({ spentMs }) => spentMs) / done
  const leftMs = sum(stages, (stage) => {
    const eachMs = stage.done > 0 ? stage.spentMs / stage.done : usualMs
    return eachMs * (stage.total - stage.done - stage.running / 2)
  })
  return Math.round(
    leftMs /
      Math.max(
        1,
        sum(stages, ({ running }) => running),
      ),
  )
}

function sum(stages: readonly StagePace[], of: (stage: StagePace) => number): number {
  return stages.reduce((total, stage) => total + of(stage), 0)
}
