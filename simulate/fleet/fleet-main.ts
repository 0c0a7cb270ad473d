/** The door of this folder: options in, finished texts out. `minga simulate fleet` knows no more. */
import { csvOf, figuresOf, textOf } from './print-report.ts'
import { parseScenario, scenarioOf, type ScenarioOptions } from './scenario.ts'
import { simulateFleet, type Progress } from './simulate-fleet.ts'

export interface FleetOutput {
  text: string
  json: string
  files: { name: string; content: string }[]
}

/** `scenario`: the text of a scenario file, or null for the thesis's experiments. */
export async function fleetSimulation(
  scenario: string | null,
  options: ScenarioOptions,
  onProgress?: Progress,
): Promise<FleetOutput> {
  const report = await simulateFleet(scenarioOf(parseScenario(scenario), options), onProgress)
  const drawings = figuresOf(report).map(({ name, svg }) => ({ name: `${name}.svg`, content: svg }))
  return {
    text: textOf(report),
    json: JSON.stringify(report),
    files: [{ name: 'fleet.csv', content: csvOf(report) }, ...drawings],
  }
}
