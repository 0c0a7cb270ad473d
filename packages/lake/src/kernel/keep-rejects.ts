/**
 * The dropped records, for users who want to see them: where they were, why they were dropped, and
 * their content.
 */
import { TORN } from './raw-rows.ts'
import { isCsv, type RangeRead } from './read-range.ts'
import { rowNumber } from './row-number.ts'
import type { Sandbox } from './sandbox.ts'
import { sqlName, sqlText } from './sql-text.ts'

/** Enough to see what is wrong; a side table must not become as large as the file. */
const RECORD_CHARACTERS = 10_000

/** More fields than that go through the statement as one list: each column takes memory in each of its steps. */
const FIELDS_APART = 64
const LIST = '_fields'

/** Names of the columns that hold the fields of a record; no other column has one of these. */
export const fieldNames = (fields: readonly string[]): string[] =>
  fields.length > FIELDS_APART ? [LIST] : fields.map((_field, place) => `_field${place}`)

/** The fields once more under those names. */
export function withFields(rows: string, fields: readonly string[]): string {
  if (fields.length === 0) return rows
  const again =
    fields.length > FIELDS_APART
      ? [`[${fields.map(sqlName).join(', ')}] AS ${LIST}`]
      : fieldNames(fields).map((name, place) => `${sqlName(fields[place]!)} AS ${name}`)
  return `SELECT ${['*', ...again].join(', ')} FROM (${rows})`
}

/** The record of a dropped row as JSON. DuckDB computes a CASE only where it holds, so the others cost nothing. */
export function withRecord(select: string, fields: readonly string[]): string {
  if (fields.length === 0) return select
  const text = `left(${recordSql(fields)}::VARCHAR, ${RECORD_CHARACTERS})`
  return `SELECT * EXCLUDE (${fieldNames(fields).join(', ')}), CASE WHEN _reject IS NOT NULL THEN ${text} END AS _record
    FROM (${select})`
}

/** Both ways give the same text. */
function recordSql(fields: readonly string[]): string {
  const texts = fields.map(sqlText)
  if (fields.length > FIELDS_APART) return `to_json(map([${texts.join(', ')}], ${LIST}))`
  const names = fieldNames(fields)
  return `json_object(${names.map((name, place) => `${texts[place]}, ${name}`).join(', ')})`
}

export async function keepRejects(
  read: RangeRead,
  sandbox: Sandbox,
  { cleaned, tooLong, isRecorded }: { cleaned: string; tooLong: number; isRecorded: boolean },
): Promise<void> {
  if (read.rejectsAs === undefined) return
  const dropped = `SELECT ${rowNumber(read.unit)} AS row, coalesce(_broken, _reject) AS reason, ${isRecorded ? '_record' : 'NULL::VARCHAR'} AS record
    FROM ${cleaned} WHERE coalesce(_broken, _reject) IS NOT NULL`
  // A record with several things wrong is named once; where it stood is not known.
  const torn = `SELECT NULL::BIGINT, 'row:fields', left(any_value(csv_line), ${RECORD_CHARACTERS})
    FROM ${TORN} GROUP BY line`
  // DuckDB never saw these.
  const long = `SELECT NULL::BIGINT, 'row:too-long', NULL::VARCHAR FROM range(${tooLong})`
  const all = [dropped, ...(isCsv(read) ? [torn] : []), long].join(' UNION ALL ')
  await sandbox.run(`CREATE TEMP TABLE ${sqlName(read.rejectsAs)} AS ${all}`)
  await sandbox.run(
    `CREATE TEMP TABLE ${sqlName(`${read.rejectsAs}_count`)} AS
     SELECT ${read.unit}::BIGINT AS unit, count(*)::BIGINT AS rows FROM ${cleaned}`,
  )
}
