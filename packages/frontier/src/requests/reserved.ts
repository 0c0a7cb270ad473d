/**
 * Requests for one device only: a second opinion must come from another device. They are queued in
 * a separate collection of the station, so clocks, robots.txt and retries hold for them as for
 * everything, and to the device they look like any other request.
 */
import type { CollectionSpec } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { PaceRow } from '../hosts/host-pace.ts'
import type { HostRow } from '../lease/take-hosts.ts'
import { parseSpec } from '../collections/collections.ts'
import { cancelQueuedUrl, type QueuedPlace } from '../queue/queue-counts.ts'
import { nextIds } from '../sequences.ts'
import { queueDocuments, type WantedDocument } from './queue-documents.ts'
import { stationCollection } from './station-collection.ts'

export interface ReservedDocument extends Omit<WantedDocument, 'priority'> {
  /** Whose answer it is. */
  tag: string
  /** The collection as whose request it looks; the station's own without it. */
  likeCollectionId?: number
}

export async function reserveDocuments(
  sql: Sql,
  args: {
    device: string
    documents: readonly ReservedDocument[]
    delayMs: number
    expiresAt: number
    now: number
    /** The code of a closing that does not hold for them. */
    despite?: string
  },
): Promise<void> {
  const { device, documents, expiresAt, despite = null } = args
  if (documents.length === 0) return
  const collectionId = await stationCollection(sql, { ...args, kind: 'audits' })
  const first = await nextIds(sql, 'request', documents.length)
  const keys = await queueDocuments(sql, {
    collectionId,
    // The tag makes two opinions about one URL two entries of the queue; it is never sent.
    documents: documents.map(({ url, tag, ...like }, i) => ({
      ...like,
      url: `${url}#${tag}`,
      priority: first + i,
    })),
  })
  await sql.insertMany({
    table: 'reserved_urls',
    columns: [
      'collection_id',
      'host_id',
      'hash',
      'device',
      'tag',
      'expires_at',
      'despite',
      'like_collection_id',
    ],
    rows: keys.map(({ hostId, hash }, i) => [
      collectionId,
      hostId,
      hash,
      device,
      documents[i]!.tag,
      expiresAt,
      despite,
      documents[i]!.likeCollectionId ?? null,
    ]),
    onConflict: {
      keys: ['collection_id', 'host_id', 'hash'],
      update: ['device', 'tag', 'expires_at', 'despite', 'like_collection_id'],
    },
  })
}

/** Hosts of which this device has something reserved, and whose turn has come. */
export function reservedHosts(
  sql: Sql,
  args: { collectionId: number; device: string; now: number; atMost: number },
): Promise<HostRow[]> {
  return sql.all<HostRow>(
    `SELECT c.host_id, h.name, h.next_allowed_at, h.address, h.address_until, h.crawl_delay_ms,
            h.slow_ms, h.closed_code, h.station, h.held, h.backoff_ms, h.latency_ms, h.bears, h.good_answers, h.country, c.pages, c.bytes, c.queued,
            c.found, c.started_at, c.device, c.promised, c.last_ms, c.pace_ms, c.first_byte_ms
     FROM collection_hosts c JOIN hosts h ON h.id = c.host_id
     WHERE c.collection_id = ? AND c.queued > 0 AND c.turn_at <= ? AND h.fence = 0
       AND EXISTS (SELECT 1 FROM reserved_urls r WHERE r.collection_id = c.collection_id
         AND r.device = ? AND r.host_id = c.host_id)
     ORDER BY c.turn_at LIMIT ?${sql.forUpdateSkipLocked}`,
    [args.collectionId, args.now, args.device, args.atMost],
  )
}

interface LikeRow extends Pick<PaceRow, 'found' | 'last_ms' | 'pace_ms' | 'first_byte_ms'> {
  spec: string
  most_found: number
}

export interface PacedCollection {
  spec: CollectionSpec
  mostFound: number
  pace: Pick<PaceRow, 'found' | 'last_ms' | 'pace_ms' | 'first_byte_ms'>
}

/** The collections as whose requests look what this device has reserved of a host. */
export async function likenessesOf(
  sql: Sql,
  args: { collectionId: number; hostId: number; device: string },
): Promise<PacedCollection[]> {
  const rows = await sql.all<LikeRow>(
    `SELECT DISTINCT c.spec, c.most_found, h.found, h.last_ms, h.pace_ms, h.first_byte_ms
     FROM reserved_urls r JOIN collections c ON c.id = r.like_collection_id
       JOIN collection_hosts h ON h.collection_id = c.id AND h.host_id = r.host_id
     WHERE r.collection_id = ? AND r.host_id = ? AND r.device = ?`,
    [args.collectionId, args.hostId, args.device],
  )
  return rows.map(({ spec, most_found: mostFound, ...pace }) => ({
    spec: parseSpec(spec),
    mostFound,
    pace,
  }))
}

/** When the next host comes of which this device has something reserved. */
export async function nextReservedAt(
  sql: Sql,
  args: { collectionId: number; device: string },
): Promise<number | null> {
  const next = await sql.get<{ at: number | null }>(
    `SELECT MIN(c.turn_at) AS at FROM reserved_urls r JOIN collection_hosts c
       ON c.collection_id = r.collection_id AND c.host_id = r.host_id
     WHERE r.collection_id = ? AND r.device = ? AND c.queued > 0`,
    [args.collectionId, args.device],
  )
  return next?.at ?? null
}

/** The tags of reserved URLs, aligned with the places. */
export async function tagsOf(
  sql: Sql,
  keys: readonly QueuedPlace[],
): Promise<(string | undefined)[]> {
  const rows = await sql.selectMany<{ tag: string }>({
    table: 'reserved_urls',
    keys: ['collection_id', 'host_id', 'hash'],
    rows: keys.map(({ collectionId, hostId, hash }) => [collectionId, hostId, hash]),
    columns: ['tag'],
  })
  return rows.map((row) => row?.tag)
}

/** How many are dropped at a time: no caller waits for them. */
const EXPIRED_STEP = 500

/** What was not done in time leaves the queue; the caller chooses another device. */
export async function dropExpired(sql: Sql, args: { now: number }): Promise<void> {
  const expired = await sql.all<QueuedPlace>(
    `SELECT collection_id AS "collectionId", host_id AS "hostId", hash FROM reserved_urls
     WHERE expires_at <= ? LIMIT ?`,
    [args.now, EXPIRED_STEP],
  )
  for (const key of expired) await cancelQueuedUrl(sql, key)
  await sql.deleteMany({
    table: 'reserved_urls',
    keys: ['collection_id', 'host_id', 'hash'],
    rows: expired.map(({ collectionId, hostId, hash }) => [collectionId, hostId, hash]),
  })
}
