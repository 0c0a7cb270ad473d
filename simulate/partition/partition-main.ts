/** The door of this folder: options in, finished texts out. `minga simulate partition` knows no more. */
import { parseScenario } from '../fleet/scenario.ts'
import { figuresOf } from './figures.ts'
import { csvOf, placementsCsvOf, textOf } from './print-report.ts'
import { reportOf } from './report.ts'
import { scenarioOf, type ScenarioOptions } from './scenario.ts'
import { simulatePartition, type Progress } from './simulate-partition.ts'

export interface PartitionOutput {
  text: string
  json: string
  files: { name: string; content: string }[]
}

/** `scenario`: the text of a scenario file, or null for the usual one. */
export async function partitionSimulation(
  scenario: string | null,
  options: ScenarioOptions,
  onProgress?: Progress,
): Promise<PartitionOutput> {
  const chosen = scenarioOf(parseScenario(scenario), options)
  const report = reportOf(chosen, await simulatePartition(chosen, onProgress))
  const drawings = figuresOf(report).map(({ name, svg }) => ({ name: `${name}.svg`, content: svg }))
  return {
    text: textOf(report),
    json: JSON.stringify(report),
    files: [
      { name: 'partition.csv', content: csvOf(report) },
      { name: 'placements.csv', content: placementsCsvOf(report) },
      ...drawings,
    ],
  }
}
