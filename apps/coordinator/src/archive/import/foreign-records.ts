/** What other people's WARC files hold, in the form in which our archive keeps it. */
import {
  bareUri,
  encodeRecord,
  indexEntry,
  parseDigest,
  parseHttpBlock,
  readRecordAt,
  readRecords,
  sha256Label,
  type CdxjEntry,
  type RecordDraft,
  type WarcRecord,
} from '@minga/archive'
import { canonicalUrl } from '@minga/net'
import type { ImportedCapture } from './import-captures.ts'

/** HTTP heads are far smaller; bodies are not needed. */
const HEAD_BYTES = 256 * 1024
/** Outside of these a timestamp of 14 digits cannot say the year, and no page is that old. */
const EARLIEST = Date.UTC(1_000, 0)
const LATEST = Date.UTC(10_000, 0)

/** Captures of web pages, in file order. Damage and other records are passed over. */
export async function* capturesIn(
  path: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImportedCapture> {
  for await (const item of readRecords(source, { blockLimitBytes: HEAD_BYTES })) {
    if ('damage' in item) continue
    const entry = indexEntry(item, '')
    const url = entry && canonicalUrl(entry.url)
    const capturedAt = Date.parse(item.headers.get('WARC-Date') ?? '')
    // Others keep notes under addresses such as metadata:// or urn:, which are no web pages.
    if (!entry || !url || capturedAt < EARLIEST || capturedAt >= LATEST) continue
    const { offset, length } = item
    const seen = whatWasSeen(item, entry)
    const digest = await digestOf(path, item)
    // Whether what a revisit refers to is here is known when the whole file is.
    const recordId = seen.kind === 'revisit' ? null : (item.headers.get('WARC-Record-ID') ?? null)
    const payloadBytes = payloadBytesOf(item)
    yield { url, capturedAt, ...seen, digest, payloadBytes, recordId, offset, length }
  }
}

function whatWasSeen(
  record: WarcRecord,
  entry: CdxjEntry,
): Pick<ImportedCapture, 'kind' | 'status' | 'mime'> {
  const status = Number(entry.status) || 0
  if (record.type !== 'revisit') return { kind: 'response', status, mime: oneLine(entry.mime) }
  const type = parseHttpBlock(record.block)?.headers.get('content-type') ?? ''
  const mime = oneLine(type.split(';', 1)[0]!.trim().toLowerCase())
  return { kind: 'revisit', status, mime: mime || 'unk' }
}

/** PostgreSQL takes no NUL, tables and terminals no control characters. */
function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200)
}

/** The file's own word where it has one; a digest of ours where it has none. */
async function digestOf(path: string, record: WarcRecord): Promise<string> {
  const label = record.headers.get('WARC-Payload-Digest') ?? ''
  if (parseDigest(label) !== null) return oneLine(label)
  if (record.type === 'revisit') return '-'
  const whole = record.isWhole ? record : await readRecordAt(path, record.offset, record.length)
  return payloadDigest(whole)
}

/** Of a record whose block is whole. */
function payloadDigest(record: WarcRecord): string {
  const http = record.type === 'resource' ? null : parseHttpBlock(record.block)
  return sha256Label([http?.body ?? record.block])
}

function payloadBytesOf(record: WarcRecord): number {
  const http = record.type === 'resource' ? null : parseHttpBlock(record.block)
  return record.blockBytes - (record.block.length - (http?.body.length ?? record.block.length))
}

/** More than a page ever has; larger records are left out of a repacked file. */
const REPACK_BLOCK_BYTES = 256 * 1024 * 1024

/** Every readable record as a gzip member of its own. */
export async function* repacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const item of readRecords(source, { blockLimitBytes: REPACK_BLOCK_BYTES })) {
    if ('damage' in item || !item.isWhole) continue
    const headers = item.headers.pairs.filter(([name]) => !RECOMPUTED.has(name.toLowerCase()))
    const type = item.type as RecordDraft['type']
    yield encodeRecord({ type, headers: headers.map((pair) => bareUri(pair)), block: [item.block] })
  }
}

const RECOMPUTED = new Set(['warc-type', 'warc-block-digest', 'content-length'])
