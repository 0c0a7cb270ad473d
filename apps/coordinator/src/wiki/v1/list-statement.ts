/** A list as one SELECT: names come from our tables, values are bound. */
import { Values, type Choice } from '@minga/wiki'
import type { CursorValue } from './cursor.ts'
import { realName, type ListTable } from './fields.ts'
import type { ListAsked, SortKey, Wanted } from './list-query.ts'

export interface ListedWiki {
  key: string
  language: string | null
}

export interface ListStatement {
  text: string
  values: Values['list']
}

/** Columns of the answer besides fields: where the row stands in the order, and what is kept of its text. */
export const sortColumn = (index: number): string => `sort ${index}`
export const TEXT_BYTES = 'text bytes'

interface ListParts {
  table: ListTable
  wikis: readonly ListedWiki[]
  /** What else must hold. */
  choice: Choice
}

/** One row more than requested shows whether the list continues. */
export function listStatement(parts: ListParts, asked: ListAsked): ListStatement {
  const { table, wikis, choice } = parts
  const values = new Values(choice.values)
  const columns = new Columns(table, wikis, values)
  // What is derived needs to know the row it is derived from.
  const shown = asked.shown.map(realName).filter((name) => Object.hasOwn(table.fields, name))
  const read = [...new Set([...shown, ...table.identity, 'title'])]
  const selected = [
    ...read.map((name) => `${columns.shown(name)} AS "${name}"`),
    ...asked.sort.map(({ name }, index) => `${columns.ordered(name)} AS "${sortColumn(index)}"`),
    ...(asked.shown.map(realName).includes('text') ? [`r.text_bytes AS "${TEXT_BYTES}"`] : []),
  ]
  const conditions = [
    ...conditionsOf(columns, choice, asked),
    ...(asked.after === null ? [] : [afterRow(columns, asked.sort, asked.after)]),
  ]
  const used = new Set([...read, ...asked.wanted.map(([name]) => name), ...asked.sort.map(nameOf)])
  const order = asked.sort.map(
    ({ name, isFalling }) => `${columns.ordered(name)} ${isFalling ? 'DESC' : 'ASC'} NULLS LAST`,
  )
  return {
    text: `SELECT ${selected.join(', ')} FROM ${table.from(used)}${whereOf(conditions)} ORDER BY ${order.join(', ')}
      LIMIT ${asked.limit + 1} OFFSET ${asked.offset}`,
    values: values.list,
  }
}

/** How many rows all parts of a list have together. */
export function countStatement(
  { table, wikis, choice }: ListParts,
  asked: Pick<ListAsked, 'wanted'>,
): ListStatement {
  const values = new Values(choice.values)
  const conditions = conditionsOf(new Columns(table, wikis, values), choice, asked)
  const used = new Set(asked.wanted.map(([name]) => name))
  const text = `SELECT count(*) AS n FROM ${table.from(used)}${whereOf(conditions)}`
  return { text, values: values.list }
}

function conditionsOf(
  columns: Columns,
  { where }: Choice,
  { wanted }: Pick<ListAsked, 'wanted'>,
): string[] {
  return [where, ...wanted.map(([name, value]) => columns.condition(name, value))]
}

function whereOf(conditions: readonly string[]): string {
  const given = conditions.filter((condition) => condition !== '')
  return given.length === 0 ? '' : ` WHERE ${given.map(inBrackets).join(' AND ')}`
}

const nameOf = ({ name }: SortKey): string => name
const inBrackets = (condition: string): string => `(${condition})`

class Columns {
  readonly #table: ListTable
  readonly #wikis: readonly ListedWiki[]
  readonly #values: Values
  #locale: string | null = null

  constructor(table: ListTable, wikis: readonly ListedWiki[], values: Values) {
    this.#table = table
    this.#wikis = wikis
    this.#values = values
  }

  shown(name: string): string {
    return name === 'locale' ? this.#localeSql() : this.#table.fields[name]!.sql
  }

  /** Lists have no order of their own: they are compared as texts. */
  ordered(name: string): string {
    const sql = this.shown(name)
    return this.#table.fields[name]!.kind === 'list' ? `array_to_string(${sql}, '|')` : sql
  }

  condition(name: string, wanted: Wanted): string {
    const sql = this.shown(name)
    if (typeof wanted === 'object') {
      return `${sql} >= ${this.bind(wanted.from)} AND ${sql} < ${this.bind(wanted.until)}`
    }
    const isList = this.#table.fields[name]!.kind === 'list'
    const value = this.bind(wanted)
    return isList ? `list_contains(${sql}, ${value})` : `${sql} = ${value}`
  }

  bind(value: string | number | boolean): string {
    return this.#values.bind(value)
  }

  /** Bound only where it is used: a value too many is an error. */
  #localeSql(): string {
    const told = this.#wikis.filter(({ language }) => language !== null)
    if (told.length === 0) return 'CAST(NULL AS VARCHAR)'
    this.#locale ??= `CASE r.wiki ${told
      .map(
        ({ key, language }) =>
          `WHEN ${this.#values.bind(key)} THEN ${this.#values.bind(language ?? '')}`,
      )
      .join(' ')} END`
    return this.#locale
  }
}

/** Rows behind a place in an order in which what is not known comes last. */
function afterRow(
  columns: Columns,
  sort: readonly SortKey[],
  after: readonly CursorValue[],
): string {
  const before: string[] = []
  const ways: string[] = []
  for (const [index, { name, isFalling }] of sort.entries()) {
    const value = after[index] ?? null
    const sql = columns.ordered(name)
    if (value === null) {
      before.push(`${sql} IS NULL`)
      continue
    }
    const bound = columns.bind(value)
    const isBehind = `(${sql} ${isFalling ? '<' : '>'} ${bound} OR ${sql} IS NULL)`
    ways.push([...before, isBehind].join(' AND '))
    before.push(`${sql} = ${bound}`)
  }
  return ways.length === 0 ? 'false' : ways.map(inBrackets).join(' OR ')
}
