/** How a field's text becomes a value of its type, in DuckDB's words; what cannot be read so becomes null. */
import type { FieldRule } from '../model.ts'
import { sqlText } from '../kernel/sql-text.ts'

interface FieldType {
  /** The type of DuckDB that the column has. */
  column: string | ((rule: FieldRule) => string)
  /** What is wrong with a text that is none. */
  flaw: string
  /** `text` is the field as it stands in the file. */
  value(text: string, rule: FieldRule): string
}

const INTEGER = '[+-]?[0-9]{1,19}(?:[.]0*)?'
const NUMBER = '[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?'
/** Distinguished decimals of a `decimal` whose rule gives no number. */
const DECIMALS = 6
/** DuckDB keeps that many digits in eight bytes, before and behind the point. */
const DIGITS = 18
/** With an exponent, few enough digits that none is lost on the way. */
const SCIENTIFIC = '[+-]?(?:[0-9]{1,9}(?:[.][0-9]{0,9})?|[.][0-9]{1,9})[eE][+-]?[0-9]{1,2}'
const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const TIME = `${DATE}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?)?(?:Z| UTC)?`
const TIME_WITH_OFFSET = `${DATE}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)? ?[+-][0-9]{2}(?::?[0-9]{2})?`

/** The text if it is written so, with or without white space around it. */
const written = (text: string, pattern: string): string => `CASE
    WHEN regexp_full_match(${text}, ${sqlText(pattern)}) THEN ${text}
    WHEN regexp_full_match(clean_text(${text}), ${sqlText(pattern)}) THEN clean_text(${text}) END`

const read = (text: string, pattern: string, type: string): string =>
  `TRY_CAST(${written(text, pattern)} AS ${type})`

const TYPES: Record<FieldRule['type'], FieldType> = {
  text: { column: 'VARCHAR', flaw: 'not-a-text', value: (text) => `clean_text(${text})` },
  integer: {
    column: 'BIGINT',
    flaw: 'not-a-number',
    value: (text) => `TRY_CAST(split_part(${written(text, INTEGER)}, '.', 1) AS BIGINT)`,
  },
  number: {
    column: 'DOUBLE',
    flaw: 'not-a-number',
    value: (text) => `list_filter([${read(text, NUMBER, 'DOUBLE')}], lambda n: isfinite(n))[1]`,
  },
  decimal: {
    column: decimalType,
    flaw: 'not-a-number',
    value: decimalOf,
  },
  boolean: { column: 'BOOLEAN', flaw: 'not-a-boolean', value: booleanOf },
  instant: { column: 'TIMESTAMP', flaw: 'not-an-instant', value: instantOf },
  date: { column: 'DATE', flaw: 'not-a-date', value: (text) => read(text, DATE, 'DATE') },
  year: {
    column: 'INTEGER',
    flaw: 'no-year',
    value: (text) => `TRY_CAST(regexp_extract(${text}, '[0-9]{4}') AS INTEGER)`,
  },
  list: { column: 'VARCHAR[]', flaw: 'not-a-list', value: (text) => `clean_list(${text})` },
  json: {
    column: 'JSON',
    flaw: 'not-json',
    value: (text) => `CASE WHEN json_valid(${text}) THEN ${text}::JSON END`,
  },
}

function decimalType({ decimals = DECIMALS }: FieldRule): string {
  return `DECIMAL(${DIGITS},${decimals})`
}

/** A value is exact or it is none, so no more decimals may count than are kept. `1e0` is 1. */
function decimalOf(text: string, rule: FieldRule): string {
  const type = decimalType(rule)
  const { decimals = DECIMALS } = rule
  const plain = `[+-]?(?:[0-9]+(?:[.][0-9]{0,${decimals}}0*)?|[.][0-9]{1,${decimals}}0*)`
  const finer = read(text, SCIENTIFIC, 'DECIMAL(38,18)')
  return `coalesce(${read(text, plain, type)},
    CASE WHEN TRY_CAST(${finer} AS ${type}) = ${finer} THEN TRY_CAST(${finer} AS ${type}) END)`
}

function booleanOf(text: string): string {
  return `CASE
    WHEN lower(clean_text(${text})) IN ('true', 't', 'yes', 'y', '1') THEN true
    WHEN lower(clean_text(${text})) IN ('false', 'f', 'no', 'n', '0') THEN false END`
}

/** An offset counts; without one it is UTC. Whole numbers are seconds since 1970, with 12 digits or more milliseconds. */
function instantOf(text: string): string {
  return `CASE
    WHEN regexp_full_match(clean_text(${text}), '-?[0-9]{1,11}')
      THEN make_timestamp(clean_text(${text})::BIGINT * 1000000)
    WHEN regexp_full_match(clean_text(${text}), '[0-9]{12,14}')
      THEN make_timestamp(clean_text(${text})::BIGINT * 1000)
    WHEN regexp_full_match(clean_text(${text}), ${sqlText(TIME)})
      THEN TRY_CAST(clean_text(${text}) AS TIMESTAMP)
    WHEN regexp_full_match(clean_text(${text}), ${sqlText(TIME_WITH_OFFSET)})
      THEN make_timestamp(epoch_us(TRY_CAST(clean_text(${text}) AS TIMESTAMPTZ))) END`
}

/** The type of DuckDB that a cleaned column has. */
export function columnType(rule: FieldRule): string {
  const { column } = TYPES[rule.type]
  return typeof column === 'string' ? column : column(rule)
}

/** The text as a number of any size, to say of one that does not fit on which side it is. */
export const roughNumber = (text: string): string => read(text, NUMBER, 'DOUBLE')

export const flawOf = (rule: FieldRule): string => TYPES[rule.type].flaw

export function valueSql(rule: FieldRule, text: string): string {
  if (rule.type === 'text' && rule.isTrimmed === false) return `whole_text(${text})`
  return TYPES[rule.type].value(text, rule)
}
