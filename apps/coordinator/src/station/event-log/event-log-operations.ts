/** The log in the store: appended to, read from its newest line back, and kept from growing without end. */
import {
  EVENT_LEVELS,
  type EventFilter,
  type EventLevel,
  type LoggedEvent,
  type NewEvent,
} from '@minga/protocol'
import {
  logEvents,
  noteStationEvents,
  plainEvent,
  type Sql,
  type Value,
  type OperationTable,
} from '@minga/store'

/** The lake's table of events contains nothing about people; these contexts do. */
const OF_PEOPLE = ['account:', 'abuse:', 'setting:']

export async function appendEvents(
  sql: Sql,
  { events }: { events: readonly NewEvent[] },
): Promise<void> {
  await logEvents(sql, events)
  const ofNobody = events.filter(({ code }) => !OF_PEOPLE.some((start) => code.startsWith(start)))
  await noteStationEvents(
    sql,
    ofNobody.map(plainEvent).map(({ at, code, subject, sentence }) => {
      return { at, kind: code, subject, detail: sentence }
    }),
  )
}

export interface ReadEvents {
  filter: EventFilter
  /** Newest first, below this number. */
  before?: number | undefined
  /** Oldest first, above this number. */
  after?: number
  limit: number
}

interface EventRow extends Omit<LoggedEvent, 'level' | 'details'> {
  level: number
  details: string | null
}

export async function readEvents(sql: Sql, args: ReadEvents): Promise<LoggedEvent[]> {
  const { filter, before, after, limit } = args
  const asked = conditionsOf(filter)
  if (before !== undefined) asked.push(['e.id < ?', before])
  if (after !== undefined) asked.push(['e.id > ?', after])
  const where = ['1 = 1', ...asked.map(([condition]) => condition)].join(' AND ')
  const rows = await sql.all<EventRow>(
    `SELECT e.id, e.at, e.level, e.context, e.code, e.subject, e.sentence, e.details, e.device,
       e.by_account AS "by", a.name AS "byName", e.times
     FROM event_log e LEFT JOIN accounts a ON a.id = e.by_account
     WHERE ${where} ORDER BY e.id ${after === undefined ? 'DESC' : 'ASC'} LIMIT ?`,
    [...asked.map(([, value]) => value), limit],
  )
  return rows.map((row) => ({
    ...row,
    level: levelNamed(row.level),
    details: row.details === null ? null : (JSON.parse(row.details) as LoggedEvent['details']),
  }))
}

function levelNamed(level: number): EventLevel {
  return EVENT_LEVELS[level] ?? 'info'
}

function conditionsOf(filter: EventFilter): [condition: string, value: Value][] {
  const { level, context, text, from, to, subject, agent } = filter
  const conditions: [string, Value | undefined][] = [
    ['e.level >= ?', level === undefined ? undefined : EVENT_LEVELS.indexOf(level)],
    ['e.context = ?', context],
    // Compared by position, not by pattern: the text searched for may contain a %.
    [positionOf, text === undefined || text === '' ? undefined : text.toLowerCase()],
    ['e.at >= ?', from],
    ['e.at < ?', to],
    ['e.subject = ?', subject],
    ['e.device = ?', agent],
  ]
  return conditions.filter((each): each is [string, Value] => each[1] !== undefined)
}

/** Both engines have it: `replace` shortens what holds the text. */
const positionOf = `replace(e.text, ?, '') <> e.text`

export interface TidyEvents {
  /** Older ones go. */
  before: number
  /** So many stay at most. */
  most: number
  /** So many go at a time. */
  limit: number
}

/** Answers how many went; as many as the limit: there may be more. */
export async function tidyEvents(sql: Sql, args: TidyEvents): Promise<number> {
  const { before, most, limit } = args
  const edge = await sql.get<{ id: number }>(
    'SELECT id FROM event_log ORDER BY id DESC LIMIT 1 OFFSET ?',
    [most],
  )
  return sql.run(
    `DELETE FROM event_log WHERE id IN (
       SELECT id FROM event_log WHERE at < ? OR id <= ? ORDER BY id LIMIT ?)`,
    [before, edge?.id ?? 0, limit],
  )
}

export const eventLogOperations = { appendEvents, readEvents, tidyEvents } satisfies OperationTable
