/** Appends the bytes of accepted captures to the archive and indexes them. */
import { recordIdOf, referTo, toRevisit } from '@minga/archive'
import {
  addressOf,
  findOriginal,
  hasCapture,
  urlHash,
  type Accepted,
  type Original,
} from '@minga/frontier'
import type { CapturedResult, Result } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { insertCaptures, type NewCapture } from '../archive/captures/captures.ts'

/** An accepted result with its records. */
export type StorableItem = Accepted & RevisitReference & { members: readonly Uint8Array[] }

/** A revisit with the response that it repeats, if that is held. */
interface RevisitReference {
  result: Result
  original?: Original
}

interface Kept {
  item: StorableItem
  result: CapturedResult
  url: string
  kind: 'response' | 'revisit'
  /** Of the response that holds the payload. */
  recordId: string | null
  /** The capture's own record first. */
  chunks: Uint8Array[]
}

export interface StoreCaptures {
  accepted: readonly StorableItem[]
  by: Fetcher
}

/**
 * The same results, the revisits among them with the responses that they repeat. None for one whose payload is not held any more, nor for one that
 * names another payload than the last known one of its URL: that would show foreign content there, or hide a change.
 */
export async function findOriginals<T extends { result: Result }>(
  sql: Sql,
  sent: readonly T[],
): Promise<(T & RevisitReference)[]> {
  const items: (T & RevisitReference)[] = []
  for (const item of sent) {
    const { result } = item
    const known = isRevisit(result) ? await findKnown(sql, result) : null
    items.push(known === null ? item : withOriginal(item, known))
  }
  return items
}

/** It has the size of what it repeats, whatever its device says. */
function withOriginal<T extends { result: Result }>(
  item: T,
  { original, payloadBytes }: KnownPayload,
): T & RevisitReference {
  return { ...item, result: { ...item.result, payloadBytes }, original }
}

interface KnownPayload {
  original: Original
  payloadBytes: number
}

/** By the same rule by which the request named what is known (`previous`). */
async function findKnown(sql: Sql, result: CapturedResult): Promise<KnownPayload | null> {
  const { hostId, hash, url, digest } = result
  const hashes = [hash, urlHash(url)] as const
  const last = await sql.get<{ digest: string; payloadBytes: number }>(
    `SELECT digest, payload_bytes AS "payloadBytes" FROM captures
     WHERE host_id = ? AND hash IN (?, ?) AND status = 200 AND url = ? ORDER BY id DESC LIMIT 1`,
    [hostId, ...hashes, url],
  )
  if (last?.digest !== digest) return null
  const original = await findOriginal(sql, { hostId, hashes, url, digest })
  // A "not modified" has no body.
  const payloadBytes = result.status === 304 ? 0 : last.payloadBytes
  return original === null ? null : { original, payloadBytes }
}

export function isRevisit(result: Result): result is CapturedResult {
  return result.type === 'captured' && result.record === 'revisit'
}

/** Who fetched them, and whether that is enough to believe them. */
export interface Fetcher {
  device: string | null
  isVerified: boolean
}

export interface StoredCaptures {
  /** Identical payloads by collection. */
  duplicates: Map<number, number>
  results: ReadonlySet<Result>
}

export async function storeCaptures(sql: Sql, args: StoreCaptures): Promise<StoredCaptures> {
  const kept = await withoutBlocked(sql, toKept(args.accepted))
  if (kept.length === 0) return { duplicates: new Map(), results: new Set() }
  pointRevisits(kept)
  await replaceDuplicates(sql, kept)
  const location = await sql.append(
    'archive',
    kept.flatMap(({ chunks }) => chunks),
  )
  let offset = location.offset
  const captures: NewCapture[] = []
  for (const capture of kept) {
    captures.push(captureOf(capture, { file: location.file, offset }, args.by))
    for (const chunk of capture.chunks) offset += chunk.length
  }
  await insertCaptures(sql, captures)
  return { duplicates: countDuplicates(kept), results: new Set(kept.map(({ result }) => result)) }
}

