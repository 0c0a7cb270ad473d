/**
 * Rules of an input as one SELECT over its raw fields: first the values, then what is wrong with them, then the rows
 * as they go on. A row that is dropped says why in `_reject`; fields that were emptied are named in `_flaws`.
 */
import type { FieldRule, InputRules } from '../model.ts'
import { sqlName, sqlText } from '../kernel/sql-text.ts'
import { flawOf, valueSql } from './field-sql.ts'
import { listMacros } from './list-sql.ts'
import { textMacros } from './text-sql.ts'

export { columnType } from './field-sql.ts'

export interface CleanWish {
  rules: InputRules
  /** Names of the file's fields. */
  header: readonly string[]
  /** Columns to have, in this order. */
  wanted: readonly string[]
  /** A table with all fields as texts, by their names in the file. */
  raw: string
  /** Its further columns that are handed on as they are. */
  pass?: readonly string[]
}

export interface CleanSql {
  /** To be run before, once on a connection. */
  macros: readonly string[]
  select: string
}

/** A column that is looked at, and its names on the way. */
interface Part {
  column: string
  rule: FieldRule
  field: string
  value: string
  flaw: string
}

export function cleanSql({ rules, header, wanted, raw, pass = [] }: CleanWish): CleanSql {
  const parts = partsOf(rules, header, wanted)
  const passed = pass.map(sqlName)
  const values = parts.map(
    ({ rule, field, value }) => `${valueSql(rule, field)} AS ${value}, ${field} AS ${value}_raw`,
  )
  const flaws = parts.map((part) => `${flawSql(part)} AS ${part.flaw}`)
  const columns = wanted.map((name) => {
    const part = parts.find(({ column }) => column === name)!
    return `${cleanedSql(part)} AS ${sqlName(name)}`
  })
  const reject = `${rejectSql(parts)} AS _reject`
  const emptied = `${flawsSql(parts, wanted)} AS _flaws`
  const only = header.length === 1 ? ` WHERE nullif(${sqlName(header[0]!)}, '') IS NOT NULL` : ''
  const select = `SELECT * REPLACE (CASE WHEN _reject IS NULL THEN _flaws END AS _flaws) FROM (
  SELECT ${[...columns, ...passed, reject, emptied].join(', ')} FROM (
  SELECT *, ${flaws.join(', ')} FROM (
  SELECT ${[...values, ...passed].join(', ')} FROM ${sqlName(raw)}${only})))`
  return { macros: [...textMacros, ...listMacros], select }
}

/** The fields of the file that cleaning looks at when these columns are wanted. */
export function rawColumns(
  rules: InputRules,
  header: readonly string[],
  wanted: readonly string[],
): string[] {
  const fields = partsOf(rules, header, wanted).map(({ column, rule }) =>
    fieldIn(header, column, rule)!,
  )
  return [...new Set(fields)]
}

/** Names of files are written in many ways; the same letters in another case are the same name. */
export function fieldIn(
  header: readonly string[],
  column: string,
  rule: FieldRule,
): string | undefined {
  const name = rule.from ?? column
  return header.find((field) => field === name) ?? header.find((field) => isSame(field, name))
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** A row can be dropped because of a column that nobody wanted, so such columns are looked at as well. */
function partsOf(
  { columns }: InputRules,
  header: readonly string[],
  wanted: readonly string[],
): Part[] {
  return Object.entries(columns)
    .filter(([column, rule]) => wanted.includes(column) || isDeciding(rule))
    .map(([column, rule], place) => ({
      column,
      rule,
      field: sqlName(fieldIn(header, column, rule) ?? column),
      value: `_value${place}`,
      flaw: `_flaw${place}`,
    }))
}

const isDeciding = (rule: FieldRule): boolean => rule.isRequired === true || rule.onFlaw === 'drop'

/** Null when nothing is wrong: a field without a value is no flaw in itself. */
function flawSql({ column, rule, value }: Part): string {
  const outside = boundsSql(rule, value)
  const readable =
    outside === null ? 'NULL' : `CASE WHEN ${outside} THEN ${reason(column, 'out-of-range')} END`
  if (rule.type === 'text') return 'NULL::VARCHAR'
  return `CASE
    WHEN ${value} IS NOT NULL THEN ${readable}
    WHEN clean_text(${value}_raw) IS NULL THEN NULL
    ELSE ${reason(column, flawOf(rule))} END`
}

function boundsSql({ type, least, most }: FieldRule, value: string): string | null {
  const isNumber = type === 'integer' || type === 'number' || type === 'decimal' || type === 'year'
  if (!isNumber) return null
  const bounds = [
    ...(least === undefined ? [] : [`${value} < ${least}`]),
    ...(most === undefined ? [] : [`${value} > ${most}`]),
  ]
  return bounds.length === 0 ? null : bounds.join(' OR ')
}

const reason = (column: string, flaw: string): string => sqlText(`${column}:${flaw}`)

function cleanedSql({ rule, value, flaw }: Part): string {
  if (rule.type === 'list') return `coalesce(${value}, []::VARCHAR[])`
  return boundsSql(rule, value) === null ? value : `CASE WHEN ${flaw} IS NULL THEN ${value} END`
}

/** The first column in the order of the rules that forbids the row says why. */
function rejectSql(parts: readonly Part[]): string {
  const reasons = parts
    .filter(({ rule }) => isDeciding(rule))
    .map((part) => {
      if (part.rule.isRequired !== true) return part.flaw
      const isMissing =
        part.rule.type === 'list' ? `len(${cleanedSql(part)}) = 0` : `${part.value} IS NULL`
      return `coalesce(${part.flaw}, CASE WHEN ${isMissing} THEN ${reason(part.column, 'missing')} END)`
    })
  return reasons.length === 0
    ? 'NULL::VARCHAR'
    : `coalesce(${[...reasons, 'NULL::VARCHAR'].join(', ')})`
}

function flawsSql(parts: readonly Part[], wanted: readonly string[]): string {
  const flaws = parts
    .filter(
      ({ column, rule }) => rule.type !== 'text' && !isDeciding(rule) && wanted.includes(column),
    )
    .map(({ flaw }) => flaw)
  if (flaws.length === 0) return 'NULL::VARCHAR[]'
  return `CASE WHEN coalesce(${[...flaws, 'NULL'].join(', ')}) IS NOT NULL
    THEN list_filter([${flaws.join(', ')}], lambda f: f IS NOT NULL) END`
}
