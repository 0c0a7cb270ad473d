/** Appends the bytes of accepted captures to the archive and indexes them. */
import { toRevisit } from '@minga/archive'
import { hasCapture, type Accepted } from '@minga/frontier'
import type { CapturedResult, Result } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'

interface Kept {
  item: Accepted
  result: CapturedResult
  url: string
  kind: 'response' | 'revisit'
  /** The capture's own record first. */
  chunks: Uint8Array[]
}

interface Original {
  url: string
  captured_at: number
}

/** Answers the number of identical payloads by collection. */
export async function keepCaptures(
  sql: Sql,
  args: { accepted: readonly Accepted[]; results: readonly Result[]; members: Uint8Array },
): Promise<Map<number, number>> {
  const kept = sliceMembers(args)
  if (kept.length === 0) return new Map()
  await replaceDuplicates(sql, kept)
  const place = await sql.append(
    'archive',
    kept.flatMap(({ chunks }) => chunks),
  )
  let offset = place.offset
  const rows: Value[][] = []
  for (const capture of kept) {
    rows.push(captureRow(capture, place.file, offset))
    for (const chunk of capture.chunks) offset += chunk.length
  }
  await sql.insertMany({ table: 'captures', columns: CAPTURE_COLUMNS, rows })
  return countDuplicates(kept)
}

function sliceMembers(args: {
  accepted: readonly Accepted[]
  results: readonly Result[]
  members: Uint8Array
}): Kept[] {
  const accepted = new Map(args.accepted.map((item) => [item.result, item]))
  const kept: Kept[] = []
  let offset = 0
  for (const result of args.results) {
    if (result.type !== 'captured') continue
    const chunks: Uint8Array[] = []
    for (const length of result.members) {
      chunks.push(args.members.subarray(offset, offset + length))
      offset += length
    }
    const item = accepted.get(result)
    if (!item || !hasCapture(item.decision)) continue
    kept.push({ item, result, url: urlOf(item, result), kind: result.record, chunks })
  }
  return kept
}

function urlOf({ url }: Accepted, result: CapturedResult): string {
  if (url === null) return result.url
  return url.kind === 'robots' ? result.url : url.url
}

/** A payload that the archive already holds under another address is kept as a reference. */
async function replaceDuplicates(sql: Sql, kept: Kept[]): Promise<void> {
  const candidates = kept.filter(isDeduplicated)
  const known = await sql.selectMany<Original>({
    table: 'payloads',
    keys: ['digest'],
    rows: candidates.map(({ result }) => [result.digest]),
    columns: ['url', 'captured_at'],
  })
  const originals = new Map<string, Original>()
  const fresh: Value[][] = []
  for (const [i, capture] of candidates.entries()) {
    const { digest, capturedAt } = capture.result
    const original = known[i] ?? originals.get(digest)
    if (original === undefined) {
      originals.set(digest, { url: capture.url, captured_at: capturedAt })
      fresh.push([digest, capture.url, capturedAt])
      continue
    }
    const referred = { digest, url: original.url, capturedAt: original.captured_at }
    capture.chunks[0] = toRevisit(Buffer.from(capture.chunks[0]!), referred)
    capture.kind = 'revisit'
  }
  await sql.insertMany({
    table: 'payloads',
    columns: ['digest', 'url', 'captured_at'],
    rows: fresh,
    // Another collection may have brought it at this moment: then both are kept whole.
    onConflict: 'ignore',
  })
}

/** Only whole pages: an error page or robots.txt that repeats says nothing about content. */
function isDeduplicated({ item, result }: Kept): boolean {
  return (
    result.record === 'response' &&
    result.status === 200 &&
    result.payloadBytes > 0 &&
    item.decision.type === 'captured' &&
    item.decision.isPage
  )
}

function countDuplicates(kept: readonly Kept[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { item, kind } of kept) {
    if (kind !== 'revisit') continue
    const id = item.lease.collection_id
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

const CAPTURE_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'url',
  'captured_at',
  'kind',
  'status',
  'mime',
  'digest',
  'payload_bytes',
  'file',
  'offset_bytes',
  'length_bytes',
  'title',
  'etag',
  'last_modified',
]

function captureRow(
  { item, result, url, kind, chunks }: Kept,
  file: string,
  offset: number,
): Value[] {
  return [
    item.lease.collection_id,
    item.lease.host_id,
    result.hash,
    url,
    result.capturedAt,
    kind,
    result.status,
    result.mime,
    result.digest,
    result.payloadBytes,
    file,
    offset,
    chunks[0]!.length,
    result.title,
    result.etag,
    result.lastModified,
  ]
}
