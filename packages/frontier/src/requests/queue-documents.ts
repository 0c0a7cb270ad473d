/**
 * Puts URLs into the queue of the requests collection. A URL that is queued or leased already
 * serves all requests for it; one that has ended is queued again.
 */
import { hostKeyOf } from '@minga/net'
import type { RequestKind } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { hostIdsOf } from '../hosts/host-directory.ts'
import { countFound, type HostCounts } from '../queue/queue-counts.ts'
import { forUpdate } from '../row-locks.ts'
import { urlHash } from '../queue/url-hash.ts'
import { findSlots, type Slot } from '../queue/url-slots.ts'
import { QUEUED_COLUMNS } from '../queue/queue-order.ts'

export interface WantedDocument {
  url: string
  kind?: RequestKind
  /** As if it had been found there; a client's document was found nowhere. */
  depth?: number
  hops?: number
  via?: string | null
  /** Smaller goes first; unique numbers keep the order of arrival inside a host. */
  priority: number
}

export interface UrlKey {
  hostId: number
  hash: number
}

interface Document extends UrlKey {
  url: string
  wanted: WantedDocument
}

type DocumentSlot = Slot<Document, { outcome: string | null }>

/** Answers the place of every document, in order. */
export async function queueDocuments(
  sql: Sql,
  args: { collectionId: number; documents: readonly WantedDocument[] },
): Promise<UrlKey[]> {
  // Two batches may bring the same new URL: one after the other, the second finds it queued.
  await sql.get(`SELECT 1 FROM collections WHERE id = ?${forUpdate(sql)}`, [args.collectionId])
  const urls = await locateDocuments(sql, soonest(args.documents))
  const slots: DocumentSlot[] = await findSlots(sql, { ...args, urls, columns: ['outcome'] })
  await insertNew(sql, args.collectionId, slots)
  await queueAgain(sql, args.collectionId, slots)
  await moveUp(sql, args.collectionId, slots)
  await countQueued(sql, args.collectionId, slots)
  const keys = new Map(slots.map(({ url, hash }) => [url.url, { hostId: url.hostId, hash }]))
  return args.documents.map(({ url }) => keys.get(url)!)
}

/** The same URL requested twice is queued once, at the place of the first. */
function soonest(documents: readonly WantedDocument[]): WantedDocument[] {
  const byUrl = new Map<string, WantedDocument>()
  for (const document of documents) {
    const known = byUrl.get(document.url)
    if (!known || document.priority < known.priority) byUrl.set(document.url, document)
  }
  return [...byUrl.values()]
}

async function locateDocuments(
  sql: Sql,
  documents: readonly WantedDocument[],
): Promise<Document[]> {
  const names = documents.map(({ url }) => hostKeyOf(url))
  const ids = await hostIdsOf(sql, names)
  return documents.map((wanted, i) => ({
    url: wanted.url,
    wanted,
    hostId: ids.get(names[i]!)!,
    hash: urlHash(wanted.url),
  }))
}

const isNew = ({ row }: DocumentSlot): boolean => row === null
const isQueued = ({ row }: DocumentSlot): boolean => row !== null && row.outcome === null
const isEnded = ({ row }: DocumentSlot): boolean => row !== null && row.outcome !== null

async function insertNew(
  sql: Sql,
  collectionId: number,
  slots: readonly DocumentSlot[],
): Promise<void> {
  await sql.insertMany({
    table: 'urls',
    columns: QUEUED_COLUMNS,
    rows: slots
      .filter(isNew)
      .map(({ url: { hostId, wanted }, hash }) => [
        collectionId,
        hostId,
        hash,
        wanted.url,
        wanted.kind ?? 'document',
        wanted.priority,
        wanted.depth ?? 0,
        wanted.hops ?? 0,
        wanted.via ?? null,
      ]),
  })
}

async function queueAgain(
  sql: Sql,
  collectionId: number,
  slots: readonly DocumentSlot[],
): Promise<void> {
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: [
      'outcome',
      'status',
      'code',
      'attempts',
      'not_before',
      'priority',
      // It may have been fetched as something else before: a watched site's page by a harvest.
      'kind',
      'depth',
      'hops',
      'via',
    ],
    rows: slots
      .filter(isEnded)
      .map(({ url: { hostId, wanted }, hash }) => [
        collectionId,
        hostId,
        hash,
        null,
        null,
        null,
        0,
        0,
        wanted.priority,
        wanted.kind ?? 'document',
        wanted.depth ?? 0,
        wanted.hops ?? 0,
        wanted.via ?? null,
      ]),
  })
}

/** An urgent request for a URL that another request waits for without urgency. */
async function moveUp(
  sql: Sql,
  collectionId: number,
  slots: readonly DocumentSlot[],
): Promise<void> {
  for (const { url, hash } of slots.filter(isQueued)) {
    const { hostId, wanted } = url
    await sql.run(
      `UPDATE urls SET priority = ?
       WHERE collection_id = ? AND host_id = ? AND hash = ? AND priority > ?`,
      [wanted.priority, collectionId, hostId, hash, wanted.priority],
    )
  }
}

async function countQueued(
  sql: Sql,
  collectionId: number,
  slots: readonly DocumentSlot[],
): Promise<void> {
  const byHost = new Map<number, HostCounts>()
  for (const { url } of slots.filter((slot) => !isQueued(slot))) {
    const host = byHost.get(url.hostId) ?? { queued: 0, found: 0 }
    byHost.set(url.hostId, { queued: host.queued + 1, found: host.found + 1 })
  }
  await countFound(sql, collectionId, byHost)
}
