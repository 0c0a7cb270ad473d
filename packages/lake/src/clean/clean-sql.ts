/**
 * Rules of an input as one SELECT over its raw fields: first the values, then what is wrong with them, then the rows
 * as they go on. A row that is dropped says why in `_reject`; fields that were emptied are named in `_flaws`.
 */
import type { FieldRule, InputRules } from '../model.ts'
import { sqlName } from '../kernel/sql-text.ts'
import {
  grouped,
  groupCleaned,
  groupFlaws,
  groupTexts,
  groupValues,
  type Group,
  type Part,
} from './column-groups.ts'
import { flawOf, valueSql } from './field-sql.ts'
import { boundsSql, flawCase, OUT_OF_RANGE, reason } from './flaw-sql.ts'
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

export function cleanSql({ rules, header, wanted, raw, pass = [] }: CleanWish): CleanSql {
  const { parts, groups } = grouped(partsOf(rules, header, wanted), isDeciding)
  const passed = pass.map(sqlName)
  const values = [
    ...parts.map(
      ({ rule, field, value }) => `${valueSql(rule, field)} AS ${value}, ${field} AS ${value}_raw`,
    ),
    ...groups.map(groupValues),
  ]
  const flaws = [
    ...parts.map((part) => `${flawSql(part)} AS ${part.flaw}`),
    ...groups.map(groupFlaws),
  ]
  const cleaned = new Map([
    ...parts.map((part): [string, string] => [part.column, cleanedSql(part)]),
    ...groups.flatMap(groupCleaned),
  ])
  const columns = wanted.map((name) => `${cleaned.get(name)} AS ${sqlName(name)}`)
  const reject = `${rejectSql(parts)} AS _reject`
  const emptied = `${flawsSql(parts, groups)} AS _flaws`
  const only = header.length === 1 ? ` WHERE nullif(${sqlName(header[0]!)}, '') IS NOT NULL` : ''
  const rows = `SELECT ${[...columns, ...passed, reject, emptied].join(', ')} FROM (
  SELECT ${['*', ...flaws].join(', ')} FROM (
  SELECT ${[...values, ...passed].join(', ')} FROM (
  SELECT ${['*', ...groups.map(groupTexts)].join(', ')} FROM ${sqlName(raw)}${only})))`
  // A step over thousands of columns takes memory for each, so there is none that changes nothing.
  const select = dropsRows(rules)
    ? `SELECT * REPLACE (CASE WHEN _reject IS NULL THEN _flaws END AS _flaws) FROM (${rows})`
    : rows
  return { macros: [...textMacros, ...listMacros], select }
}

/** The fields of the file that cleaning reads when these columns are wanted. */
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

/** A row can be dropped because of an unrequested column, so such columns are checked as well. */
function partsOf(
  { columns }: InputRules,
  header: readonly string[],
  wanted: readonly string[],
): Part[] {
  const isWanted = new Set(wanted)
  return Object.entries(columns)
    .filter(([column, rule]) => isWanted.has(column) || isDeciding(rule))
    .map(([column, rule], place) => ({
      column,
      rule,
      field: sqlName(fieldIn(header, column, rule) ?? column),
      value: `_value${place}`,
      flaw: `_flaw${place}`,
    }))
}

/** Whether a row can be dropped for what is in it. */
export const dropsRows = ({ columns }: InputRules): boolean =>
  Object.values(columns).some(isDeciding)

/** Whether a row without it, or with a flaw in it, is dropped. */
export const isDeciding = (rule: FieldRule): boolean =>
  rule.isRequired === true || rule.onFlaw === 'drop'

/** Null when nothing is wrong: a field without a value is no flaw in itself. */
function flawSql({ column, rule, value }: Part): string {
  if (rule.type === 'text') return 'NULL::VARCHAR'
  return flawCase(rule, {
    value,
    text: `${value}_raw`,
    outside: reason(column, OUT_OF_RANGE),
    unreadable: reason(column, flawOf(rule)),
  })
}

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

function flawsSql(parts: readonly Part[], groups: readonly Group[]): string {
  const single = parts
    .filter(({ rule }) => rule.type !== 'text' && !isDeciding(rule))
    .map(({ flaw }) => flaw)
  const lists = groups.filter(({ rule }) => rule.type !== 'text').map(({ flaws }) => flaws)
  if (single.length + lists.length === 0) return 'NULL::VARCHAR[]'
  const some = [
    ...(single.length === 0 ? [] : [`coalesce(${[...single, 'NULL'].join(', ')}) IS NOT NULL`]),
    ...lists.map((list) => `len(${list}) > 0`),
  ]
  const all = [
    ...(single.length === 0
      ? []
      : [`list_filter([${single.join(', ')}], lambda f: f IS NOT NULL)`]),
    ...lists,
  ]
  return `CASE WHEN ${some.join(' OR ')} THEN ${all.join(' || ')} END`
}
