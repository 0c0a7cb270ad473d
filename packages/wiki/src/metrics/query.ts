/**
 * Questions of people's own, as JSON: match → group by → having → sort → limit → project. They are compiled to one
 * SELECT with bound values; there is no word that writes, runs code or reads anything but revisions, and every
 * answer is bounded in time and rows.
 */
import { BadWikiQuery } from '../errors.ts'
import { textOf, Values, type Ask, type AskLimits, type AskRow, type AskValue } from './ask.ts'
import { ConditionCompiler, knownOf, objectOf } from './query-conditions.ts'
import {
  BUCKETS,
  FIELDS,
  LIST_SEPARATOR,
  MEASURES,
  type Field,
  type MeasureWord,
} from './query-fields.ts'

const ROWS_MAX = 10_000
const ROWS_DEFAULT = 100
const GROUPS_MAX = 4
const MEASURES_MAX = 16
const SORTS_MAX = 8

/** Long enough for a whole wiki of millions of revisions, short enough for a server that others use. */
export const QUERY_LIMITS: AskLimits = { rowsMax: ROWS_MAX + 1, timeMs: 10_000 }

const WORDS = ['match', 'by', 'measure', 'having', 'sort', 'limit', 'project'] as const

export interface CompiledQuery {
  statement: string
  values: readonly AskValue[]
  columns: { name: string; kind: Field['kind'] }[]
  limit: number
}

export interface QueryAnswer {
  columns: string[]
  rows: Record<string, unknown>[]
  /** There were more rows than the limit. */
  isCut: boolean
}

/** Throws BadWikiQuery for an invalid query, before anything of it runs. */
export async function runQuery(
  ask: Ask,
  body: unknown,
  limits: AskLimits = QUERY_LIMITS,
): Promise<QueryAnswer> {
  const query = compileQuery(body)
  const rows = await ask(query.statement, query.values, limits)
  return {
    columns: query.columns.map(({ name }) => name),
    rows: rows.slice(0, query.limit).map((row) => outputRow(row, query.columns)),
    isCut: rows.length > query.limit,
  }
}

export function compileQuery(body: unknown): CompiledQuery {
  const query = objectOf(body, 'The query')
  for (const word of Object.keys(query)) knownOf(wordTable, word, 'The query')
  const values = new Values()
  const match = new ConditionCompiler(FIELDS, values).compile(query['match'] ?? {}, 'match')
  const isGrouped = query['by'] !== undefined || query['measure'] !== undefined
  const outputs = isGrouped ? groupOutputs(query) : rowOutputs(query)
  const inner = `SELECT ${outputs.map(({ name, sql }) => `${sql} AS ${quoted(name)}`).join(', ')}
    FROM revisions r WHERE ${match}${groupClause(query)}`
  const named = Object.fromEntries(
    outputs.map(({ name, kind }) => [name, { kind, sql: `o.${quoted(name)}` }]),
  )
  if (!isGrouped && query['having'] !== undefined) {
    throw new BadWikiQuery('having is about groups; without by and measure use match.')
  }
  const having = new ConditionCompiler(named, values).compile(query['having'] ?? {}, 'having')
  const columns = projected(query['project'], named)
  const limit = limitOf(query['limit'])
  const shown = columns.map(
    ({ name, kind }) => `${shownSql(named[name]!.sql, kind)} AS ${quoted(name)}`,
  )
  return {
    statement: `SELECT ${shown.join(', ')} FROM (${inner}) o WHERE ${having}${orderOf(query['sort'], named)} LIMIT ${limit + 1}`,
    values: values.list,
    columns,
    limit,
  }
}

const wordTable: Record<string, true> = Object.fromEntries(WORDS.map((word) => [word, true]))

interface Output {
  name: string
  kind: Field['kind']
  sql: string
}

/** Names come from our tables or have been checked; quotes are for words like `user`. */
function quoted(name: string): string {
  return `"${name}"`
}

/** Rows as they are: every field is there to sort by, `project` says which are shown. */
function rowOutputs(query: Record<string, unknown>): Output[] {
  const asked = listOf(
    query['project'] ?? ['wiki', 'pageid', 'revid', 'timestamp', 'user'],
    'project',
  )
  const sorted = listOf(query['sort'] ?? [], 'sort').map((name) => String(name).replace(/^-/, ''))
  return [...new Set([...asked.map(String), ...sorted])].map((name) => ({
    name,
    ...knownOf(FIELDS, name, 'project or sort'),
  }))
}

function groupOutputs(query: Record<string, unknown>): Output[] {
  const groups = groupNames(query).map((name) => ({
    name,
    ...knownOf({ ...FIELDS, ...BUCKETS }, name, 'by'),
  }))
  const measures = Object.entries(
    objectOf(query['measure'] ?? { count: { count: true } }, 'measure'),
  )
  if (measures.length > MEASURES_MAX) {
    throw new BadWikiQuery(`measure has at most ${MEASURES_MAX} names.`)
  }
  const outputs = [...groups, ...measures.map(([name, given]) => measureOutput(name, given))]
  const twice = outputs.find(({ name }, i) => outputs.findIndex((o) => o.name === name) !== i)
  if (twice) throw new BadWikiQuery(`${twice.name} is both a group and a measure, or there twice.`)
  return outputs
}

