/**
 * Another station becomes the registrar. Every station has the whole map except its newest rows,
 * which the old registrar may have sent to some stations only: the new one first collects what the
 * others know, and assigns no host until every station that is not lost has reported. Each member
 * then drops its rows from after the beginning of the new term and fetches them from the new
 * registrar.
 */
import { applyMap, noteDomain, noteStations } from '@minga/frontier'
import type { MapRow } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { writeFact } from '../../station/station-facts.ts'
import { forgetChanges, nextEpoch, recountLoads } from './map-rows.ts'
import { readTerm, readStations } from '../station-rows.ts'

/** The registrar's own tables are made from the map. Answers the new term. */
export async function promoteStation(
  sql: Sql,
  { self, now }: { self: string; now: number },
): Promise<{ term: number; since: number }> {
  const since = (await nextEpoch(sql)) - 1
  const term = (await readTerm(sql)).term + 1
  await sql.run('DELETE FROM placement_addresses')
  await sql.run(
    `INSERT INTO placement_addresses (address, station)
     SELECT address, MIN(station) FROM placement_hosts WHERE address IS NOT NULL GROUP BY address`,
  )
  await recountLoads(sql)
  await forgetChanges(sql, since)
  await beginTerm(sql, { registrar: self, since })
  await noteStations(sql, { stations: await readStations(sql), registrar: self, term, now })
  return { term, since }
}

const HOSTS_PER_CALL = 2_000

/** Which addresses are machines, and which are shared by many sites: a part of the map in each call. */
export async function learnDomains(
  sql: Sql,
  { after }: { after: string },
): Promise<{ last: string | null }> {
  const rows = await sql.all<{ host: string; address: string }>(
    `SELECT host, address FROM placement_hosts
     WHERE host > ? AND address IS NOT NULL ORDER BY host LIMIT ?`,
    [after, HOSTS_PER_CALL],
  )
  for (const row of rows) await noteDomain(sql, row)
  return { last: rows.at(-1)?.host ?? null }
}

/** At the new registrar: rows that a member has and it has not, or has from an earlier epoch. */
export async function mergeKnown(
  sql: Sql,
  { rows, now }: { rows: readonly MapRow[]; now: number },
): Promise<void> {
  const reached = (await nextEpoch(sql)) - 1
  const known = await sql.selectMany<{ epoch: number }>({
    table: 'placement_hosts',
    keys: ['host'],
    rows: rows.map(({ host }) => [host]),
    columns: ['epoch'],
  })
  const newer = rows.filter(({ epoch }, i) => epoch > (known[i]?.epoch ?? -1))
  if (newer.length === 0) return
  const epoch = newer.reduce((most, row) => Math.max(most, row.epoch), reached)
  await applyMap(sql, { rows: newer, epoch, now })
  await forgetChanges(sql, epoch)
  const placed = newer.filter(({ address }) => address !== null)
  await sql.insertMany({
    table: 'placement_addresses',
    columns: ['address', 'station'],
    rows: placed.map(({ address, station }) => [address, station]),
    onConflict: { keys: ['address'], update: ['station'] },
  })
  await recountLoads(sql)
}

/** At a member of another term: back to where both had the same map. */
export async function rewindMap(
  sql: Sql,
  args: { rewindTo: number; registrar: string; since: number; now: number },
): Promise<void> {
  const { rewindTo, now } = args
  const reached = (await nextEpoch(sql)) - 1
  await beginTerm(sql, args)
  if (reached <= rewindTo) return
  const later = '(SELECT host FROM placement_hosts WHERE epoch > ?)'
  await sql.run(
    `INSERT INTO host_claims (host_id, asked_at) SELECT id, ? FROM hosts WHERE name IN ${later}
     ON CONFLICT (host_id) DO NOTHING`,
    [now, rewindTo],
  )
  await sql.run(`UPDATE hosts SET station = NULL, held = 1 WHERE name IN ${later}`, [rewindTo])
  await sql.run('DELETE FROM placement_hosts WHERE epoch > ?', [rewindTo])
  await writeFact(sql, { name: 'federation.epoch', value: String(rewindTo) })
}

/** Whose map this station has from now on. */
async function beginTerm(
  sql: Sql,
  { registrar, since }: { registrar: string; since: number },
): Promise<void> {
  await writeFact(sql, { name: 'federation.under', value: registrar })
  await writeFact(sql, { name: 'federation.since', value: String(since) })
}
