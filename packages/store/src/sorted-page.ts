/**
 * One page of a list that people narrow down and sort. A page begins after the last row of the one
 * before, by what it is sorted by and then by the row's id: rows that come or go in the meantime
 * move no others, and the last page costs as much as the first. How many there are is counted with
 * the first page only.
 */
import type { Sql, Value } from './sql.ts'

export interface Condition {
  readonly text: string
  readonly params: readonly Value[]
}

export interface PageEnd {
  readonly value: string | number
  readonly id: string
}

export interface FoundPage<Row> {
  readonly rows: Row[]
  /** Null after the last page. */
  readonly next: PageEnd | null
  /** How many match on all pages; null on every page but the first. */
  readonly total: number | null
}

/** What every list is asked for; what narrows it down is its own. */
export interface PageArgs {
  /** In any of the texts that the list is searched by. */
  readonly text?: string | undefined
  readonly isDescending: boolean
  readonly after: PageEnd | null
  readonly limit: number
}

export interface Listing {
  readonly columns: string
  /** `FROM …`, with its joins. */
  readonly from: string
  /** Different for every row. */
  readonly id: string
  readonly isIdNumber?: boolean
  /** What it is sorted by; never null. */
  readonly order: string
  readonly texts: readonly string[]
  readonly conditions: readonly Condition[]
}

export async function readSortedPage<Row>(
  sql: Sql,
  listing: Listing,
  args: PageArgs,
): Promise<FoundPage<Row>> {
  const wanted = [...listing.conditions, ...textCondition(listing.texts, args.text)]
  const total = args.after === null ? await count(sql, listing.from, wanted) : null
  const { columns, from, id, order } = listing
  const page = args.after === null ? wanted : [...wanted, beyond(listing, args)]
  const way = args.isDescending ? 'DESC' : 'ASC'
  const rows = await sql.all<Row & { value_sorted: string | number; id_sorted: string | number }>(
    `SELECT ${columns}, ${order} AS value_sorted, ${id} AS id_sorted ${from}${where(page)}
     ORDER BY ${order} ${way}, ${id} ${way} LIMIT ?`,
    [...paramsOf(page), args.limit],
  )
  const last = rows.length < args.limit ? undefined : rows.at(-1)
  return {
    rows: rows.map(({ value_sorted: _value, id_sorted: _id, ...row }) => row as Row),
    next: last === undefined ? null : { value: last.value_sorted, id: String(last.id_sorted) },
    total,
  }
}

async function count(sql: Sql, from: string, wanted: readonly Condition[]): Promise<number> {
  const counted = await sql.get<{ total: number }>(
    `SELECT COUNT(*) AS total ${from}${where(wanted)}`,
    paramsOf(wanted),
  )
  return counted!.total
}

function beyond({ order, id, isIdNumber }: Listing, { isDescending, after }: PageArgs): Condition {
  const sign = isDescending ? '<' : '>'
  const last = isIdNumber ? Number(after!.id) : after!.id
  return { text: `(${order}, ${id}) ${sign} (?, ?)`, params: [after!.value, last] }
}

/** Part of any of these, as it stands: signs of patterns are signs like any other. */
function textCondition(columns: readonly string[], text: string | undefined): Condition[] {
  if (text === undefined || text === '') return []
  const like = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
  const any = columns.map((column) => `LOWER(${column}) LIKE ? ESCAPE '\\'`).join(' OR ')
  return [{ text: `(${any})`, params: columns.map(() => like) }]
}

/** Conditions for what was asked for; what was not does not narrow. */
export function conditionsOf(
  asked: readonly (readonly [text: string, value: Value | undefined])[],
): Condition[] {
  return asked
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([text, value]) => ({ text, params: [value!] }))
}

const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ text }) => text).join(' AND ')}`

const paramsOf = (conditions: readonly Condition[]): Value[] =>
  conditions.flatMap(({ params }) => [...params])
