/**
 * The map takes effect: hosts that are ours now may be leased, once their former owner has handed them
 * over; hosts that are ours no longer are held and handed over. A row takes effect once, by its epoch.
 */
import type { MapRow } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { endUrls } from '../queue/end-urls.ts'
import { hostsOf } from '../hosts/host-directory.ts'
import { readFederation, writeFederation } from './federation-facts.ts'
import { settleHandover, takeEarly } from './end-handover.ts'
import { openHost, restAfterOthersMs } from './open-host.ts'
import { ELSEWHERE } from './route-found.ts'

interface Known {
  station: string
  epoch: number
  applied: number
}

interface LocalHost {
  id: number
  station: string | null
  held: number
}

/** A row of the map that is new here, with what was before. */
interface News {
  row: MapRow
  /** Null: no owner is known here. */
  former: string | null
  host: LocalHost | undefined
}

interface Applying {
  self: string
  now: number
  /** How long a host rests that was another station's. */
  restMs: number
}

/** Answers how many hosts may be leased now that could not before. */
export async function applyMap(
  sql: Sql,
  args: { rows: readonly MapRow[]; epoch: number; now: number },
): Promise<{ opened: number }> {
  const federation = await readFederation(sql)
  if (federation === null) return { opened: 0 }
  const { self } = federation
  const applying = { self, now: args.now, restMs: await restAfterOthersMs(sql) }
  const news = await newsIn(sql, args.rows)
  await writeRows(sql, news)
  let opened = 0
  for (const each of news) {
    if (each.row.station === self) opened += await takeOver(sql, applying, each)
    else await giveUp(sql, applying, each)
  }
  if (args.epoch > federation.epoch) await writeFederation(sql, { epoch: args.epoch })
  return { opened }
}

async function newsIn(sql: Sql, rows: readonly MapRow[]): Promise<News[]> {
  const names = rows.map(({ host }) => [host])
  const known = await sql.selectMany<Known>({
    table: 'placement_hosts',
    keys: ['host'],
    rows: names,
    columns: ['station', 'epoch', 'applied'],
  })
  const hosts = await sql.selectMany<LocalHost>({
    table: 'hosts',
    keys: ['name'],
    rows: names,
    columns: ['id', 'station', 'held'],
  })
  return rows.flatMap((row, i): News[] => {
    const old = known[i]
    // At the registrar the table is ahead of what took effect; a row that is newer still comes later.
    if (old && (old.applied >= row.epoch || old.epoch > row.epoch)) return []
    const host = hosts[i]
    const isTold = old !== undefined && old.applied === old.epoch
    return [{ row, host, former: host?.station ?? (isTold ? old.station : null) }]
  })
}

async function writeRows(sql: Sql, news: readonly News[]): Promise<void> {
  await sql.insertMany({
    table: 'placement_hosts',
    columns: ['host', 'station', 'awaits', 'address', 'epoch', 'applied'],
    rows: news.map(({ row }) => [
      row.host,
      row.station,
      row.awaits,
      row.address,
      row.epoch,
      row.epoch,
    ]),
    onConflict: {
      keys: ['host'],
      update: ['station', 'awaits', 'address', 'epoch', 'applied'],
    },
  })
}

/** Answers how many hosts are open now that were not. */
async function takeOver(sql: Sql, applying: Applying, news: News): Promise<number> {
  const { self, now, restMs } = applying
  const { row, former } = news
  const isOpenAlready = news.host?.station === self && news.host.held === 0
  if (isOpenAlready) {
    if (row.awaits !== null) await settleHandover(sql, row.host)
    return 0
  }
  const { id } = (await hostsOf(sql, [row.host])).get(row.host)!
  await sql.run('UPDATE hosts SET station = ?, held = 1 WHERE id = ?', [self, id])
  await sql.run('DELETE FROM host_claims WHERE host_id = ?', [id])
  if (row.awaits === self) {
    // We keep the journal of its former owner: what that says comes first.
    await wantHandover(sql, row, former === self ? null : former)
    return 0
  }
  if (row.awaits !== null) {
    const { host, awaits: from, epoch } = row
    return (await takeEarly(sql, { host, from, epoch, now })) ? 1 : 0
  }
  const isFromOthers = former !== null && former !== self
  await openHost(sql, {
    hostId: id,
    addresses: row.address === null ? [] : [row.address],
    restUntil: isFromOthers ? now + restMs : 0,
    now,
  })
  return 1
}

async function wantHandover(sql: Sql, row: MapRow, source: string | null): Promise<void> {
  await sql.insertMany({
    table: 'federation_handovers',
    columns: ['host', 'to_station', 'epoch', 'source', 'cursor_collection', 'cursor_hash'],
    rows: [[row.host, row.station, row.epoch, source, 0, -1]],
    onConflict: {
      keys: ['host'],
      update: ['to_station', 'epoch', 'source', 'cursor_collection', 'cursor_hash'],
    },
  })
}

async function giveUp(sql: Sql, { self, now }: Applying, news: News): Promise<void> {
  const { row, former, host } = news
  const isAwaited = row.awaits === self
  if (host) {
    await sql.run('UPDATE hosts SET station = ?, held = 1 WHERE id = ?', [row.station, host.id])
    await sql.run('DELETE FROM host_claims WHERE host_id = ?', [host.id])
    await endOwnWork(sql, host.id, now)
  }
  if (isAwaited || former === self || (host && (await isKnownHere(sql, host.id)))) {
    await wantHandover(sql, row, isAwaited && former !== self ? former : null)
  }
}

async function isKnownHere(sql: Sql, hostId: number): Promise<boolean> {
  const row = await sql.get(
    'SELECT 1 FROM collection_hosts WHERE host_id = ? AND (queued > 0 OR pages > 0) LIMIT 1',
    [hostId],
  )
  return row !== undefined
}

/** Watches, clients' requests and audits cannot move: they end here. */
async function endOwnWork(sql: Sql, hostId: number, now: number): Promise<void> {
  const rows = await sql.all<{ collection_id: number; hash: number }>(
    `SELECT u.collection_id, u.hash FROM collection_hosts k
     JOIN collections c ON c.id = k.collection_id
     JOIN urls u ON u.collection_id = k.collection_id AND u.host_id = k.host_id
     WHERE k.host_id = ? AND k.queued > 0 AND u.outcome IS NULL
       AND (c.federated = 0 OR u.kind = 'robots')`,
    [hostId],
  )
  for (const [collectionId, list] of Map.groupBy(rows, (row) => row.collection_id)) {
    const ends = list.map(({ hash }) => ({ hash, outcome: 'denied', code: ELSEWHERE }) as const)
    await endUrls(sql, { collectionId, hostId, ends, now })
  }
}
