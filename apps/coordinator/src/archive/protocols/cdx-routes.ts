/** The CDX server: `/cdx?url=…` answers with lines of the index, as they are read. */
import { Readable } from 'node:stream'
import {
  BadCdxQuery,
  byDistance,
  chooseRows,
  parseCdxQuery,
  parseTimestamp,
  searchKey,
  writeRows,
  type CdxQuery,
  type CdxRow,
  type KeyRange,
} from '@minga/archive'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { mayOrPublic } from '../../accounts/access.ts'
import { cdxjEntryOf } from '../captures/archive-index.ts'
import { seenBy, type ArchiveContext } from '../archive-context.ts'
import { KEY_CHARS, type KeyedCapture, type KeyPlace } from '../archived-urls.ts'

const TYPES = {
  text: 'text/plain; charset=utf-8',
  cdxj: 'text/x-cdxj; charset=utf-8',
  json: 'application/json; charset=utf-8',
}
/** Keys counted in one call of the store. */
const COUNT_KEYS = 2_000

export function cdxRoutes(app: FastifyInstance, context: ArchiveContext): void {
  app.get('/cdx', mayOrPublic('captures:read'), async (request, reply) => {
    const { searchParams } = new URL(request.raw.url!, 'http://station.invalid')
    const query = parseCdxQuery(searchParams)
    const seen = seenBy(context, request)
    await seen.urlIndex.catchUp()
    return query.showNumPages ? sendPages(seen, query, reply) : sendRows(seen, query, reply)
  })
}

async function sendRows(
  context: ArchiveContext,
  query: CdxQuery,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const ranges = query.page === null ? query.ranges : await rangesOfPage(context, query)
  // Read before the answer begins: afterwards it is too late to refuse it.
  const from = query.resumeKey === null ? null : placeIn(query.resumeKey)
  const rows = chooseRows(rowsOf(context, { ...query, ranges, from }), query)
  return reply.type(TYPES[query.output]).send(Readable.from(writeRows(rows, query)))
}

type Span = Pick<CdxQuery, 'ranges' | 'fromAt' | 'toAt'> & { from: KeyPlace | null }

function rowsOf(context: ArchiveContext, query: CdxQuery & Span): AsyncIterable<CdxRow> {
  const { order } = query
  if (typeof order === 'object') return closestRows(context, query, order.closestTo)
  return rangeRows(context, query, order === 'reverse' || query.isFromEnd)
}

async function* rangeRows(
  { urlIndex }: ArchiveContext,
  query: Span,
  newestFirst: boolean,
): AsyncGenerator<CdxRow> {
  const { fromAt, toAt, from } = query
  for (const range of newestFirst ? query.ranges.toReversed() : query.ranges) {
    if (from !== null && isDone(range, from, newestFirst)) continue
    const start = from !== null && isInside(range, from) ? from : null
    for await (const capture of urlIndex.captures(
      { ...cut(range), fromAt, toAt, newestFirst },
      start,
    )) {
      const key = wholeKey(capture)
      if (key >= range.low && key < range.high) yield rowOf(capture, key)
    }
  }
}

function wholeKey({ key, url }: KeyedCapture): string {
  return key.length < KEY_CHARS ? key : searchKey(url)
}

/** Long keys are stored truncated; their captures are distinguished afterwards. */
function cut({ low, high }: KeyRange): KeyRange {
  if (low.length <= KEY_CHARS) return { low, high }
  const start = low.slice(0, KEY_CHARS)
  return { low: start, high: `${start} ` }
}

function isInside({ low, high }: KeyRange, { key }: KeyPlace): boolean {
  return key >= low.slice(0, KEY_CHARS) && key < high
}

function isDone({ low, high }: KeyRange, { key }: KeyPlace, newestFirst: boolean): boolean {
  return newestFirst ? key < low.slice(0, KEY_CHARS) : key >= high
}

function rowOf(capture: KeyedCapture, key: string): CdxRow {
  const { key: kept, capturedAt, id } = capture
  const place = JSON.stringify([kept, capturedAt, id])
  return { key, entry: cdxjEntryOf(capture), resumeKey: Buffer.from(place).toString('base64url') }
}

const resumePlace = z.tuple([z.string(), z.number().int(), z.number().int()])

function placeIn(resumeKey: string): KeyPlace {
  try {
    const text = Buffer.from(resumeKey, 'base64url').toString('utf8')
    const [key, at, id] = resumePlace.parse(JSON.parse(text))
    return { key, at, id }
  } catch {
    throw new BadCdxQuery('resumeKey', 'is none that an earlier answer ended with')
  }
}

function closestRows(
  context: ArchiveContext,
  { ranges, fromAt, toAt }: Span,
  closestTo: number,
): AsyncGenerator<CdxRow> {
  const before = { ranges, fromAt, toAt: Math.min(toAt, closestTo), from: null }
  const after = { ranges, fromAt: Math.max(fromAt, closestTo + 1), toAt, from: null }
  return byDistance(rangeRows(context, before, true), rangeRows(context, after, false), (row) =>
    Math.abs((parseTimestamp(row.entry.timestamp) ?? 0) - closestTo),
  )
}

/** Pages are of addresses, not of captures: those of one address are on one page. */
async function sendPages(
  { store }: ArchiveContext,
  query: CdxQuery,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let keys = 0
  for (const range of query.ranges) {
    let { low } = cut(range)
    for (;;) {
      const found = await store.call('countKeys', { low, high: range.high, limit: COUNT_KEYS })
      keys += found.count
      if (found.last === null || found.count < COUNT_KEYS) break
      low = behind(found.last)
    }
  }
  const pages = Math.ceil(keys / query.pageSize)
  if (query.output === 'json') return reply.type(TYPES.json).send(`[["numpages"],["${pages}"]]\n`)
  return reply.type(TYPES.text).send(`${pages}\n`)
}

/** The smallest text above a key that may be one: keys have no blanks. */
function behind(key: string): string {
  return `${key} `
}

async function rangesOfPage({ store }: ArchiveContext, query: CdxQuery): Promise<KeyRange[]> {
  let skip = (query.page ?? 0) * query.pageSize
  let take = query.pageSize
  const page: KeyRange[] = []
  for (const range of query.ranges) {
    const { high } = range
    let { low } = cut(range)
    while (take > 0) {
      const limit = Math.min(skip > 0 ? skip : take, COUNT_KEYS)
      const { count, last } = await store.call('countKeys', { low, high, limit })
      if (last === null) break
      if (skip > 0) skip -= count
      else {
        take -= count
        page.push({ low, high: behind(last) })
      }
      low = behind(last)
    }
  }
  return page
}
