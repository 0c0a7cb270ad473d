/** The station's own tables, as those read them who may not see all collections. */
import type { Manifest } from '@minga/lake'

/** The column that says to which collection a row belongs. */
const COLLECTION_OF: Readonly<Record<string, string>> = {
  captures: 'collection',
  links: 'collection',
  changes: 'watch',
  requests: 'collection',
}

/** Whether rows of a table are hidden from somebody from whom these collections are. */
export function hasHiddenRows(table: string, hidden: readonly number[]): boolean {
  return hidden.length > 0 && COLLECTION_OF[table] !== undefined
}

/** A table as a statement, without the rows that are hidden. */
export function withoutHidden(
  select: string,
  { table, columns }: Pick<Manifest, 'table' | 'columns'>,
  hidden: readonly number[],
): string {
  const column = COLLECTION_OF[table]
  if (hidden.length === 0 || column === undefined) return select
  if (!columns.some(({ name }) => name === column)) return select
  return `SELECT * FROM (${select}) WHERE "${column}" NOT IN (${hidden.join(', ')})`
}
