/**
 * A station is lost, or has left. Once the map assigns its hosts to others, what was on its way to
 * it, what its journal contains if this station keeps it, and what was ever sent to it goes to the
 * new owners. Step by step, each in a separate transaction: what is done is gone from the tables.
 */
import { faultPoint } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { hostsIn, lockCollection, placeUrls, type Placed } from '../queue/discover.ts'
import { arrive, queueBack } from './arrive.ts'
import { entryOf, type HandoverPayload, type OverPayload, type UrlEntry } from './entries.ts'
import { wantOwners } from './host-claims.ts'
import { unpackKept } from './kept-batches.ts'
import { noteDone } from './note-done.ts'
import { Owners } from './owners.ts'
import { isUndecided } from './route-found.ts'
import { journalFound, markSent, sendUrls, type LeavingUrl } from './send-urls.ts'
import { hasTrapBudget } from './shared-collections.ts'

/** Rows of the outbox, or URLs, in one transaction. */
const ROWS_PER_STEP = 500
const URLS_PER_STEP = 2_000

/** Begins it; harmless when it has begun or there is nothing to do. */
export async function releaseLost(sql: Sql, args: { station: string }): Promise<void> {
  const { station } = args
  if (!(await isAnythingLeft(sql, station))) return
  await sql.insertMany({
    table: 'federation_releases',
    columns: ['station'],
    rows: [[station]],
    onConflict: 'ignore',
  })
}

async function isAnythingLeft(sql: Sql, station: string): Promise<boolean> {
  const row = await sql.get<{ one: number }>(
    `SELECT 1 AS one FROM federation_outbox WHERE station = ?
     UNION ALL SELECT 1 AS one FROM kept_batches WHERE station = ?
     UNION ALL SELECT 1 AS one FROM sent_urls s JOIN station_numbers n ON n.number = s.number
       WHERE n.station = ? LIMIT 1`,
    [station, station, station],
  )
  return row !== undefined
}

/** One step; answers whether there may be more to do at once. */
export async function continueRelease(sql: Sql): Promise<{ isMore: boolean }> {
  const releases = await sql.all<{ station: string }>(
    'SELECT station FROM federation_releases ORDER BY station',
  )
  if (releases.length === 0) return { isMore: false }
  const owners = await Owners.read(sql)
  if (owners === null) return { isMore: false }
  for (const { station } of releases) {
    if (owners.active.includes(station)) {
      // It is back, and has what it had.
      await endRelease(sql, station)
    } else if (!(await isOnMap(sql, station))) {
      await releaseStep(sql, owners, station)
      faultPoint('federation:release-step')
      return { isMore: true }
    }
  }
  return { isMore: false }
}

async function endRelease(sql: Sql, station: string): Promise<void> {
  await sql.run('DELETE FROM federation_releases WHERE station = ?', [station])
}

/** While the map still names it, no other station could receive its URLs. */
async function isOnMap(sql: Sql, station: string): Promise<boolean> {
  const row = await sql.get('SELECT 1 FROM placement_hosts WHERE station = ? LIMIT 1', [station])
  return row !== undefined
}

async function releaseStep(sql: Sql, owners: Owners, station: string): Promise<void> {
  if (await redirectOutbox(sql, owners, station)) return
  if (await replayJournal(sql, owners, station)) return
  if (await sendAgain(sql, owners, station)) return
  await endRelease(sql, station)
}

interface WaitingRow {
  seq: number
  kind: string
  collection_id: number | null
  payload: string
}

/** URLs are sent again according to the seen-set; the rest is routed again. */
async function redirectOutbox(sql: Sql, owners: Owners, station: string): Promise<boolean> {
  const rows = await sql.all<WaitingRow>(
    `SELECT seq, kind, collection_id, payload FROM federation_outbox
     WHERE station = ? ORDER BY seq LIMIT ?`,
    [station, ROWS_PER_STEP],
  )
  for (const { kind, collection_id: collectionId, payload } of rows) {
    if (kind === 'handover' && collectionId !== null) {
      const { done } = JSON.parse(payload) as HandoverPayload
      await noteDone(sql, { owners, collectionId, done })
    } else if (kind === 'over') await handOverAgain(sql, JSON.parse(payload) as OverPayload)
  }
  await sql.deleteMany({
    table: 'federation_outbox',
    keys: ['seq'],
    rows: rows.map(({ seq }) => [seq]),
  })
  return rows.length > 0
}

