/** A capture's body or head, read back from its WARC file. */
import {
  cdxjTimestamp,
  parseHttpBlock,
  readRecordAt,
  UnreadableRecord,
  type WarcRecord,
} from '@minga/archive'
import { canonicalUrl, decodeContent } from '@minga/net'
import type { CaptureRow } from '@minga/protocol'
import type { Store } from '@minga/store'
import { join } from 'node:path'
import type { ContentPlace } from './captures.ts'
import { BadArchiveUrl, NoSuchCapture } from './errors.ts'
import { requireShown } from './takedown/require-shown.ts'

/** A reader asks for all of it: the limits only stop bombs. */
const WHOLE = { bytesMax: 1024 * 1024 * 1024, ratioMax: 2_000 }

interface Parts {
  store: Pick<Store, 'call'>
  data: string
}

/** `body` is decoded, `raw` as it was sent, `headers` the status line and header lines. */
export type ContentForm = 'body' | 'raw' | 'headers'

export interface ContentQuery {
  url: string
  at: number | null
  form?: ContentForm
}

export interface CaptureContent {
  headers: Record<string, string>
  body: Buffer
}

export async function readContent(parts: Parts, query: ContentQuery): Promise<CaptureContent> {
  const place = await findPlace(parts, query)
  const { capture, payload } = place
  const isHead = query.form === 'headers'
  const record = await recordOf(parts, isHead ? capture : payload)
  const { bytes, problem } = isHead ? headOf(record) : bodyOf(record, query.form ?? 'body')
  return {
    body: bytes,
    headers: {
      // Never rendered as a page of the station itself: archived scripts must not run here.
      'content-type': 'application/octet-stream',
      'x-minga-mime': inHeader(payload.mime),
      'x-minga-captured-at': new Date(capture.capturedAt).toISOString(),
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

const NOT_MODIFIED = 304

/** What a revisit found unchanged is shown with the head of its original: its own says only 304. */
export async function readArchived(
  parts: Parts,
  query: Pick<ContentQuery, 'url' | 'at'>,
): Promise<ArchivedAnswer> {
  const { capture, payload } = await findPlace(parts, query)
  const record = await recordOf(parts, payload)
  const isOwn = capture.id === payload.id || capture.status === NOT_MODIFIED
  const own = isOwn ? null : parseHttpBlock((await recordOf(parts, capture)).block)
  const head = own ?? (record.type === 'resource' ? null : parseHttpBlock(record.block))
  const { bytes, problem } = bodyOf(record, 'body')
  return {
    capture,
    status: capture.status === NOT_MODIFIED ? payload.status : capture.status,
    headers: head?.headers.pairs ?? [['content-type', payload.mime]],
    body: bytes,
    problem,
    mime: payload.mime,
    isTruncated: record.headers.get('WARC-Truncated') !== undefined,
  }
}

/** Sites choose their types freely; Node refuses to send what is not plain text. */
export function inHeader(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}

/** A capture and where its payload is, or an error that says what there is instead. */
export async function findPlace(
  parts: Parts,
  query: Pick<ContentQuery, 'url' | 'at'>,
): Promise<{ capture: CaptureRow; payload: CaptureRow }> {
  const { url, at } = query
  const place = await parts.store.call<ContentPlace | null>('captureContent', { url, at })
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
  const { headers } = await recordOf(parts, revisit)
  const url = headers.uri('WARC-Refers-To-Target-URI')
  const at = Date.parse(headers.get('WARC-Refers-To-Date') ?? '')
  if (url === undefined || Number.isNaN(at)) return null
  const place = await parts.store.call<ContentPlace | null>('captureContent', {
    url,
    // Dates of WARC/1.0 end with the second.
    at: at + 999,
  })
  return place?.payload ?? null
}

async function recordOf(parts: Parts, row: CaptureRow): Promise<WarcRecord> {
  try {
    return await readRecordAt(join(parts.data, 'archive', row.file), row.offset, row.length)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    throw new UnreadableRecord(row.file, 'there is no such file.')
  }
}

function headOf({ block }: WarcRecord): { bytes: Buffer; problem: string | null } {
  const http = parseHttpBlock(block)
  if (!http) return { bytes: Buffer.alloc(0), problem: 'The record holds no HTTP answer.' }
  const lines = [http.startLine, ...http.headers.pairs.map(([name, value]) => `${name}: ${value}`)]
  return { bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), problem: null }
}

function bodyOf(
  { type, block }: WarcRecord,
  form: ContentForm,
): { bytes: Buffer; problem: string | null } {
  const http = type === 'resource' ? null : parseHttpBlock(block)
  if (!http || form === 'raw') return { bytes: http?.body ?? block, problem: null }
  const encoding = http.headers.all('content-encoding').join(',') || undefined
  return decodeContent(http.body, encoding, WHOLE)
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
