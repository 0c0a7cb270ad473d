/**
 * A host leaves for its new owner: everything that this station knows of it, a page at a time, then
 * its clock, which says that this was all. Nothing of it or of its address is out by then. What is
 * queued is sent away as it goes, so a process that dies in the middle resumes where it stopped.
 */
import { faultPoint } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { requestedDelayMs } from '../hosts/host-clock.ts'
import { settleHandover } from './end-handover.ts'
import { CDN_DOMAINS_MIN } from '../hosts/shared-address.ts'
import { tupleOf, type HostClock, type UrlEntry } from './entries.ts'
import { uncountQueued } from './note-done.ts'
import { openHost, restAfterOthersMs } from './open-host.ts'
import { Owners } from './owners.ts'
import { writeOutbox } from './outbox.ts'
import { markSent, type LeavingUrl } from './send-urls.ts'

/** URLs checked in one transaction; a host with more takes several. */
const URLS_PER_STEP = 2_000
/** Hosts checked in one transaction. */
const HOSTS_PER_STEP = 200

interface Handover {
  host: string
  to_station: string
  epoch: number
  cursor_collection: number
  cursor_hash: number
  host_id: number | null
}

/** One step; answers whether there may be more to do at once. */
export async function handOver(sql: Sql, args: { now: number }): Promise<{ isMore: boolean }> {
  const owners = await Owners.read(sql)
  if (owners === null) return { isMore: false }
  const ready = await sql.all<Handover>(
    `SELECT o.host, o.to_station, o.epoch, o.cursor_collection, o.cursor_hash, h.id AS host_id
     FROM federation_handovers o LEFT JOIN hosts h ON h.name = o.host
     LEFT JOIN placement_hosts p ON p.host = o.host
     WHERE COALESCE(h.fence, 0) = 0
       AND NOT EXISTS (SELECT 1 FROM address_groups g
         WHERE g.address IN (h.address, p.address) AND g.in_flight > 0 AND g.domains <= ?)
       AND NOT EXISTS (SELECT 1 FROM kept_batches k WHERE k.station = o.source)
     ORDER BY o.host LIMIT ?`,
    [CDN_DOMAINS_MIN, HOSTS_PER_STEP],
  )
  let left = URLS_PER_STEP
  const over: Handover[] = []
  for (const handover of ready) {
    if (left <= 0) break
    // To itself a keeper has nothing to tell.
    const isOwn = handover.to_station === owners.self
    const told = isOwn ? NOTHING_TOLD : await tellPart(sql, handover, left)
    left -= told.count
    if (told.isAll) over.push(handover)
  }
  await endHandovers(sql, { owners, over, now: args.now })
  if (ready.length > 0) faultPoint('federation:handover-prepared')
  return { isMore: left <= 0 || ready.length === HOSTS_PER_STEP }
}

interface Told {
  count: number
  isAll: boolean
}

const NOTHING_TOLD: Told = { count: 0, isAll: true }

/** Sends what comes next of a host, collection after collection. */
async function tellPart(sql: Sql, handover: Handover, atMost: number): Promise<Told> {
  const { host_id: hostId, to_station: owner } = handover
  if (hostId === null) return NOTHING_TOLD
  let count = 0
  let { cursor_collection: collectionId, cursor_hash: after } = handover
  for (;;) {
    const next = await sql.get<{ id: number | null }>(
      'SELECT MIN(id) AS id FROM collections WHERE federated = 1 AND id >= ?',
      [collectionId],
    )
    if (next?.id == null) return { count, isAll: true }
    if (next.id !== collectionId) after = -1
    collectionId = next.id
    const page = await readPage(sql, { collectionId, hostId, after, atMost: atMost - count })
    await tellPage(sql, { collectionId, hostId, owner, page, host: handover.host })
    count += page.length
    after = page.at(-1)?.hash ?? after
    if (count >= atMost) break
    collectionId++
    after = -1
  }
  await sql.run(
    'UPDATE federation_handovers SET cursor_collection = ?, cursor_hash = ? WHERE host = ?',
    [collectionId, after, handover.host],
  )
  return { count, isAll: false }
}

interface KnownUrl extends UrlEntry {
  hash: number
  outcome: string | null
  code: string | null
}

