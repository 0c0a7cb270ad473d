/**
 * What a table may be called, which columns it may have, and how they may grow: new ones come at the end, older
 * segments give NULL for them, and a type never changes, so that no segment is ever written again for it.
 */
import { BadTable, ColumnChanged } from '../errors.ts'
import type { Column } from '../model.ts'

/** A column as a table keeps it: with the version since which it is there. */
export interface KeptColumn extends Column {
  since: number
}

/** Lower case only: SQL takes `Books` and `books` for one name, files do not. */
const TABLE_NAME = /^[a-z][a-z0-9_]{0,62}$/

export function checkTableName(name: string): void {
  if (TABLE_NAME.test(name)) return
  throw new BadTable(
    `"${name}" cannot name a table; use up to 63 lower-case letters, digits and underscores, a letter first.`,
  )
}

const COLUMN_NAME_LENGTH = 200
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNPRINTABLE = /[\u0000-\u001f\u007f]/

export function checkColumns(columns: readonly Column[]): void {
  if (columns.length === 0) throw new BadTable('A table needs at least one column.')
  const seen = new Set<string>()
  for (const { name, type } of columns) {
    const isName =
      name.trim() !== '' && name.length <= COLUMN_NAME_LENGTH && !UNPRINTABLE.test(name)
    if (!isName) throw new BadTable(`"${name}" cannot name a column.`)
    if (seen.has(columnKey(name))) {
      throw new BadTable(
        `There are two columns "${name}". Upper and lower case do not distinguish names.`,
      )
    }
    seen.add(columnKey(name))
    if (!isType(type)) throw new BadTable(`"${type}" of column "${name}" is no type of a column.`)
  }
}

/** As DuckDB compares names. */
const columnKey = (name: string): string => name.toLowerCase()

/**
 * Types become parts of statements: letters, digits and balanced brackets only, so that a type stays one.
 * Names of fields inside a STRUCT may stand in quotes.
 */
function isType(type: string): boolean {
  const bare = type.replace(/"[^"]*"/g, 'field')
  if (!/^[a-z][\w ,()[\]]*$/i.test(bare)) return false
  let depth = 0
  for (const character of bare) {
    if (character === '(' || character === '[') depth++
    if (character === ')' || character === ']') depth--
    if (depth < 0 || (depth === 0 && character === ',')) return false
  }
  return depth === 0
}

/** Words that DuckDB takes for one type. */
const SYNONYMS: Readonly<Record<string, string>> = {
  TEXT: 'VARCHAR',
  STRING: 'VARCHAR',
  INT: 'INTEGER',
  INT4: 'INTEGER',
  INT8: 'BIGINT',
  LONG: 'BIGINT',
  FLOAT8: 'DOUBLE',
  BOOL: 'BOOLEAN',
  DATETIME: 'TIMESTAMP',
}

/** Equal for types that are one. Names of fields in quotes keep their case. */
function typeKey(type: string): string {
  return type
    .split(/("[^"]*")/)
    .map((part) => (part.startsWith('"') ? part : plainTypeKey(part)))
    .join('')
}

const plainTypeKey = (text: string): string =>
  text
    .toUpperCase()
    .replace(/\s*([(),[\]])\s*/g, '$1')
    .replace(/\w+/g, (word) => SYNONYMS[word] ?? word)

/** The columns of a table once rows with `given` are in it, from `version` on. */
export function grownColumns(
  table: { name: string; columns: readonly KeptColumn[] },
  given: readonly Column[],
  version: number,
): KeptColumn[] {
  const grown = [...table.columns]
  const known = new Map(grown.map((column) => [columnKey(column.name), column]))
  for (const { name, type } of given) {
    const column = known.get(columnKey(name))
    if (column === undefined) grown.push({ name, type, since: version })
    else if (typeKey(column.type) !== typeKey(type)) {
      throw ColumnChanged.of(table.name, name, { is: column.type, given: type })
    }
  }
  return grown
}

export const columnsAt = (columns: readonly KeptColumn[], version: number): Column[] =>
  columns.filter(({ since }) => since <= version).map(({ name, type }) => ({ name, type }))
