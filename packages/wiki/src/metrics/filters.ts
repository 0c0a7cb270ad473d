/**
 * Which revisions a metric is about: every filter that is given must hold. Days are days in UTC, both ends
 * included; without `datestart` they begin with the first revision, without `dateend` they end now.
 */
import { z } from 'zod'
import { BadWikiFilter } from '../errors.ts'
import { Values, type AskValue, type Choice } from './ask.ts'

export const DAY_MS = 86_400_000

const DAY = /^\d{4}-\d{2}-\d{2}$/

const day = z
  .string()
  .refine(isDay, { error: 'is no day: write it as in 2004-06-22' })
  .describe('A day in UTC, as in 2004-06-22.')

const name = z.string().min(1, { error: 'is empty' }).max(1000, { error: 'is too long' })

/** Parameters of an address arrive as text. */
function wholeNumber(least: number) {
  return z
    .union([z.number(), z.string()], { error: 'is no whole number' })
    .transform((given) => (given === '' ? Number.NaN : Number(given)))
    .refine((value) => Number.isSafeInteger(value), { error: 'is no whole number' })
    .refine((value) => value >= least, { error: `is below ${least}` })
}

export const metricFilterSchema = z.object({
  title: name.optional().describe('Title of a page, with its namespace.'),
  pageid: wholeNumber(1).optional(),
  user: name.optional().describe('Name of an editor, or the address of an anonymous one.'),
  userid: wholeNumber(0).optional(),
  tag: name.optional().describe('A tag that the revision carries.'),
  size: wholeNumber(1).optional().describe('Bytes.'),
  sizematch: wholeNumber(-Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Above 0: larger than size; below 0: smaller; 0 or absent: exactly.'),
  date: day.optional(),
  datestart: day.optional(),
  dateend: day.optional(),
  locale: name.optional().describe('Language of the wiki, as in es.'),
  wiki: name.optional().describe('The wiki, as in es.wikipedia.org.'),
})

export type MetricFilter = z.infer<typeof metricFilterSchema>

/** Names of the filters: whatever else a caller sends changes nothing. */
export const METRIC_FILTERS = Object.keys(metricFilterSchema.shape) as (keyof MetricFilter)[]

/** Throws BadWikiFilter with a sentence that names the parameter. */
export function readFilter(given: Record<string, unknown>): MetricFilter {
  const read = metricFilterSchema.safeParse(given)
  if (!read.success) {
    const [issue] = read.error.issues
    const parameter = String(issue?.path[0] ?? 'A filter')
    throw new BadWikiFilter(`${parameter} ${sentence(issue?.message)}.`, { cause: read.error })
  }
  const { size, sizematch, datestart, dateend } = read.data
  if (sizematch !== undefined && size === undefined) {
    throw new BadWikiFilter('sizematch says how to compare with size, and size is not given.')
  }
  if (datestart !== undefined && dateend !== undefined && dateend < datestart) {
    throw new BadWikiFilter(`dateend ${dateend} is before datestart ${datestart}.`)
  }
  return read.data
}

function sentence(message: string | undefined): string {
  // What zod says by itself begins with a capital; our own words continue the name of the parameter.
  return message === undefined || /^[A-Z]/.test(message) ? 'cannot be read' : message
}

function isDay(text: string): boolean {
  if (!DAY.test(text)) return false
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

export function startOfDay(text: string): number {
  return Date.parse(`${text}T00:00:00Z`)
}

/** Which of the wikis that are kept a filter speaks of; all of them when it names neither wiki nor locale. */
export function chooseWikis<T extends { key: string; language: string | null }>(
  { wiki, locale }: MetricFilter,
  kept: readonly T[],
): T[] {
  return kept.filter(
    ({ key, language }) =>
      (wiki === undefined || key === wiki) &&
      (locale === undefined || language === locale || key.startsWith(`${locale}.`)),
  )
}

/** `wiki` and `locale` choose the wikis whose views are asked (`chooseWikis`), not rows of them. */
export function compileFilter(filter: MetricFilter, nowMs: number): Choice {
  const values = new Values()
  const parts = [
    ...equalities(filter, values),
    ...(filter.size === undefined ? [] : [sizePart(filter.size, filter.sizematch ?? 0, values)]),
    ...dayParts(filter, nowMs, values),
  ]
  return { where: parts.map((part) => `(${part})`).join(' AND '), values: values.list }
}

function equalities(filter: MetricFilter, values: Values): string[] {
  const parts: string[] = []
  const equal = (column: string, value: AskValue | undefined): void => {
    if (value !== undefined) parts.push(`${column} = ${values.bind(value)}`)
  }
  equal('r.title', filter.title?.replaceAll('_', ' ').trim())
  equal('r.page_id', filter.pageid)
  equal('r."user"', filter.user)
  equal('r.user_id', filter.userid)
  if (filter.tag !== undefined) parts.push(`list_contains(r.tags, ${values.bind(filter.tag)})`)
  return parts
}

function sizePart(size: number, match: number, values: Values): string {
  return `r.size ${match > 0 ? '>' : match < 0 ? '<' : '='} ${values.bind(size)}`
}

/** Instants are compared as `from ≤ at < until`, so the last second of a day belongs to it whatever its fraction. */
function dayParts({ date, datestart, dateend }: MetricFilter, nowMs: number, values: Values) {
  const parts: string[] = []
  if (date !== undefined) {
    parts.push(`r."at" >= ${values.bind(startOfDay(date))}`)
    parts.push(`r."at" < ${values.bind(startOfDay(date) + DAY_MS)}`)
  }
  if (datestart !== undefined) parts.push(`r."at" >= ${values.bind(startOfDay(datestart))}`)
  const until = dateend === undefined ? nowMs + 1 : startOfDay(dateend) + DAY_MS
  parts.push(`r."at" < ${values.bind(until)}`)
  return parts
}
