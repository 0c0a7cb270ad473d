/** Articles and revisions as lists, part by part. */
import { isMingaError } from '@minga/protocol'
import {
  Values,
  compileFilter,
  pageUrlOf,
  readFilter,
  type AskRow,
  type Choice,
  type Revisions,
} from '@minga/wiki'
import { BadWikiListing } from '../errors.ts'
import type { Station } from '../../station/station.ts'
import { ARTICLES, REVISIONS, realName, type ChosenWiki, type ListTable } from './fields.ts'
import {
  readList,
  writeCursor,
  type CursorValue,
  type ListAsked,
  type SortKey,
  type Wanted,
} from './list-query.ts'

type ListStation = Pick<Station, 'revisions' | 'clock'>

/** Rows as they are read: times in ms. */
export interface ListPart {
  shown: string[]
  rows: AskRow[]
  /** Where the list continues; null at its end. */
  cursor: string | null
  /** Revisions whose text is kept but could not be read. */
  damaged: number[]
}

/** All texts of an answer together: more than most pages have in 200 revisions, and little for a server. */
const TEXT_BYTES_MAX = 64_000_000
const MEGABYTE = 1_000_000

type Given = Readonly<Record<string, unknown>>

export async function listArticles(
  station: ListStation,
  wikis: readonly ChosenWiki[],
  given: Given,
): Promise<ListPart> {
  const asked = readList(ARTICLES, given)
  return listPart(station, { table: ARTICLES, wikis, choice: EVERYTHING }, asked)
}

export async function listRevisions(
  station: ListStation,
  wikis: readonly ChosenWiki[],
  given: Given,
): Promise<ListPart> {
  const choice = compileFilter(readFilter(given), station.clock.now())
  const asked = readList(REVISIONS, given)
  const part = await listPart(station, { table: REVISIONS, wikis, choice }, asked)
  if (!asked.shown.map(realName).includes('text')) return part
  return withTexts(station.revisions, part)
}

const EVERYTHING: Choice = { where: '', values: [] }

export interface ListSource {
  table: ListTable
  wikis: readonly ChosenWiki[]
  choice: Choice
}

export async function listPart(
  { revisions }: Pick<Station, 'revisions'>,
  source: ListSource,
  asked: ListAsked,
): Promise<ListPart> {
  const { wikis } = source
  const { text, values } = listStatement(source, asked)
  const keys = wikis.map(({ key }) => key)
  const found = keys.length === 0 ? [] : await revisions.ask(keys)(text, values)
  const rows = found.slice(0, asked.limit).map((row) => withAttribution(row, wikis))
  const last = found.length > asked.limit ? rows.at(-1) : undefined
  return { shown: asked.shown, rows, cursor: last ? cursorOf(last, asked) : null, damaged: [] }
}

/** Rows of all parts together. */
export async function countRows(
  { revisions }: Pick<Station, 'revisions'>,
  source: ListSource,
  asked: Pick<ListAsked, 'wanted'>,
): Promise<number> {
  const { text, values } = countStatement(source, asked)
  const [row] = await revisions.ask(source.wikis.map(({ key }) => key))(text, values)
  return Number(row?.['n'])
}

function cursorOf(row: AskRow, { sort }: ListAsked): string {
  const written = sort.map(({ name, isFalling }) => (isFalling ? `-${name}` : name)).join(',')
  return writeCursor(
    written,
    sort.map((_, index) => row[sortColumn(index)] as CursorValue),
  )
}

function withAttribution(row: AskRow, wikis: readonly ChosenWiki[]): AskRow {
  const { site } = wikis.find(({ key }) => key === row['wiki']) ?? {}
  const { title } = row
  if (site === undefined) return row
  return {
    ...row,
    page_url: typeof title === 'string' ? pageUrlOf(site, title) : null,
    licence: site.rights.url ?? site.rights.text,
  }
}

async function withTexts(revisions: Revisions, part: ListPart): Promise<ListPart> {
  const bytes = part.rows.reduce((sum, row) => sum + Number(row[TEXT_BYTES] ?? 0), 0)
  if (bytes > TEXT_BYTES_MAX) throw BadWikiListing.texts(TEXT_BYTES_MAX / MEGABYTE)
  const rows: AskRow[] = []
  const damaged: number[] = []
  for (const row of part.rows) {
    const revId = Number(row['revid'])
    try {
      const text = await revisions.text(String(row['wiki']), revId)
      rows.push({ ...row, text: text === null ? null : Buffer.from(text).toString() })
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_DAMAGED_PACK') throw error
      damaged.push(revId)
      rows.push({ ...row, text: null })
    }
  }
  return { ...part, rows, damaged }
}

interface ListedWiki {
  key: string
  language: string | null
}

interface ListStatement {
  text: string
  values: Values['list']
}

/** Columns of the answer besides fields: where the row stands in the order, and what is kept of its text. */
const sortColumn = (index: number): string => `sort ${index}`
const TEXT_BYTES = 'text bytes'

interface ListParts {
  table: ListTable
  wikis: readonly ListedWiki[]
  /** What else must hold. */
  choice: Choice
}

/** One row more than requested shows whether the list continues. */
function listStatement(parts: ListParts, asked: ListAsked): ListStatement {
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
function countStatement(
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
    const localised = this.#wikis.filter(({ language }) => language !== null)
    if (localised.length === 0) return 'CAST(NULL AS VARCHAR)'
    this.#locale ??= `CASE r.wiki ${localised
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