function toKept(accepted: readonly StorableItem[]): Kept[] {
  const kept: Kept[] = []
  for (const item of accepted) {
    const { result } = item
    if (result.type !== 'captured' || !hasCapture(item.decision)) continue
    // A list of its own: its records may be replaced, and the operation may run twice.
    const chunks = [...item.members]
    const recordId = result.record === 'revisit' ? null : recordIdOf(chunks[0]!)
    kept.push({ item, result, url: urlOf(item, result), kind: result.record, recordId, chunks })
  }
  return kept
}

/** What was taken down for good does not come back by the same road. */
async function withoutBlocked(sql: Sql, kept: Kept[]): Promise<Kept[]> {
  // Nearly always there is none.
  if (!(await sql.get('SELECT 1 FROM blocked_payloads LIMIT 1'))) return kept
  const places = kept.map(({ item, result }) => [result.digest, item.lease.host_id, result.hash])
  const blocked = await sql.selectMany({
    table: 'blocked_payloads',
    keys: ['digest', 'host_id', 'hash'],
    rows: places,
    columns: ['digest'],
  })
  return kept.filter((_, i) => blocked[i] === undefined)
}

function urlOf({ url }: Accepted, result: CapturedResult): string {
  if (url === null) return result.url
  return addressOf(url.url)
}

/** Whatever an agent heard when it was sent out: its revisits refer to what is held now. */
function pointRevisits(kept: readonly Kept[]): void {
  for (const capture of kept) {
    const { original } = capture.item
    if (original === undefined) continue
    const { digest } = capture.result
    capture.chunks[0] = referTo(Buffer.from(capture.chunks[0]!), { digest, ...original })
    capture.recordId = original.recordId
  }
}

/** A payload that the archive already holds under another address is kept as a reference. */
async function replaceDuplicates(sql: Sql, kept: Kept[]): Promise<void> {
  const candidates = kept.filter(isDeduplicated)
  const known = await sql.selectMany<HeldPayload>({
    table: 'payloads',
    keys: ['digest'],
    rows: candidates.map(({ result }) => [result.digest]),
    columns: ['url', 'captured_at', 'record_id'],
  })
  const originals = new Map<string, HeldPayload>()
  const fresh: Value[][] = []
  for (const [i, capture] of candidates.entries()) {
    const { url, recordId } = capture
    const { digest, capturedAt } = capture.result
    const original = known[i] ?? originals.get(digest)
    if (original === undefined) {
      originals.set(digest, { url, captured_at: capturedAt, record_id: recordId })
      fresh.push([digest, url, capturedAt, recordId])
      continue
    }
    const { captured_at, record_id } = original
    const referred = { digest, url: original.url, capturedAt: captured_at, recordId: record_id }
    capture.chunks[0] = toRevisit(Buffer.from(capture.chunks[0]!), referred)
    capture.kind = 'revisit'
    capture.recordId = record_id
  }
  await sql.insertMany({
    table: 'payloads',
    columns: ['digest', 'url', 'captured_at', 'record_id'],
    rows: fresh,
    // Another collection may have brought it at this moment: then both are kept whole.
    onConflict: 'ignore',
  })
}

interface HeldPayload {
  url: string
  captured_at: number
  record_id: string | null
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

function captureOf(
  { item, result, url, kind, recordId, chunks }: Kept,
  place: Pick<NewCapture, 'file' | 'offset'>,
  { device, isVerified }: Fetcher,
): NewCapture {
  const { hash, capturedAt, status, digest, payloadBytes } = result
  return {
    collectionId: item.lease.collection_id,
    hostId: item.lease.host_id,
    // A second opinion is queued under a key of its own, but it is a capture of the address.
    hash: item.spec.kind === 'audits' ? urlHash(url) : hash,
    url,
    capturedAt,
    kind,
    status,
    mime: storable(result.mime),
    digest,
    payloadBytes,
    ...place,
    length: chunks[0]!.length,
    recordId,
    title: result.title && storable(result.title),
    etag: result.etag && storable(result.etag),
    lastModified: result.lastModified && storable(result.lastModified),
    device,
    verified: isVerified ? 1 : 0,
  }
}

/** Pages hold NUL (UTF-16 that says it is UTF-8), PostgreSQL takes none: one page's title must not
 * make a whole upload fail again and again. */
function storable(text: string): string {
  return text.replaceAll('\0', '')
}
