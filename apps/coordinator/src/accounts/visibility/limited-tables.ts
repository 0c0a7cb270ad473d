/** The station's own tables, as those read them who may not see all collections and wikis. */
import type { Manifest } from '@minga/lake'

/** Numbers of collections and keys of wikis that the viewer may not see. */
export interface Hidden {
  collections: readonly number[]
  wikis: readonly string[]
}

export const NOTHING_HIDDEN: Hidden = { collections: [], wikis: [] }

/** The column that says to what a row belongs. */
const COLUMNS: Readonly<Record<string, { column: string; of: keyof Hidden }>> = {
  captures: { column: 'collection', of: 'collections' },
  links: { column: 'collection', of: 'collections' },
  changes: { column: 'watch', of: 'collections' },
  requests: { column: 'collection', of: 'collections' },
  revisions: { column: 'wiki', of: 'wikis' },
}

/** Whether a table has rows that are hidden from this viewer. */
export function hasHiddenRows(table: string, hidden: Hidden): boolean {
  const known = COLUMNS[table]
  return known !== undefined && hidden[known.of].length > 0
}

/** A table as a statement, without the rows that are hidden. */
export function withoutHidden(
  select: string,
  { table, columns }: Pick<Manifest, 'table' | 'columns'>,
  hidden: Hidden,
): string {
  const known = COLUMNS[table]
  if (known === undefined || hidden[known.of].length === 0) return select
  if (!columns.some(({ name }) => name === known.column)) return select
  const values = hidden[known.of].map((value) =>
    typeof value === 'number' ? value : `'${value.replaceAll("'", "''")}'`,
  )
  return `SELECT * FROM (${select}) WHERE "${known.column}" NOT IN (${values.join(', ')})`
}
