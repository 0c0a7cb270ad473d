/**
 * What another station reports as fetched: it is not fetched again here, or its owner is notified.
 */
import type { Sql } from '@minga/store'
import { placeUrls, type Placed } from '../queue/discover.ts'
import { findSlots, type Slot } from '../queue/url-slots.ts'
import { BARE, insertForeignUrls } from './insert-foreign-urls.ts'
import type { Owners } from './owners.ts'
import { writeOutbox } from './outbox.ts'
import { journalDone } from './send-urls.ts'

interface Seen {
  outcome: string | null
  code: string | null
}

export interface DoneNews {
  owners: Owners
  collectionId: number
  done: readonly string[]
}

export async function noteDone(sql: Sql, args: DoneNews): Promise<void> {
  const { owners, collectionId } = args
  if (args.done.length === 0) return
  const placed = await placeUrls(
    sql,
    args.done.map((url) => ({ ...BARE, url, refusal: null })),
  )
  const ownerOf = ({ host: name, station }: Placed): string => owners.ownerOf({ name, station })
  const mine = placed.filter((url) => ownerOf(url) === owners.self)
  const slots = await findSlots<Placed, Seen>(sql, {
    collectionId,
    urls: mine,
    columns: ['outcome', 'code'],
  })
  await insertDone(sql, collectionId, slots)
  await markDone(sql, collectionId, slots)
  await journalDone(sql, { owners, collectionId, done: mine.map(({ url }) => url) })
  const others = placed.filter((url) => ownerOf(url) !== owners.self)
  await writeOutbox(
    sql,
    [...Map.groupBy(others, ownerOf)].map(([station, list]) => ({
      station,
      kind: 'handover',
      collectionId,
      entries: list.length,
      payload: { host: null, found: [], done: list.map(({ url }) => url) },
    })),
  )
}

type DoneSlot = Slot<Placed, Seen>

async function insertDone(sql: Sql, collectionId: number, slots: DoneSlot[]): Promise<void> {
  const fresh = slots.filter(({ row }) => row === null)
  await insertForeignUrls(sql, {
    collectionId,
    urls: fresh.map(({ url, hash }) => ({ ...url, hash, code: 'done', number: null })),
  })
}

/** What is queued or was sent away; what ended here has ended. */
async function markDone(sql: Sql, collectionId: number, slots: DoneSlot[]): Promise<void> {
  const queued = slots.filter(({ row }) => row !== null && row.outcome === null)
  const sent = slots.filter(({ row }) => row?.outcome === 'elsewhere' && row.code === null)
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['outcome', 'code', 'status'],
    rows: [...queued, ...sent].map(({ url, hash }) => [
      collectionId,
      url.hostId,
      hash,
      'elsewhere',
      'done',
      null,
    ]),
  })
  const byHost = Map.groupBy(queued, ({ url }) => url.hostId)
  for (const [hostId, list] of byHost) {
    await uncountQueued(sql, { collectionId, hostId, count: list.length })
  }
}

/** URLs that left the queue for another station: they are not among what was found here any more. */
export async function uncountQueued(
  sql: Sql,
  { collectionId, hostId, count }: { collectionId: number; hostId: number; count: number },
): Promise<void> {
  if (count === 0) return
  await sql.run(
    `UPDATE collection_hosts SET queued = queued - ?, found = found - ?
     WHERE collection_id = ? AND host_id = ?`,
    [count, count, collectionId, hostId],
  )
  await sql.run('UPDATE collections SET queued = queued - ?, found = found - ? WHERE id = ?', [
    count,
    count,
    collectionId,
  ])
}
