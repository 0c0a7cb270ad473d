/**
 * Writes into the log of the station, in the transaction in which it happens, by whichever room that is. Who is not in
 * one notes it by `EventLog` of the coordinator, which ends here too.
 */
import { contextOf, EVENT_LEVELS, EVENTS, type NewEvent } from '@minga/protocol'
import type { Sql } from './sql.ts'

/** What strangers had a hand in may be of any length; a line of a log is not. */
const SUBJECT_CHARS_MAX = 300
const SENTENCE_CHARS_MAX = 1_000
const DETAIL_CHARS_MAX = 500

export async function logEvents(sql: Sql, events: readonly NewEvent[]): Promise<void> {
  await sql.insertMany({
    table: 'event_log',
    columns: COLUMNS,
    rows: events.map(plainEvent).map((event) => {
      const { at, code, subject, sentence, device = null, by = null, times = 1 } = event
      const text = `${code} ${subject} ${sentence}`.toLowerCase()
      const level = EVENT_LEVELS.indexOf(EVENTS[code])
      const details = JSON.stringify(event.details ?? {})
      return [at, level, contextOf(code), code, subject, sentence, text, details, device, by, times]
    }),
  })
}

const COLUMNS = [
  'at',
  'level',
  'context',
  'code',
  'subject',
  'sentence',
  'text',
  'details',
  'device',
  'by_account',
  'times',
]

/** As it is written: subject, sentence and details are a line each, of bounded length. */
export function plainEvent(event: NewEvent): NewEvent {
  const subject = plain(event.subject, SUBJECT_CHARS_MAX)
  const details = Object.entries(event.details ?? {}).map(([name, detail]) => {
    return [name, typeof detail === 'string' ? plain(detail, DETAIL_CHARS_MAX) : detail] as const
  })
  return {
    ...event,
    subject,
    sentence: plain(event.sentence, SENTENCE_CHARS_MAX),
    details: Object.fromEntries(details),
  } as NewEvent
}

/** On one line, without what steers terminals; PostgreSQL takes no zero bytes. */
function plain(text: string, charsMax: number): string {
  const short = text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
  return short.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ')
}