/** Hosts whose new owner was lost before it heard that they are its own. */
async function handOverAgain(sql: Sql, { hosts }: OverPayload): Promise<void> {
  for (const { host } of hosts) {
    await sql.run(
      `INSERT INTO federation_handovers (host, to_station, epoch)
       SELECT host, station, epoch FROM placement_hosts WHERE host = ? ON CONFLICT DO NOTHING`,
      [host],
    )
  }
}

async function replayJournal(sql: Sql, owners: Owners, station: string): Promise<boolean> {
  const batch = await sql.get<{ seq: number; collection_id: number; payload: Uint8Array }>(
    `SELECT seq, collection_id, payload FROM kept_batches WHERE station = ? ORDER BY seq LIMIT 1`,
    [station],
  )
  if (!batch) return false
  const { found, done } = unpackKept(batch.payload)
  const collectionId = batch.collection_id
  const candidates = found.map((tuple) => ({ ...entryOf(tuple), refusal: null }))
  const trapBudget = await hasTrapBudget(sql, collectionId)
  await arrive(sql, { owners, collectionId, candidates, trapBudget })
  await noteDone(sql, { owners, collectionId, done })
  await sql.run('DELETE FROM kept_batches WHERE station = ? AND seq = ?', [station, batch.seq])
  return true
}

interface SentUrl extends UrlEntry {
  collection_id: number
  host_id: number
  hash: number
  number: number
  isStill: number
}

/** The next of all URLs that were sent to it. They leave the list as they go. */
async function sendAgain(sql: Sql, owners: Owners, station: string): Promise<boolean> {
  const rows = await sql.all<SentUrl>(
    `SELECT s.number, s.collection_id, s.host_id, s.hash, u.url, u.kind, u.depth, u.hops, u.via,
       CASE WHEN u.outcome = 'elsewhere' AND u.code IS NULL AND u.status = s.number
         THEN 1 ELSE 0 END AS "isStill"
     FROM station_numbers n JOIN sent_urls s ON s.number = n.number
     JOIN urls u ON u.collection_id = s.collection_id AND u.host_id = s.host_id AND u.hash = s.hash
     WHERE n.station = ? ORDER BY s.collection_id, s.host_id, s.hash LIMIT ?`,
    [station, URLS_PER_STEP],
  )
  await sql.deleteMany({
    table: 'sent_urls',
    keys: ['number', 'collection_id', 'host_id', 'hash'],
    rows: rows.map((row) => [row.number, row.collection_id, row.host_id, row.hash]),
  })
  // Some were sent to another later, or came back, or are known to be done.
  const still = rows.filter(({ isStill }) => isStill === 1)
  for (const [collectionId, list] of Map.groupBy(still, (row) => row.collection_id)) {
    await routeAgain(sql, { owners, collectionId, list })
  }
  return rows.length > 0
}

async function routeAgain(
  sql: Sql,
  args: { owners: Owners; collectionId: number; list: readonly SentUrl[] },
): Promise<void> {
  const { owners, collectionId, list } = args
  const collection = await lockCollection(sql, collectionId)
  if (collection?.state === 'cancelled') return
  const hashes = new Map(list.map(({ url, hash }) => [url, hash]))
  const placed = await placeUrls(
    sql,
    list.map(({ url, kind, depth, hops, via }) => ({ url, kind, depth, hops, via, refusal: null })),
  )
  const mine: Placed[] = []
  const leaving: LeavingUrl[] = []
  for (const url of placed) {
    const owner = owners.ownerOf({ name: url.host, station: url.station })
    const hash = hashes.get(url.url)!
    if (owner === owners.self) mine.push({ ...url, hash })
    else leaving.push({ ...url, hash, owner })
  }
  const trapBudget = await hasTrapBudget(sql, collectionId)
  await queueBack(sql, { collectionId, back: mine, trapBudget })
  await wantOwners(sql, hostsIn(mine.filter(isUndecided)))
  await markSent(sql, { collectionId, urls: leaving })
  await sendUrls(sql, { collectionId, urls: leaving })
  const found = [...mine.filter(({ refusal }) => refusal === null), ...leaving]
  await journalFound(sql, { owners, collectionId, found })
}