function readPage(
  sql: Sql,
  args: { collectionId: number; hostId: number; after: number; atMost: number },
): Promise<KnownUrl[]> {
  return sql.all<KnownUrl>(
    `SELECT hash, url, kind, depth, hops, via, outcome, code FROM urls
     WHERE collection_id = ? AND host_id = ? AND hash > ? ORDER BY hash LIMIT ?`,
    [args.collectionId, args.hostId, args.after, args.atMost],
  )
}

interface Page {
  collectionId: number
  hostId: number
  host: string
  owner: string
  page: readonly KnownUrl[]
}

/** Fetched, or tried without success as often as was asked for, here or by an owner before us. */
export function isDone({
  outcome,
  code,
}: {
  outcome: string | null
  code: string | null
}): boolean {
  return (
    outcome === 'captured' || outcome === 'failed' || (outcome === 'elsewhere' && code === 'done')
  )
}

async function tellPage(sql: Sql, args: Page): Promise<void> {
  const { collectionId, hostId, host, owner, page } = args
  const pages = page.filter(({ kind }) => kind !== 'robots')
  const queued = pages.filter(({ outcome }) => outcome === null)
  const done = pages.filter(isDone)
  if (queued.length + done.length === 0) return
  const leaving = queued.map((url): LeavingUrl => ({ ...url, hostId, owner }))
  await markSent(sql, { collectionId, urls: leaving })
  await uncountQueued(sql, { collectionId, hostId, count: queued.length })
  await writeOutbox(sql, [
    {
      station: owner,
      kind: 'handover',
      collectionId,
      entries: queued.length + done.length,
      payload: { host, found: queued.map(tupleOf), done: done.map(({ url }) => url) },
    },
  ])
}

interface Ending {
  owners: Owners
  over: readonly Handover[]
  now: number
}

async function endHandovers(sql: Sql, { owners, over, now }: Ending): Promise<void> {
  const others = over.filter(({ to_station }) => to_station !== owners.self)
  const clocks = await clocksOf(sql, others, now)
  const byOwner = Map.groupBy(others, ({ to_station }) => to_station)
  await writeOutbox(
    sql,
    [...byOwner].map(([station, list]) => ({
      station,
      kind: 'over',
      collectionId: null,
      entries: list.length,
      payload: { hosts: list.map(({ host }) => clocks.get(host)!) },
    })),
  )
  for (const { host, to_station, host_id: hostId } of over) {
    if (to_station === owners.self && hostId !== null) {
      const restUntil = now + (await restAfterOthersMs(sql))
      await openHost(sql, { hostId, addresses: [], restUntil, now })
      await settleHandover(sql, host)
    }
  }
  await sql.deleteMany({
    table: 'federation_handovers',
    keys: ['host'],
    rows: over.map(({ host }) => [host]),
  })
}

interface ClockRow {
  next_allowed_at: number
  crawl_delay_ms: number
  slow_ms: number
  backoff_ms: number
  address: string | null
}

async function clocksOf(
  sql: Sql,
  over: readonly Handover[],
  now: number,
): Promise<Map<string, HostClock>> {
  const clocks = new Map<string, HostClock>()
  for (const { host, epoch, host_id: hostId } of over) {
    const row = await sql.get<ClockRow>(
      `SELECT next_allowed_at, crawl_delay_ms, slow_ms, backoff_ms, address FROM hosts WHERE id = ?`,
      [hostId],
    )
    // Its machine as the map has it: a host that was never leased here has no address of its own.
    const group = await sql.get<{ free_at: number | null }>(
      `SELECT MAX(next_allowed_at) AS free_at FROM address_groups
       WHERE address = ? OR address = (SELECT address FROM placement_hosts WHERE host = ?)`,
      [row?.address ?? null, host],
    )
    const freeAt = Math.max(row?.next_allowed_at ?? 0, group?.free_at ?? 0)
    clocks.set(host, {
      host,
      epoch,
      restMs: Math.max(0, freeAt - now),
      crawlDelayMs: row ? requestedDelayMs(row) : 0,
      backoffMs: row?.backoff_ms ?? 0,
    })
  }
  return clocks
}
