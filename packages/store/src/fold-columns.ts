/**
 * The steps as an empty SQLite takes them: columns that a later step adds stand in the statement that creates their
 * table. SQLite reads the whole schema again after each column that is added, and with sixty of them that took most of
 * the time of making a new store. A step that does not allow this fails the test that compares both ways.
 */
import type { Migration } from './migrations.ts'

const CREATED = /^\s*CREATE TABLE (\w+)/
const ADDED = /^\s*ALTER TABLE (\w+) ADD COLUMN ([^]+)$/
/** What is said of a table as a whole comes after its last column. */
const OF_WHOLE_TABLE = /,\s*(?:PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY)\s*\(/

export function foldColumns(migrations: readonly Migration[]): Migration[] {
  const creations = new Map<string, { statements: string[]; index: number }>()
  return migrations.map((migration) => {
    const statements: string[] = []
    for (const statement of migration.statements) {
      const [, table = '', column = ''] = ADDED.exec(statement) ?? []
      const creation = creations.get(table)
      if (creation !== undefined) {
        creation.statements[creation.index] = withColumn(
          creation.statements[creation.index]!,
          column,
        )
        continue
      }
      const [, created] = CREATED.exec(statement) ?? []
      if (created !== undefined) creations.set(created, { statements, index: statements.length })
      statements.push(statement)
    }
    return { ...migration, statements }
  })
}

function withColumn(creation: string, column: string): string {
  const ofWhole = creation.search(OF_WHOLE_TABLE)
  const end = ofWhole === -1 ? creation.lastIndexOf(')') : ofWhole
  return `${creation.slice(0, end).trimEnd()},\n${column}${creation.slice(end)}`
}
