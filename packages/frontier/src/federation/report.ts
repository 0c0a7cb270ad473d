/**
 * What a station reports to the registrar about shared collections, and how it learns of their end.
 */
import type { CollectionReport } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { limitReached, runningById } from '../collections/collections.ts'
import { hostKeyOf } from '@minga/net'
import { hostsOf } from '../hosts/host-directory.ts'
import { urlHash } from '../queue/url-hash.ts'
import { findSlots } from '../queue/url-slots.ts'
import { BARE, insertForeignUrls } from './insert-foreign-urls.ts'
import { Owners } from './owners.ts'

/** Hosts named in one report; the rest is in the next. */
const SETTLED_MAX = 1_000

export interface FederationReport {
  collections: CollectionReport[]
  agents: number
  /** Hosts whose handover has arrived. */
  settled: string[]
  /** URLs that were ever found for hosts of this station, in what all gather. */
  kept: number
}

interface SharedCounts {
  id: number
  identity: string
  queued: number
  leased: number
  arrived: number
  pages: number
  outbox: number
}

export async function federationReport(sql: Sql): Promise<FederationReport> {
  const rows = await sql.all<SharedCounts>(
    `SELECT c.id, c.identity, c.queued, c.leased, c.arrived, c.pages,
       (SELECT COUNT(*) FROM federation_outbox o
        WHERE o.collection_id = c.id AND o.kind <> 'journal') AS outbox
     FROM collections c WHERE c.federated = 1 AND c.state = 'running' ORDER BY c.id`,
  )
  const releases = await sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM federation_releases')
  const handovers = await sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM federation_handovers')
  // As long as any is under way, it may bring URLs of any collection.
  const underWay = releases!.n + handovers!.n
  const agents = await sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM agent_loads WHERE connected = 1',
  )
  const settled = await sql.all<{ host: string }>(
    'SELECT host FROM federation_settled ORDER BY host LIMIT ?',
    [SETTLED_MAX],
  )
  const kept = await sql.get<{ n: number }>(
    'SELECT CAST(COALESCE(SUM(found), 0) AS BIGINT) AS n FROM collections WHERE federated = 1',
  )
  const collections: CollectionReport[] = []
  for (const row of rows) collections.push(await reportOf(sql, row, underWay))
  return {
    collections,
    agents: agents!.n,
    settled: settled.map(({ host }) => host),
    kept: kept!.n,
  }
}

async function reportOf(
  sql: Sql,
  { id, queued, outbox, ...counts }: SharedCounts,
  underWay: number,
): Promise<CollectionReport> {
  const { identity, leased, arrived, pages } = counts
  // What exceeds its limit stays queued for ever and delays no one.
  const running = await runningById(sql, id)
  const isOver = running !== null && leased === 0 && limitReached(running) !== null
  return {
    identity,
    leased,
    arrived,
    pages,
    queued: isOver ? 0 : queued,
    outbox: outbox + underWay,
  }
}

/** The registrar knows of them. */
export async function forgetSettled(sql: Sql, args: { hosts: readonly string[] }): Promise<void> {
  await sql.deleteMany({
    table: 'federation_settled',
    keys: ['host'],
    rows: args.hosts.map((host) => [host]),
  })
}

/** All stations have nothing left of these; one that has begun again in the meantime continues. */
export async function finishFederated(
  sql: Sql,
  args: { identities: readonly string[]; now: number },
): Promise<number[]> {
  const ended: number[] = []
  for (const identity of args.identities) {
    const row = await sql.get<{ id: number; queued: number; leased: number }>(
      `SELECT id, queued, leased FROM collections
       WHERE identity = ? AND federated = 1 AND state = 'running'`,
      [identity],
    )
    if (!row) continue
    const running = await runningById(sql, row.id)
    const reason = running && limitReached(running)
    if (row.leased > 0 || (row.queued > 0 && reason === null)) continue
    await sql.run(
      `UPDATE collections SET state = 'finished', reason = ?, ended_at = ? WHERE id = ?`,
      [reason, args.now, row.id],
    )
    // Its work will never be asked for again.
    await sql.run('DELETE FROM kept_batches WHERE collection_id = ?', [row.id])
    ended.push(row.id)
  }
  return ended
}

/** URLs that keep coming to their owner although it knows them, as `IDENTITY URL`: they count as sent. */
export async function noteHot(sql: Sql, args: { hot: readonly string[] }): Promise<number> {
  const owners = await Owners.read(sql)
  if (owners === null) return 0
  let noted = 0
  const byIdentity = Map.groupBy(args.hot, (text) => text.slice(0, text.indexOf(' ')))
  for (const [identity, list] of byIdentity) {
    const urls = list.map((text) => text.slice(identity.length + 1))
    const row = await sql.get<{ id: number }>(
      'SELECT id FROM collections WHERE identity = ? AND federated = 1',
      [identity],
    )
    if (row) noted += await noteSentByOthers(sql, { owners, collectionId: row.id, urls })
  }
  return noted
}

/** Only of hosts that are others' by the map: they have been there. */
async function noteSentByOthers(
  sql: Sql,
  args: { owners: Owners; collectionId: number; urls: readonly string[] },
): Promise<number> {
  const { owners, collectionId } = args
  const names = args.urls.map(hostKeyOf)
  const hosts = await hostsOf(sql, names)
  const foreign = args.urls.flatMap((url, i) => {
    const { id: hostId, station } = hosts.get(names[i]!)!
    if (station === null || station === owners.self) return []
    return [{ url, hostId, hash: urlHash(url) }]
  })
  const slots = await findSlots(sql, { collectionId, urls: foreign, columns: [] })
  const fresh = slots.filter(({ row }) => row === null)
  // Without the number of a station: should it be lost, those who did send them do so again.
  await insertForeignUrls(sql, {
    collectionId,
    urls: fresh.map(({ url, hash }) => ({ ...BARE, ...url, hash, code: null, number: null })),
  })
  return fresh.length
}
