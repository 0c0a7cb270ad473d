/**
 * URLs that come from other stations. Those of our hosts are queued unless they are known; all
 * others are sent on to their owner by our map, even if they were sent there before: maps may
 * differ for a moment, and a URL without a station must not be dropped on the way. It is passed
 * around until they agree.
 */
import type { Sql } from '@minga/store'
import {
  countFresh,
  hostsIn,
  lockCollection,
  placeUrls,
  queueFresh,
  refuseTraps,
  type Candidate,
  type Placed,
} from '../queue/discover.ts'
import { priorityOf } from '../queue/queue-order.ts'
import { findSlots, type Slot } from '../queue/url-slots.ts'
import { wantOwners } from './host-claims.ts'
import type { Owners } from './owners.ts'
import { isUndecided } from './route-found.ts'
import { insertSent, journalFound, markSent, sendUrls, type LeavingUrl } from './send-urls.ts'

interface Seen {
  outcome: string | null
  code: string | null
}

type ArrivedSlot = Slot<Placed, Seen>

export interface Arriving {
  owners: Owners
  collectionId: number
  candidates: readonly Candidate[]
  trapBudget: boolean
}

/** Answers those that were known already. */
export async function arrive(sql: Sql, args: Arriving): Promise<string[]> {
  const { owners, collectionId } = args
  if (args.candidates.length === 0) return []
  const collection = await lockCollection(sql, collectionId)
  if (collection === undefined || collection.state === 'cancelled') return []
  const placed = await placeUrls(sql, args.candidates)
  const slots: ArrivedSlot[] = await findSlots(sql, {
    collectionId,
    urls: placed,
    columns: ['outcome', 'code'],
  })
  const mine: ArrivedSlot[] = []
  const others: ArrivedSlot[] = []
  for (const slot of slots) {
    const { host: name, station } = slot.url
    const owner = owners.ownerOf({ name, station })
    if (owner === owners.self) mine.push(slot)
    else others.push({ ...slot, url: { ...slot.url, owner } })
  }
  const taken = await takeIn(sql, args, mine)
  const sent = await sendOn(sql, args, others)
  const found = [...taken, ...sent].filter(({ refusal }) => refusal === null)
  await journalFound(sql, { owners, collectionId, found })
  const isAwake = taken.some(({ refusal }) => refusal === null)
  await noteArrived(sql, { collectionId, count: args.candidates.length, isAwake })
  const unknown = new Set([...taken, ...sent].map(({ url }) => url))
  return placed.map(({ url }) => url).filter((url) => !unknown.has(url))
}

const isSent = (row: Seen | null): boolean => row?.outcome === 'elsewhere' && row.code === null

async function takeIn(sql: Sql, args: Arriving, slots: ArrivedSlot[]): Promise<Placed[]> {
  const { collectionId, trapBudget } = args
  const at = ({ url, hash }: ArrivedSlot): Placed => ({ ...url, hash })
  const fresh = slots.filter(({ row }) => row === null).map(at)
  const back = slots.filter(({ row }) => isSent(row)).map(at)
  await queueFresh(sql, { collectionId, fresh, trapBudget })
  await queueBack(sql, { collectionId, back, trapBudget })
  const taken = [...fresh, ...back]
  await wantOwners(sql, hostsIn(taken.filter(isUndecided)))
  return taken
}

/** They were sent away once, and it is for this station to fetch them after all. */
export async function queueBack(
  sql: Sql,
  args: { collectionId: number; back: readonly Placed[]; trapBudget: boolean },
): Promise<void> {
  const { collectionId, back } = args
  if (back.length === 0) return
  if (args.trapBudget) await refuseTraps(sql, collectionId, back)
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['outcome', 'code', 'status', 'kind', 'priority', 'depth', 'hops', 'via'],
    rows: back.map((url) => [
      collectionId,
      url.hostId,
      url.hash,
      url.refusal === null ? null : 'denied',
      url.refusal,
      null,
      url.kind,
      priorityOf(url),
      url.depth,
      url.hops,
      url.via,
    ]),
  })
  await countFresh(sql, collectionId, back)
}

async function sendOn(sql: Sql, args: Arriving, slots: ArrivedSlot[]): Promise<LeavingPlaced[]> {
  const { collectionId } = args
  // What is queued here leaves with its host; what has ended here has ended.
  const moving = slots.filter(({ row }) => row === null || isSent(row) || row.outcome === 'denied')
  const at = ({ url, hash }: ArrivedSlot): LeavingPlaced => ({ ...url, hash }) as LeavingPlaced
  const fresh = moving.filter(({ row }) => row === null).map(at)
  await insertSent(sql, { collectionId, urls: fresh })
  const again = moving.filter(({ row }) => isSent(row)).map(at)
  await markSent(sql, { collectionId, urls: again })
  // The owner applies its own rules: ours were for us.
  const sent = moving.map((slot): LeavingPlaced => ({ ...at(slot), refusal: null }))
  await sendUrls(sql, { collectionId, urls: sent })
  return sent
}

type LeavingPlaced = Placed & LeavingUrl

/** A collection that had ended runs again when there is something to fetch. */
async function noteArrived(
  sql: Sql,
  { collectionId, count, isAwake }: { collectionId: number; count: number; isAwake: boolean },
): Promise<void> {
  await sql.run('UPDATE collections SET arrived = arrived + ? WHERE id = ?', [count, collectionId])
  if (!isAwake) return
  await sql.run(
    `UPDATE collections SET state = 'running', reason = NULL, ended_at = NULL
     WHERE id = ? AND state = 'finished'`,
    [collectionId],
  )
}
