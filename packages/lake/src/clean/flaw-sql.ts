/** What is wrong with a value, in DuckDB's words; null when nothing is. */
import { sqlText } from '../kernel/sql-text.ts'
import type { FieldRule } from '../model.ts'
import { roughNumber } from './field-sql.ts'

export const OUT_OF_RANGE = 'out-of-range'

export const reason = (column: string, flaw: string): string => sqlText(`${column}:${flaw}`)

interface FlawParts {
  value: string
  /** The field as it stands in the file. */
  text: string
  outside: string
  unreadable: string
}

export function flawCase(rule: FieldRule, { value, text, outside, unreadable }: FlawParts): string {
  const bounds = boundsSql(rule, value)
  const readable = bounds === null ? 'NULL' : `CASE WHEN ${bounds} THEN ${outside} END`
  // What has too many digits to be kept exactly may be out of bounds all the same.
  const rough = rule.type === 'decimal' ? boundsSql(rule, roughNumber(text)) : null
  return `CASE
    WHEN ${value} IS NOT NULL THEN ${readable}
    WHEN clean_text(${text}) IS NULL THEN NULL
    ${rough === null ? '' : `WHEN ${rough} THEN ${outside}`}
    ELSE ${unreadable} END`
}

/** Whether a value is outside of its bounds; null when it has none. */
export function boundsSql({ type, least, most }: FieldRule, value: string): string | null {
  const isNumber = type === 'integer' || type === 'number' || type === 'decimal' || type === 'year'
  if (!isNumber) return null
  const bounds = [
    ...(least === undefined ? [] : [`${value} < ${least}`]),
    ...(most === undefined ? [] : [`${value} > ${most}`]),
  ]
  return bounds.length === 0 ? null : bounds.join(' OR ')
}
