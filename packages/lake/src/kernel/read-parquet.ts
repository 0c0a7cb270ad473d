/** Parquet files as one view: nothing is read until a statement needs it, and then only its columns. */
import type { TaskRead } from '../model.ts'
import type { ReadFigures } from './read-range.ts'
import { ROWS_PER_UNIT } from './row-number.ts'
import type { Sandbox } from './sandbox.ts'
import { sqlName, sqlTexts } from './sql-text.ts'

export type ParquetRead = Extract<TaskRead, { kind: 'parquet' }>

/** `paths`: where the files are on this machine, in their order. */
export async function readParquet(
  read: ParquetRead,
  paths: readonly string[],
  sandbox: Sandbox,
): Promise<ReadFigures> {
  const shown = read.columns === null ? '*' : read.columns.map(sqlName).join(', ')
  const withRow = read.withRow && read.columns !== null ? ', _row' : ''
  const select =
    shown === '' && withRow === '' ? '1 AS _one' : `${shown}${withRow}`.replace(/^, /, '')
  await sandbox.run(
    `CREATE TEMP VIEW ${sqlName(read.as)} AS SELECT ${select} FROM (${rowsSql(read, paths)})`,
  )
  const bytes = read.files.reduce((sum, file) => sum + file.bytes, 0)
  const [[rows] = []] = await sandbox.rows(`SELECT count(*)::DOUBLE FROM ${sqlName(read.as)}`)
  return { rows: Number(rows), bytes, rejects: {} }
}

function rowsSql({ types, withRow, unit = 0 }: ParquetRead, paths: readonly string[]): string {
  const row = `((${unit} + file_index::BIGINT) * ${ROWS_PER_UNIT} + file_row_number)::BIGINT AS _row`
  // A folder with `=` in its name must not become a column.
  const options = `hive_partitioning = false${types ? ', union_by_name = true' : ''}`
  const files = `SELECT *${withRow ? `, ${row}` : ''} FROM read_parquet(${sqlTexts(paths)}, ${options})`
  if (!types) return files
  // The empty select names every column; the choice of columns passes through the union into the files.
  const nulls = types.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`)
  if (withRow) nulls.push('CAST(NULL AS BIGINT) AS _row')
  const empty = `SELECT ${nulls.join(', ')} WHERE false`
  return paths.length === 0 ? empty : `${empty} UNION ALL BY NAME ${files}`
}
