/** Rows of a file that has types of its own, as texts: then they are cleaned by the same rules as all others. */
import type { Column } from '../model.ts'
import { sqlName } from '../kernel/sql-text.ts'

/** `from` is what stands behind FROM; `fields` are those of its columns that are looked at. */
export function typedRows(
  from: string,
  columns: readonly Column[],
  fields: readonly string[],
): string {
  const texts = columns
    .filter(({ name }) => fields.includes(name))
    .map(({ name, type }) => `${textOf(sqlName(name), type)} AS ${sqlName(name)}`)
  return `SELECT ${['NULL::VARCHAR AS _broken', ...texts].join(', ')} FROM ${from}`
}

/** Nested values are JSON, which lists and JSON are read from; all others have a text that reads back the same. */
function textOf(name: string, type: string): string {
  if (/\]$|^(?:STRUCT|MAP|UNION)\b/.test(type)) return `to_json(${name})::VARCHAR`
  return `${name}::VARCHAR`
}
