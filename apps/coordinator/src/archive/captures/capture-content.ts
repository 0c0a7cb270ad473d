/** A capture's body or head, read back from its WARC file. */
import {
  cdxjTimestamp,
  parseHttpBlock,
  readRecordWithin,
  UnreadableRecord,
  type WarcRecord,
  writableDate,
} from '@minga/archive'
import { canonicalUrl, unpackContent, unpackWhole, type DecodingLimits } from '@minga/net'
import type { CaptureRow } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { BadArchiveUrl, NoSuchCapture } from '../errors.ts'
import { requireShown } from '../takedown/require-shown.ts'
import type { Operations } from '../../station/station-operations.ts'

/** A person gets all of it, as a stream: the limits only stop bombs. */
const STREAMED: DecodingLimits = { bytesMax: 1024 * 1024 * 1024, ratioMax: 200 }
/** A program holds it in memory: what follows is cut off. */
const HELD: DecodingLimits = { bytesMax: 64 * 1024 * 1024, ratioMax: 2_000 }
/** Bodies of up to this size are sent at once, with their length. */
const SENT_AT_ONCE_BYTES = 1024 * 1024
/** Of a record whose body a program reads; agents cut bodies before. */
const HELD_RECORD_BYTES = 80 * 1024 * 1024
const STREAMED_RECORD_BYTES = 1024 * 1024 * 1024
/** The HTTP head is at the beginning of a block. */
const HEAD_BYTES = 2 * 1024 * 1024

/** What of the store reading a capture needs. */
export type ContentOperations = Pick<Operations, 'captureContent' | 'listCaptures' | 'tombstoneOf'>

interface Parts {
  store: Calls<ContentOperations>
  data: string
}

/** `body` is decoded, `raw` as it was sent, `headers` the status line and header lines. */
export type ContentForm = 'body' | 'raw' | 'headers'

export interface ContentQuery {
  url: string
  at: number | null
  form?: ContentForm
  /** Only what this collection captured. */
  collectionId?: number | null
}

type PlaceQuery = Pick<ContentQuery, 'url' | 'at' | 'collectionId'>

export interface CaptureContent {
  headers: Record<string, string>
  body: SentBody
}

/** Large bodies are unpacked while they are sent. */
export type SentBody = Buffer | Readable

export async function readContent(parts: Parts, query: ContentQuery): Promise<CaptureContent> {
  const place = await findPlace(parts, query)
  const { capture, payload } = place
  const isHead = query.form === 'headers'
  const record = isHead
    ? await recordOf(parts, capture, HEAD_BYTES)
    : await recordOf(parts, payload, STREAMED_RECORD_BYTES)
  const { body, problem } = isHead ? headOf(record) : await sentBody(record, query.form ?? 'body')
  return {
    body,
    headers: {
      // Never rendered as a page of the station itself: archived scripts must not run here.
      'content-type': 'application/octet-stream',
      'x-minga-mime': inHeader(payload.mime),
      'x-minga-captured-at': writableDate(capture.capturedAt).toISOString(),
      'x-minga-status': String(capture.status),
      ...(problem === null ? {} : { 'x-minga-problem': inHeader(problem) }),
    },
  }
}

/** An answer as a browser would have got it, decoded. */
export interface ArchivedAnswer {
  capture: CaptureRow
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer
  problem: string | null
  /** Of the body, as it was recognised. */
  mime: string
  /** The fetch ended before the body did. */
  isTruncated: boolean
}

/** The same for a person, who gets all of the body. */
export interface ArchivedView extends Omit<ArchivedAnswer, 'body'> {
  body: SentBody
}

const NOT_MODIFIED = 304

/** As a program reads it: a body that unpacks to more than `bytesMax` is cut there. */
export async function readArchived(
  parts: Parts,
  query: Pick<ContentQuery, 'url' | 'at'>,
  bytesMax = HELD.bytesMax,
): Promise<ArchivedAnswer> {
  const { record, answer } = await findAnswer(parts, query, HELD_RECORD_BYTES)
  const { stored, encoding } = storedBody(record)
  const { bytes, problem } = await unpackWhole(stored, encoding, { ...HELD, bytesMax })
  return { ...answer, body: bytes, problem }
}

/** As a person reads it. */
export async function openArchived(parts: Parts, query: PlaceQuery): Promise<ArchivedView> {
  const { record, answer } = await findAnswer(parts, query, STREAMED_RECORD_BYTES)
  return { ...answer, ...(await sentBody(record, 'body')) }
}

/** What a revisit found unchanged is shown with the head of its original: its own says only 304. */
async function findAnswer(
  parts: Parts,
  query: PlaceQuery,
  blockBytes: number,
): Promise<{ record: WarcRecord; answer: Omit<ArchivedAnswer, 'body' | 'problem'> }> {
  const { capture, payload } = await findPlace(parts, query)
  const record = await recordOf(parts, payload, blockBytes)
  const isOwn = capture.id === payload.id || capture.status === NOT_MODIFIED
  const own = isOwn ? null : parseHttpBlock((await recordOf(parts, capture, HEAD_BYTES)).block)
  const head = own ?? (record.type === 'resource' ? null : parseHttpBlock(record.block))
  const answer = {
    capture,
    status: capture.status === NOT_MODIFIED ? payload.status : capture.status,
    headers: head?.headers.pairs ?? [['content-type', payload.mime] as const],
    mime: payload.mime,
    isTruncated: !record.isWhole || record.headers.get('WARC-Truncated') !== undefined,
  }
  return { record, answer }
}

