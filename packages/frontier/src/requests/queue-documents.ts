/**
 * Puts URLs into the queue of the requests collection. A URL that is queued or out already serves
 * everybody who asks for it; one that has ended is queued anew.
 */
import { hostKeyOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { hostIdsOf } from '../host-directory.ts'
import { forUpdate } from '../row-locks.ts'
import { urlHash } from '../url-hash.ts'

export interface WantedDocument {
  url: string
  kind?: 'document' | 'robots'
  /** Smaller goes first; unique numbers keep the order of arrival inside a host. */
  priority: number
}

export interface DocumentPlace {
  hostId: number
  hash: number
}

interface Slot extends DocumentPlace {
  document: WantedDocument
  state: 'new' | 'queued' | 'ended'
}

/** Answers the place of every document, in order. */
export async function queueDocuments(
  sql: Sql,
  args: { collectionId: number; documents: readonly WantedDocument[] },
): Promise<DocumentPlace[]> {
  // Two batches may bring the same new URL: one after the other, the second finds it queued.
  await sql.get(`SELECT 1 FROM collections WHERE id = ?${forUpdate(sql)}`, [args.collectionId])
  const slots = await findSlots(sql, args.collectionId, soonest(args.documents))
  await insertNew(sql, args.collectionId, slots)
  await queueAgain(sql, args.collectionId, slots)
  await moveUp(sql, args.collectionId, slots)
  await countQueued(sql, args.collectionId, slots)
  const places = new Map(
    slots.map(({ document, hostId, hash }) => [document.url, { hostId, hash }]),
  )
  return args.documents.map(({ url }) => places.get(url)!)
}

/** The same URL asked for twice is queued once, at the place of whoever goes first. */
function soonest(documents: readonly WantedDocument[]): WantedDocument[] {
  const byUrl = new Map<string, WantedDocument>()
  for (const document of documents) {
    const known = byUrl.get(document.url)
    if (!known || document.priority < known.priority) byUrl.set(document.url, document)
  }
  return [...byUrl.values()]
}

/** As the seen-set does it: probe upwards from the hash until the URL or a free place is met. */
async function findSlots(
  sql: Sql,
  collectionId: number,
  documents: readonly WantedDocument[],
): Promise<Slot[]> {
  const names = documents.map(({ url }) => hostKeyOf(url))
  const ids = await hostIdsOf(sql, names)
  let open = documents.map((document, i) => ({
    document,
    hostId: ids.get(names[i]!)!,
    hash: urlHash(document.url),
  }))
  const slots: Slot[] = []
  const taken = new Set<string>()
  while (open.length > 0) {
    const rows = await sql.selectMany<{ url: string; outcome: string | null }>({
      table: 'urls',
      keys: ['collection_id', 'host_id', 'hash'],
      rows: open.map(({ hostId, hash }) => [collectionId, hostId, hash]),
      columns: ['url', 'outcome'],
    })
    const collided: typeof open = []
    for (const [i, place] of open.entries()) {
      const row = rows[i]
      const key = `${place.hostId} ${place.hash}`
      if (row?.url === place.document.url) {
        slots.push({ ...place, state: row.outcome === null ? 'queued' : 'ended' })
      } else if (row || taken.has(key)) collided.push({ ...place, hash: place.hash + 1 })
      else {
        taken.add(key)
        slots.push({ ...place, state: 'new' })
      }
    }
    open = collided
  }
  return slots
}

const inState = (slots: readonly Slot[], state: Slot['state']): Slot[] =>
  slots.filter((slot) => slot.state === state)

async function insertNew(sql: Sql, collectionId: number, slots: readonly Slot[]): Promise<void> {
  await sql.insertMany({
    table: 'urls',
    columns: ['collection_id', 'host_id', 'hash', 'url', 'kind', 'priority', 'depth', 'hops'],
    rows: inState(slots, 'new').map(({ hostId, hash, document }) => [
      collectionId,
      hostId,
      hash,
      document.url,
      document.kind ?? 'document',
      document.priority,
      0,
      0,
    ]),
  })
}

async function queueAgain(sql: Sql, collectionId: number, slots: readonly Slot[]): Promise<void> {
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['outcome', 'status', 'code', 'attempts', 'not_before', 'priority'],
    rows: inState(slots, 'ended').map(({ hostId, hash, document }) => [
      collectionId,
      hostId,
      hash,
      null,
      null,
      null,
      0,
      0,
      document.priority,
    ]),
  })
}

/** An urgent request for a URL that somebody else is waiting for without haste. */
async function moveUp(sql: Sql, collectionId: number, slots: readonly Slot[]): Promise<void> {
  for (const { hostId, hash, document } of inState(slots, 'queued')) {
    await sql.run(
      `UPDATE urls SET priority = ?
       WHERE collection_id = ? AND host_id = ? AND hash = ? AND priority > ?`,
      [document.priority, collectionId, hostId, hash, document.priority],
    )
  }
}

async function countQueued(sql: Sql, collectionId: number, slots: readonly Slot[]): Promise<void> {
  const fresh = slots.filter(({ state }) => state !== 'queued')
  const byHost = new Map<number, number>()
  for (const { hostId } of fresh) byHost.set(hostId, (byHost.get(hostId) ?? 0) + 1)
  for (const [hostId, count] of byHost) {
    await sql.run(
      `INSERT INTO collection_hosts (collection_id, host_id, queued, found) VALUES (?, ?, ?, ?)
       ON CONFLICT (collection_id, host_id) DO UPDATE SET
         queued = collection_hosts.queued + excluded.queued,
         found = collection_hosts.found + excluded.found`,
      [collectionId, hostId, count, count],
    )
  }
  await sql.run('UPDATE collections SET queued = queued + ?, found = found + ? WHERE id = ?', [
    fresh.length,
    fresh.length,
    collectionId,
  ])
}
