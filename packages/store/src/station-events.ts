/**
 * What happens at the station, for the lake's table `events`. Noted in the transaction in which it happens, by
 * whichever room that is; so it is here, where all of them can reach it.
 */
import type { Sql } from './sql.ts'

export interface StationEvent {
  at: number
  /** Room and what happened, such as `collection:finished`. */
  kind: string
  /** What it happened to: never a person. */
  subject: string
  detail: string
}

export async function noteStationEvents(sql: Sql, events: readonly StationEvent[]): Promise<void> {
  await sql.insertMany({
    table: 'station_events',
    columns: ['at', 'kind', 'subject', 'detail'],
    rows: events.map(({ at, kind, subject, detail }) => [at, kind, subject, detail]),
  })
}
