/**
 * Prints the tables of docs/estimators.md: `node simulate/estimators/estimators-main.ts [seed]`.
 * All but the last are the same on every machine.
 */
import { beliefTables } from './belief-figures.ts'
import { otherTable, populationTable, reproducedTable } from './compare-estimators.ts'
import { costTable } from './costs.ts'

const seed = Number(process.argv[2] ?? 1)

for (const table of [reproducedTable, otherTable, populationTable, beliefTables, costTable]) {
  process.stdout.write(`${table(seed)}\n\n`)
}
