/** All of a scenario for one seed; a result depends on nothing but the scenario and the seed. */
import type { SeedFigures } from './cells.ts'
import { SeedExperiments } from './seed-experiments.ts'
import type { Scenario } from './scenario.ts'
import { thesisRules } from './workload.ts'

export type SeedTask = Pick<Scenario, 'scale' | 'cells' | 'placements'>

/** `tell` is called after every cell. */
export function runSeed(task: SeedTask, seed: number, tell = (): void => {}): SeedFigures {
  const rules = thesisRules(task.scale)
  const experiments = new SeedExperiments(rules, seed)
  const placements = task.placements.map((cell) => {
    const figures = experiments.placement(cell)
    tell()
    return { cell, figures }
  })
  const crawls = task.cells.map((cell) => {
    const result = experiments.crawl(cell)
    tell()
    return { cell, result }
  })
  return { seed, pages: rules.pages, densest: rules.densestHost, crawls, placements }
}
