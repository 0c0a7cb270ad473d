/** What a caller asks of a list: which rows, in which order, which part of them, which fields. */
import { createHash } from 'node:crypto'
import { metricFilterSchema, type Field } from '@minga/wiki'
import { z } from 'zod'
import { BadWikiListing } from '../errors.ts'
import { REVISIONS, fieldNames, realName, type ListTable } from './fields.ts'

export type CursorValue = string | number | boolean | null

const form = z.tuple([
  z.string(),
  z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(1),
])

/**
 * Where a list continues: the order it has, and the place of the last row in it. Rows that come or
 * go before that place do not shift the next part, as they do with numbers of pages.
 */
export function writeCursor(sort: string, after: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([sort, after])).toString('base64url')
}

function readCursor(cursor: string): { sort: string; after: CursorValue[] } {
  try {
    const [sort, after] = form.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { sort, after }
  } catch {
    throw BadWikiListing.cursor()
  }
}

export const PAGE_SIZE = 20
export const PAGE_SIZE_MAX = 200

export interface SortKey {
  name: string
  isFalling: boolean
}

/** A value that a field must have: for times the span in which it lies, its end excluded. */
export type Wanted = string | number | boolean | { from: number; until: number }

export interface ListAsked {
  wanted: [name: string, value: Wanted][]
  /** Ends with what tells rows apart. */
  sort: SortKey[]
  offset: number
  limit: number
  /** The row after which the list continues. */
  after: CursorValue[] | null
  /** As they were written: `*` stays `*`. */
  shown: string[]
}

const wholeNumber = z.string().regex(/^-?\d{1,15}$/, { error: 'is no whole number' })

/** What may be written for a field, by its kind. */
const WRITTEN: Record<Field['kind'], z.ZodType<string>> = {
  number: wholeNumber,
  text: z.string().max(10_000),
  list: z.string().max(1_000).describe('One of them.'),
  flag: z.enum(['true', 'false', '1', '0']),
  time: z.string().refine((text) => spanOf(text) !== null, {
    error: 'is no time: write a day as 2004-06-22 or a second as 2004-06-22T10:00:00Z',
  }),
  digest: z.string().regex(/^[\da-f]{40}$/i, { error: 'is no SHA-1 of 40 hex digits' }),
}

const format = z
  .enum(['json', 'ndjson', 'csv'])
  .optional()
  .describe('Form of the answer; otherwise the Accept header decides, and JSON is the default.')

export const formatQuery = z.object({ format })

const partQuery = formatQuery.extend({
  page: wholeNumber.optional().describe('From 1.'),
  page_size: wholeNumber
    .optional()
    .describe(`Rows of a page: ${PAGE_SIZE} by default, at most ${PAGE_SIZE_MAX}.`),
  cursor: z
    .string()
    .max(20_000)
    .optional()
    .describe('Continues after the last row of another answer; instead of page.'),
  sort: z
    .string()
    .max(1_000)
    .optional()
    .describe('Fields, the first counts most; -field falls; asc and desc are short for one.'),
  project: z.string().max(2_000).optional().describe('Fields to be shown, as in revid,user.'),
})

/** The parameters of a list, by name. */
export function listQuery<Name extends string>(table: { fields: Readonly<Record<Name, Field>> }) {
  const names = Object.keys(table.fields) as Name[]
  const entries = names.map((name) => [name, WRITTEN[table.fields[name].kind].optional()])
  const fields = Object.fromEntries(entries) as Record<Name, z.ZodOptional<z.ZodType<string>>>
  return z.object(fields).extend(partQuery.shape)
}

/** Of revisions; the filters of metrics are read by `readFilter`. */
export const revisionsQuery = listQuery(REVISIONS)
  .extend({ text: z.string().optional().describe('The whole text.'), '*': z.string().optional() })
  .extend(metricFilterSchema.shape)

const ofMetrics: ReadonlySet<string> = new Set(Object.keys(metricFilterSchema.shape))

/** Which wikis are asked decides elsewhere. */
const OF_WIKIS: ReadonlySet<string> = new Set(['wiki', 'locale'])

type Given = Readonly<Record<string, unknown>>