/** Sites choose their types freely; Node refuses to send what is not plain text. */
export function inHeader(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}

/** A capture and where its payload is, or an error that says what there is instead. */
export async function findPlace(
  parts: Parts,
  query: PlaceQuery,
): Promise<{ capture: CaptureRow; payload: CaptureRow }> {
  const { url, at, collectionId = null } = query
  const asked = { url, at, collectionId }
  const place = await parts.store.call('captureContent', asked)
  await requireShown(parts.store, { url, at, found: place?.capture.capturedAt ?? null })
  if (place === null && canonicalUrl(url) === null) throw new BadArchiveUrl(url)
  if (place === null) throw new NoSuchCapture(url, await nearest(parts.store, query))
  const { capture } = place
  const payload = place.payload ?? (await referredPayload(parts, capture))
  if (payload) return { capture, payload }
  const when = cdxjTimestamp(capture.capturedAt)
  throw new NoSuchCapture(url, `that of ${when} only refers to another, which was not imported`)
}

/** What a revisit itself names as its original. */
export async function referredPayload(
  parts: Parts,
  revisit: CaptureRow,
): Promise<CaptureRow | null> {
  const { headers } = await recordOf(parts, revisit, HEAD_BYTES)
  const url = headers.uri('WARC-Refers-To-Target-URI')
  const at = Date.parse(headers.get('WARC-Refers-To-Date') ?? '')
  if (url === undefined || Number.isNaN(at)) return null
  const place = await parts.store.call('captureContent', {
    url,
    // Dates of WARC/1.0 end with the second.
    at: at + 999,
  })
  return place?.payload ?? null
}

async function recordOf(parts: Parts, row: CaptureRow, blockBytes: number): Promise<WarcRecord> {
  try {
    return await readRecordWithin(join(parts.data, 'archive', row.file), row, blockBytes)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    throw new UnreadableRecord(row.file, 'there is no such file.')
  }
}

interface Sent {
  body: SentBody
  problem: string | null
}

function headOf({ block }: WarcRecord): Sent {
  const http = parseHttpBlock(block)
  if (!http) return { body: Buffer.alloc(0), problem: 'The record holds no HTTP answer.' }
  const lines = [http.startLine, ...http.headers.pairs.map(([name, value]) => `${name}: ${value}`)]
  return { body: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), problem: null }
}

/** The body as it was received, and how it is packed. */
function storedBody({ type, block }: WarcRecord): { stored: Buffer; encoding: string | undefined } {
  const http = type === 'resource' ? null : parseHttpBlock(block)
  const encoding = http?.headers.all('content-encoding').join(',') || undefined
  return { stored: http?.body ?? block, encoding }
}

/**
 * A problem is said in a header, before the body: a large body is unpacked twice, once to find out and once while it
 * is sent, and held at no time.
 */
async function sentBody(record: WarcRecord, form: ContentForm): Promise<Sent> {
  const { stored, encoding } = storedBody(record)
  if (form === 'raw' || encoding === undefined) return { body: stored, problem: null }
  const { small, problem } = await surveyed(unpackContent(stored, encoding, STREAMED))
  const unpack = (): Readable =>
    Readable.from(unpackContent(stored, encoding, STREAMED), { objectMode: false })
  return { body: small ?? unpack(), problem }
}

/** What is wrong with a body, and the body itself when it is small. */
async function surveyed(
  pieces: AsyncGenerator<Buffer, string | null>,
): Promise<{ small: Buffer | null; problem: string | null }> {
  let held: Buffer[] | null = []
  let sizeBytes = 0
  for (;;) {
    const next = await pieces.next()
    if (next.done === true) return { small: held && Buffer.concat(held), problem: next.value }
    sizeBytes += next.value.length
    if (sizeBytes > SENT_AT_ONCE_BYTES) held = null
    held?.push(next.value)
  }
}

/** One helpful clause about what is there instead. */
async function nearest(store: Parts['store'], { url, at }: ContentQuery): Promise<string> {
  const list = (of: string): Promise<CaptureRow[]> =>
    store.call('listCaptures', { url: of, limit: 1 })
  const [later] = at === null ? [] : await list(url)
  if (later) return `the earliest is of ${cdxjTimestamp(later.capturedAt)}`
  for (const other of spellings(canonicalUrl(url)!)) {
    const [found] = await list(other)
    if (found) return `but it has ${found.url} of ${cdxjTimestamp(found.capturedAt)}`
  }
  return '`minga archive list` shows what it has'
}

/** What people mistype most: the scheme, the last slash, `www.`. */
export function spellings(url: string): string[] {
  const otherScheme = url.startsWith('https:')
    ? url.replace(/^https:/, 'http:')
    : url.replace(/^http:/, 'https:')
  return [url, otherScheme].flatMap((each) => {
    const otherName = /:\/\/www\./.test(each)
      ? each.replace('://www.', '://')
      : each.replace('://', '://www.')
    const otherEnd = each.endsWith('/') ? each.slice(0, -1) : `${each}/`
    return [each, otherEnd, otherName]
  })
}
