/** The records that were dropped, for whoever wants to see them: where they stood, why, and what was in them. */
import { TORN } from './raw-rows.ts'
import { isCsv, type RangeRead } from './read-range.ts'
import { rowNumber } from './row-number.ts'
import type { Sandbox } from './sandbox.ts'
import { sqlName, sqlText } from './sql-text.ts'

/** Enough to see what is wrong; a side table must not become as large as the file. */
const RECORD_CHARACTERS = 10_000

export const fieldName = (place: number): string => `_field${place}`

/** The fields once more under names that no column has. */
export function withFields(rows: string, fields: readonly string[]): string {
  const again = fields.map((field, place) => `${sqlName(field)} AS ${fieldName(place)}`)
  return `SELECT ${['*', ...again].join(', ')} FROM (${rows})`
}

/** The record of a dropped row as JSON. DuckDB computes a CASE only where it holds, so the others cost nothing. */
export function withRecord(select: string, fields: readonly string[]): string {
  if (fields.length === 0) return `SELECT *, NULL::VARCHAR AS _record FROM (${select})`
  const names = fields.map((_field, place) => fieldName(place))
  const record = fields.map((field, place) => `${sqlText(field)}, ${fieldName(place)}`)
  const text = `left(json_object(${record.join(', ')})::VARCHAR, ${RECORD_CHARACTERS})`
  return `SELECT * EXCLUDE (${names.join(', ')}), CASE WHEN _reject IS NOT NULL THEN ${text} END AS _record
    FROM (${select})`
}

export async function keepRejects(
  read: RangeRead,
  sandbox: Sandbox,
  { cleaned, tooLong }: { cleaned: string; tooLong: number },
): Promise<void> {
  if (read.rejectsAs === undefined) return
  const dropped = `SELECT ${rowNumber(read.unit)} AS row, coalesce(_broken, _reject) AS reason, _record AS record
    FROM ${cleaned} WHERE coalesce(_broken, _reject) IS NOT NULL`
  // A record with several things wrong is named once; where it stood is not known.
  const torn = `SELECT NULL::BIGINT, 'row:fields', left(any_value(csv_line), ${RECORD_CHARACTERS})
    FROM ${TORN} GROUP BY line`
  // DuckDB never saw these.
  const long = `SELECT NULL::BIGINT, 'row:too-long', NULL::VARCHAR FROM range(${tooLong})`
  const all = [dropped, ...(isCsv(read) ? [torn] : []), long].join(' UNION ALL ')
  await sandbox.run(`CREATE TEMP TABLE ${sqlName(read.rejectsAs)} AS ${all}`)
}
