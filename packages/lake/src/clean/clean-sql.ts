/**
 * Rules of an input as one SELECT over its raw fields: first the values, then what is wrong with them, then the rows
 * as they go on. A row that is dropped says why in `_reject`; fields that were emptied are named in `_flaws`.
 */
import type { FieldRule, InputRules } from '../model.ts'
import { sqlName, sqlText } from '../kernel/sql-text.ts'
import {
  groupCleaned,
  groupFlaws,
  groupTexts,
  groupValues,
  grouped,
  type Group,
  type Part,
} from './column-groups.ts'
import { flawOf, valueSql } from './field-sql.ts'
import { OUT_OF_RANGE, boundsSql, flawCase, reason } from './flaw-sql.ts'
import { textMacros } from './text-sql.ts'
import { SHORT_ESCAPES } from './python-list.ts'
import { whiteSpaceOf } from './white-space.ts'

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

const SPACE = `[${whiteSpaceOf('re2')}]*`
const STRING = `[uU]?(?:'(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*")`
const ELEMENT = `${STRING}(?:${SPACE}${STRING})*|None|null|True|true|False|false|[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?`
const LIST = `(?s)${SPACE}\\[${SPACE}(?:(?:${ELEMENT})${SPACE}(?:,${SPACE}(?:${ELEMENT})${SPACE})*,?)?${SPACE}\\]${SPACE}`
/** By far most lists: texts without quotes or backslashes in them and without white space at their edges. */
const VISIBLE = `[!#-&(-\\[\\]-~]`
const NEAT_TEXT = `${VISIBLE}(?:[^'"\\\\]*${VISIBLE})?`
const NEAT = `\\['${NEAT_TEXT}'(?:, '${NEAT_TEXT}')*\\]`

const PAIR = '\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}'
const CODE = '\\\\x[0-9a-fA-F]{2}|\\\\u[0-9a-fA-F]{4}|\\\\U[0-9a-fA-F]{8}'
const PIECE = `(?s)${PAIR}|${CODE}|\\\\[0-7]{1,3}|\\\\.|[^\\\\]+`

const hex = (piece: string, from: number, to: number): string =>
  `coalesce(TRY_CAST('0x' || ${piece}[${from}:${to}] AS BIGINT), 0)`

const octal = (piece: string): string =>
  `list_reduce([0::BIGINT] || list_transform(string_split(${piece}[2:], ''), lambda d: coalesce(TRY_CAST(d AS BIGINT), 0)), lambda whole, d: whole * 8 + d)`

/** `chr` fails on what is no character, so it is never given that. */
const character = (code: string): string =>
  `chr((CASE WHEN ${code} > 1114111 OR ${code} BETWEEN 55296 AND 57343 THEN 65533 ELSE ${code} END)::INTEGER)`

const pair = (piece: string): string =>
  `(65536 + ((${hex(piece, 3, 6)} - 55296) * 1024) + (${hex(piece, 9, 12)} - 56320))`

const shortEscapes = (piece: string): string =>
  Object.entries(SHORT_ESCAPES)
    .map(([letter, value]) => `WHEN ${sqlText(`\\${letter}`)} THEN ${sqlText(value)}`)
    .reduce((cases, one) => `${cases} ${one}`, `CASE ${piece}`)
    .concat(` ELSE ${piece} END`)

const PIECE_VALUE = `CASE
    WHEN p[1] <> '\\' THEN p
    WHEN length(p) = 12 THEN ${character(pair('p'))}
    WHEN p[2] BETWEEN '0' AND '7' THEN ${character(octal('p'))}
    WHEN length(p) > 2 THEN ${character(hex('p', 3, 10))}
    ELSE ${shortEscapes('p')} END`

/** Texts side by side are one; only texts end with a quote, while a `u` may stand before the first. */
const elements = (text: (quoted: string) => string): string => `list_filter(
    list_transform(regexp_extract_all(x, ${sqlText(`(?s)${ELEMENT}`)}), lambda t: CASE
      WHEN t[-1] IN ('''', '"') THEN clean_text(array_to_string(list_transform(
        regexp_extract_all(t, ${sqlText(`(?s)${STRING}`)}), lambda q: ${text(`ltrim(q, 'uU')`)}), ''))
      WHEN t IN ('None', 'null') THEN NULL
      ELSE t END),
    lambda e: e IS NOT NULL)`

/** List literals in DuckDB's own words; `python-list.ts` says in plain code what they mean. */
export const listMacros: readonly string[] = [
  `CREATE OR REPLACE TEMP MACRO unescape_text(x) AS CASE WHEN NOT contains(x, '\\') THEN x ELSE
    array_to_string(list_transform(regexp_extract_all(x, ${sqlText(PIECE)}), lambda p: ${PIECE_VALUE}), '') END`,
  `CREATE OR REPLACE TEMP MACRO clean_list(x) AS CASE
    WHEN regexp_full_match(x, ${sqlText(NEAT)}) THEN string_split(x[3:-3], ${sqlText("', '")})
    WHEN NOT regexp_full_match(x, ${sqlText(LIST)}) THEN NULL
    WHEN NOT contains(x, '\\') THEN ${elements((quoted) => `${quoted}[2:-2]`)}
    ELSE ${elements((quoted) => `unescape_text(${quoted}[2:-2])`)} END`,
]