function groupNames(query: Record<string, unknown>): string[] {
  const names = listOf(query['by'] ?? [], 'by').map(String)
  if (names.length > GROUPS_MAX) throw new BadWikiQuery(`by has at most ${GROUPS_MAX} fields.`)
  const list = names.find((name) => FIELDS[name]?.kind === 'list')
  if (list !== undefined) throw new BadWikiQuery(`by cannot group by ${list}: it is a list.`)
  return names
}

/** Groups stand first in the SELECT, so they are named by their place. */
function groupClause(query: Record<string, unknown>): string {
  const count = Array.isArray(query['by']) ? query['by'].length : 0
  if (count > 0) return ` GROUP BY ${Array.from({ length: count }, (_, i) => i + 1).join(', ')}`
  return ''
}

function measureOutput(name: string, given: unknown): Output {
  if (!/^[a-z]\w{0,39}$/i.test(name)) {
    throw new BadWikiQuery(
      `measure: ${JSON.stringify(name.slice(0, 60))} is no name of letters and digits.`,
    )
  }
  const where = `measure.${name}`
  const [entry, ...others] = Object.entries(objectOf(given, where))
  if (entry === undefined || others.length > 0) {
    throw new BadWikiQuery(`${where} must have exactly one of ${MEASURES.join(', ')}.`)
  }
  const words: Record<string, MeasureWord> = Object.fromEntries(
    MEASURES.map((word) => [word, word]),
  )
  const word = knownOf(words, entry[0], where)
  return { name, ...measureSql(word, entry[1], where) }
}

function measureSql(word: MeasureWord, given: unknown, where: string): Field {
  if (word === 'count') {
    if (given !== true) throw new BadWikiQuery(`${where} must be {"count": true}.`)
    return { kind: 'number', sql: 'count(*)' }
  }
  const [name, share] = word === 'quantile' ? quantileOf(given, where) : [given, 0]
  const field = knownOf(FIELDS, String(name), where)
  if (field.kind === 'list') throw new BadWikiQuery(`${where}: ${String(name)} is a list.`)
  if (word === 'distinct') return { kind: 'number', sql: `count(DISTINCT ${field.sql})` }
  if (word === 'min' || word === 'max') return { kind: field.kind, sql: `${word}(${field.sql})` }
  if (field.kind !== 'number') throw new BadWikiQuery(`${where}: ${String(name)} is no number.`)
  if (word === 'quantile') return { kind: 'number', sql: `quantile_cont(${field.sql}, ${share})` }
  return { kind: 'number', sql: `${word}(${field.sql})` }
}

/** `["size", 0.9]`. A number that was checked may stand in the text: DuckDB wants a constant here. */
function quantileOf(given: unknown, where: string): [unknown, number] {
  const [name, share] = Array.isArray(given) && given.length === 2 ? given : []
  if (typeof share !== 'number' || !(share >= 0 && share <= 1)) {
    throw new BadWikiQuery(`${where} must be a field and a share, as in ["size", 0.9].`)
  }
  return [name, share]
}

function projected(given: unknown, named: Record<string, Field>): CompiledQuery['columns'] {
  const names = given === undefined ? Object.keys(named) : listOf(given, 'project').map(String)
  if (names.length === 0) throw new BadWikiQuery('project must name a field.')
  return [...new Set(names)].map((name) => ({ name, kind: knownOf(named, name, 'project').kind }))
}

function orderOf(given: unknown, named: Record<string, Field>): string {
  const names = given === undefined ? [] : listOf(given, 'sort').map(String)
  if (names.length > SORTS_MAX) throw new BadWikiQuery(`sort has at most ${SORTS_MAX} fields.`)
  const parts = names.map((name) => {
    const isFalling = name.startsWith('-')
    const { sql } = knownOf(named, isFalling ? name.slice(1) : name, 'sort')
    return `${sql} ${isFalling ? 'DESC' : 'ASC'} NULLS LAST`
  })
  return parts.length === 0 ? '' : ` ORDER BY ${parts.join(', ')}`
}

function limitOf(given: unknown): number {
  if (given === undefined) return ROWS_DEFAULT
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= ROWS_MAX) {
    return given
  }
  throw new BadWikiQuery(`limit must be a whole number from 1 to ${ROWS_MAX}.`)
}

function listOf(given: unknown, where: string): unknown[] {
  if (Array.isArray(given)) return given
  throw new BadWikiQuery(`${where} must be a list.`)
}

function shownSql(sql: string, kind: Field['kind']): string {
  return kind === 'list' ? `array_to_string(${sql}, chr(${LIST_SEPARATOR.codePointAt(0)}))` : sql
}

function outputRow(row: AskRow, columns: CompiledQuery['columns']): Record<string, unknown> {
  return Object.fromEntries(columns.map(({ name, kind }) => [name, outputValue(row[name], kind)]))
}

function outputValue(value: unknown, kind: Field['kind']): unknown {
  if (value === null || value === undefined) return null
  if (kind === 'list') return textOf(value) === '' ? [] : textOf(value).split(LIST_SEPARATOR)
  if (kind === 'time') return new Date(Number(value)).toISOString()
  return typeof value === 'bigint' ? Number(value) : value
}