export function readList(table: ListTable, given: Given): ListAsked {
  const { page, page_size: pageSize, cursor, sort } = partQuery.parse(given)
  if (page !== undefined && cursor !== undefined) throw BadWikiListing.pageAndCursor()
  const limit = sizeOf(pageSize)
  const order = sortOf(table, sort, cursor)
  const number = page === undefined ? 1 : Number(page)
  if (number < 1) throw BadWikiListing.page()
  return {
    wanted: wantedIn(table, given),
    sort: order.sort,
    offset: (number - 1) * limit,
    limit,
    after: order.after,
    shown: shownIn(table, given['project']),
  }
}

function sizeOf(pageSize: string | undefined): number {
  const limit = pageSize === undefined ? PAGE_SIZE : Number(pageSize)
  if (limit < 1 || limit > PAGE_SIZE_MAX) throw BadWikiListing.pageSize(PAGE_SIZE_MAX)
  return limit
}

function wantedIn(table: ListTable, given: Given): ListAsked['wanted'] {
  const wanted: ListAsked['wanted'] = []
  for (const [name, { kind }] of Object.entries(table.fields)) {
    const isElsewhere = OF_WIKIS.has(name) || (table === REVISIONS && ofMetrics.has(name))
    if (given[name] === undefined || isElsewhere) continue
    const read = z.object({ [name]: WRITTEN[kind] }).parse(given)
    wanted.push([name, valueOf(kind, read[name]!, name)])
  }
  const text = given['text'] ?? given['*']
  if (table === REVISIONS && typeof text === 'string') {
    // Texts are in packs; their SHA-1 is stored separately.
    wanted.push(['sha1', createHash('sha1').update(text).digest('hex')])
  }
  return wanted
}

function valueOf(kind: Field['kind'], written: string, name: string): Wanted {
  if (kind === 'number') return Number(written)
  if (kind === 'flag') return written === 'true' || written === '1'
  if (kind === 'time') return spanOf(written)!
  if (kind === 'digest') return written.toLowerCase()
  return name === 'title' ? written.replaceAll('_', ' ').trim() : written
}

const DAY_MS = 86_400_000

/** A day is all of its seconds, a second all of its parts. */
function spanOf(written: string): { from: number; until: number } | null {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(written)
  const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z?$/.test(written)
  if (!isDay && !isMoment) return null
  const from = Date.parse(isDay ? `${written}T00:00:00Z` : `${written.replace(/Z$/, '')}Z`)
  if (Number.isNaN(from)) return null
  // JavaScript turns the 31st of April into the 1st of May.
  if (!new Date(from).toISOString().startsWith(written.slice(0, 10))) return null
  const length = isDay ? DAY_MS : written.includes('.') ? 1 : 1_000
  return { from, until: from + length }
}

function sortOf(
  table: ListTable,
  sort: string | undefined,
  cursor: string | undefined,
): { sort: SortKey[]; after: CursorValue[] | null } {
  if (cursor === undefined) return { sort: keysOf(table, sort ?? table.sort), after: null }
  const read = readCursor(cursor)
  if (sort !== undefined && sort !== read.sort) throw BadWikiListing.otherOrder(read.sort)
  const keys = keysOf(table, read.sort)
  if (read.after.length !== keys.length) throw BadWikiListing.cursor()
  return { sort: keys, after: read.after }
}

function keysOf(table: ListTable, written: string): SortKey[] {
  const keys = written.split(',').map((word) => keyOf(table, word.trim()))
  const [first] = keys
  for (const name of table.identity) {
    if (keys.every((key) => key.name !== name)) keys.push({ name, isFalling: first!.isFalling })
  }
  return keys
}

function keyOf(table: ListTable, word: string): SortKey {
  if (word === 'asc' || word === 'desc') {
    return { name: table.sortedBy, isFalling: word === 'desc' }
  }
  const isFalling = word.startsWith('-')
  const name = isFalling ? word.slice(1) : word
  if (!Object.hasOwn(table.fields, name)) {
    throw BadWikiListing.unknown('sort', name, Object.keys(table.fields))
  }
  return { name, isFalling }
}

function shownIn(table: ListTable, project: unknown): string[] {
  const names = fieldNames(table)
  if (typeof project !== 'string' || project.trim() === '') return names
  const shown = project.split(',').map((name) => name.trim())
  const wrong = shown.find((name) => !names.includes(realName(name)))
  if (wrong !== undefined) throw BadWikiListing.unknown('project', wrong, names)
  return [...new Set(shown)]
}
