// Goal: docs/estimators.md says what the code does. Method: the tables are made again from the same
// seed and looked for in the document; the reproduced ones are held against the published figures.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { beliefTables } from './belief-figures.ts'
import { beyondNoise, otherTable, populationTable, reproducedTable } from './compare-estimators.ts'

/** As the formatter leaves them: cells are compared, not the spaces that align them. */
function rowsOf(markdown: string): string[] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('|') && !/^\|\s*-/.test(line))
  return rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())
}

const written = rowsOf(readFileSync(new URL('../../docs/estimators.md', import.meta.url), 'utf8'))

for (const [name, table] of Object.entries({
  reproducedTable,
  otherTable,
  populationTable,
  beliefTables,
})) {
  test(`the document shows every row of ${name} as the code computes it`, () => {
    const missing = rowsOf(table(1)).filter((row) => !written.includes(row))
    assert.deepEqual(missing, [])
  })
}

test('no reproduced figure differs from the published one by more than both simulations’ noise', () => {
  assert.deepEqual(beyondNoise(1), [])
})
