/** Count, average per day and mode: the three metrics of the first version of this API. */
import { BadWikiFilter } from '../errors.ts'
import { numberOf, textOf, type Ask, type AskRow } from './ask.ts'
import { compileFilter, DAY_MS, startOfDay, type MetricFilter } from './filters.ts'

export async function countRevisions(
  ask: Ask,
  filter: MetricFilter,
  nowMs: number,
): Promise<{ count: number }> {
  const { where, values } = compileFilter(filter, nowMs)
  const [row] = await ask(`SELECT count(*) AS n FROM revisions r WHERE ${where}`, values)
  return { count: numberOf(row?.['n']) }
}

export interface Average {
  /** Revisions per day: count / days. */
  avg: number
  count: number
  /** Both ends of the interval included. */
  days: number
}

export async function averagePerDay(
  ask: Ask,
  filter: MetricFilter,
  nowMs: number,
): Promise<Average> {
  const { date, datestart, dateend } = filter
  if (datestart === undefined || dateend === undefined) {
    throw new BadWikiFilter('The average needs both datestart and dateend.')
  }
  if (date !== undefined) {
    throw new BadWikiFilter('The average takes no date: give one day as datestart and dateend.')
  }
  const { count } = await countRevisions(ask, filter, nowMs)
  const days = (startOfDay(dateend) - startOfDay(datestart)) / DAY_MS + 1
  return { avg: count / days, count, days }
}

/** What a mode can be asked of, and how a revision says it. */
const ATTRIBUTES = {
  title: { value: 'r.title', isText: true },
  pageid: { value: 'r.page_id', isText: false },
  user: { value: 'r."user"', isText: true },
  userid: { value: 'r.user_id', isText: false },
  date: { value: `strftime(date_trunc('day', epoch_ms(r."at")), '%Y-%m-%d')`, isText: true },
  size: { value: 'r.size', isText: false },
} as const

export type ModeAttribute = keyof typeof ATTRIBUTES

export const MODE_ATTRIBUTES = Object.keys(ATTRIBUTES) as ModeAttribute[]

export interface Mode {
  attribute: ModeAttribute
  /** Every value that is as frequent as the most frequent one, in rising order. */
  values: (string | number)[]
  /** How many revisions have each of them. */
  count: number
  /** Revisions without the value: a hidden editor, a size that was not given. */
  without: number
}

export function readModeAttribute(given: unknown): ModeAttribute {
  const attribute = MODE_ATTRIBUTES.find((known) => known === given)
  if (attribute !== undefined) return attribute
  throw new BadWikiFilter(`attribute must be one of ${MODE_ATTRIBUTES.join(', ')}.`)
}

/** mode(a) = argmax over v of |{r : r.a = v}|, with all ties. */
export async function modeOf(
  ask: Ask,
  question: { attribute: ModeAttribute; filter: MetricFilter },
  nowMs: number,
): Promise<Mode> {
  const { attribute, filter } = question
  const { value, isText } = ATTRIBUTES[attribute]
  const { where, values } = compileFilter(filter, nowMs)
  const rows = await ask(
    `WITH tally AS (
       SELECT ${value} AS v, count(*) AS n FROM revisions r WHERE ${where} GROUP BY 1
     )
     SELECT v, n FROM tally
     WHERE v IS NULL OR n = (SELECT max(n) FROM tally WHERE v IS NOT NULL)
     ORDER BY v`,
    values,
  )
  const told = rows.filter(({ v }) => v !== null)
  return {
    attribute,
    values: told.map(({ v }) => (isText ? textOf(v) : numberOf(v))),
    count: numberOf(told[0]?.['n']),
    without: numberOf(untold(rows)?.['n']),
  }
}

function untold(rows: readonly AskRow[]): AskRow | undefined {
  return rows.find(({ v }) => v === null)
}
