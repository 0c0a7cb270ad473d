/** Progress of a partition on standard error: a line per stage, for graphs that take a while. */
import type { Stage } from '@minga/partition'

/** Below this a run is over before anybody could read about it. */
const LARGE_ARCS = 2_000_000

export function stageLines(arcs: number): (stage: Stage) => void {
  if (arcs < LARGE_ARCS) return () => {}
  const startedMs = performance.now()
  return ({ stage, vertices }) => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    process.stderr.write(`minga: ${seconds} s: ${SAID[stage]} ${vertices} vertices\n`)
  }
}

const SAID: Record<Stage['stage'], string> = {
  coarsened: 'coarsened to',
  partitioned: 'partitioned',
  refined: 'refined',
}
