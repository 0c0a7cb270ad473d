/** The log for its readers: a page of it, its end as it grows, and all of it as a file. */
import { Readable } from 'node:stream'
import type { ServerResponse } from 'node:http'
import {
  eventFilter,
  type AuditPage,
  type EventFilter,
  type EventPage,
  type LoggedEvent,
} from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../accounts/access.ts'
import { isWanted, type EventTail } from '../station/event-log/event-tail.ts'
import type { Operations } from '../station/station-operations.ts'
import type { Station } from '../station/station.ts'

const pageQuery = eventFilter.extend({
  /** The number of the last event of the page before. */
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const exportQuery = eventFilter.extend({ as: z.enum(['jsonl', 'csv']).default('jsonl') })
/** Lines read from the store at a time. */
const EXPORT_PAGE = 1_000
const EXPORT_TYPES = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
} as const

export function eventLogRoutes(
  app: FastifyInstance,
  { store, eventTail, closing, access }: RouteContext & { eventTail: EventTail },
): void {
  app.get('/event-log', may('events:read'), async (request): Promise<EventPage> => {
    const { before, limit, ...filter } = pageQuery.parse(request.query)
    const read = { filter, ...(before === undefined ? {} : { before }), limit: limit + 1 }
    const found = await store.call('readEvents', read)
    const events = found.slice(0, limit)
    return { events, next: found.length > limit ? events.at(-1)!.id : null }
  })
  app.get('/event-log/stream', may('events:read'), (request, reply) => {
    const filter = eventFilter.parse(request.query)
    const allowed = access.whileAllowed(request, reply.raw, 'events:read')
    reply.hijack()
    stream(reply.raw, { filter, tail: eventTail, closing: AbortSignal.any([closing, allowed]) })
  })
  app.get('/event-log/export', may('events:read'), (request, reply) => {
    const { as, ...filter } = exportQuery.parse(request.query)
    const lines = as === 'csv' ? csvOf(allEvents(store, filter)) : jsonlOf(allEvents(store, filter))
    return reply
      .type(EXPORT_TYPES[as])
      .header('content-disposition', `attachment; filename="minga-events.${as}"`)
      .send(Readable.from(lines))
  })
}

/** A reader that takes nothing for this long (bytes) is cut off; its page comes back by itself. */
const UNREAD_BYTES_MAX = 1024 * 1024

function stream(
  raw: ServerResponse,
  options: { filter: EventFilter; tail: EventTail; closing: AbortSignal },
): void {
  const { filter, tail, closing } = options
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  const leave = tail.listen((events) => {
    if (raw.writableLength > UNREAD_BYTES_MAX) return void raw.destroy()
    const wanted = events.filter((event) => isWanted(filter, event))
    // A comment says that the station is there.
    raw.write(wanted.length === 0 ? ':\n\n' : `event: events\ndata: ${JSON.stringify(wanted)}\n\n`)
  })
  raw.write(':\n\n')
  const end = (): void => void raw.end()
  closing.addEventListener('abort', end, { once: true })
  raw.once('close', () => {
    leave()
    closing.removeEventListener('abort', end)
  })
}

async function* allEvents(
  store: Calls<Operations>,
  filter: EventFilter,
): AsyncGenerator<LoggedEvent> {
  for (let before: number | undefined; ;) {
    const read = { filter, ...(before === undefined ? {} : { before }), limit: EXPORT_PAGE }
    const events = await store.call('readEvents', read)
    yield* events
    if (events.length < EXPORT_PAGE) return
    before = events.at(-1)!.id
  }
}

async function* jsonlOf(events: AsyncIterable<LoggedEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    yield `${JSON.stringify({ ...event, at: new Date(event.at).toISOString() })}\n`
  }
}

const CSV_COLUMNS = [
  'id',
  'at',
  'level',
  'context',
  'code',
  'subject',
  'sentence',
  'device',
  'by',
  'byName',
  'times',
  'details',
] as const satisfies readonly (keyof LoggedEvent)[]

async function* csvOf(events: AsyncIterable<LoggedEvent>): AsyncGenerator<string> {
  yield `${CSV_COLUMNS.join(',')}\r\n`
  for await (const event of events) {
    const details = event.details === null ? null : JSON.stringify(event.details)
    const row = { ...event, at: new Date(event.at).toISOString(), details }
    yield `${CSV_COLUMNS.map((column) => csvCell(row[column])).join(',')}\r\n`
  }
}

/** Strangers had a hand in it: a spreadsheet must not take it for a formula. */
export function csvCell(value: string | number | null): string {
  const text = String(value ?? '')
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const auditQuery = z.object({
  /** The number of the last entry of the page before. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})

/** The audit log for operators: entry by entry, with the hashes that a reader needs to verify it. */
export function auditRoutes(app: FastifyInstance, { store }: Station): void {
  app.get('/audit-log', may('events:read'), async (request): Promise<AuditPage> => {
    const { after, limit } = auditQuery.parse(request.query)
    const found = await store.call('readAudit', { after, limit: limit + 1 })
    const entries = found.slice(0, limit)
    return { entries, next: found.length > limit ? entries.at(-1)!.seq : null }
  })
}
