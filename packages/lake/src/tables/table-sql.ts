/** A table at a version as a statement of DuckDB. */
import { sqlName, sqlTexts } from '../kernel/sql-text.ts'
import type { Column, Manifest } from '../model.ts'

/** `pathOf` says where the file of a segment is on this machine. */
export function selectOf(manifest: Manifest, pathOf: (file: string) => string): string {
  return parquetSql(
    manifest.segments.map(({ file }) => pathOf(file)),
    manifest.columns,
  )
}

/**
 * Rows of Parquet files, one file after another, with exactly these columns and types. A file without a column
 * gives NULL for it: the empty select in front names all of them, and costs nothing (filters and the choice of
 * columns pass through the union into the files).
 */
function parquetSql(paths: readonly string[], columns: readonly Column[]): string {
  const nulls = columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`)
  const empty = `SELECT ${nulls.join(', ')} WHERE false`
  if (paths.length === 0) return empty
  const typed = columns.map(
    ({ name, type }) => `CAST(${sqlName(name)} AS ${type}) AS ${sqlName(name)}`,
  )
  // A folder with `=` in its name would else become a column.
  const read = `read_parquet(${sqlTexts(paths)}, union_by_name = true, hive_partitioning = false)`
  return `SELECT ${typed.join(', ')} FROM (${empty} UNION ALL BY NAME SELECT * FROM ${read})`
}
