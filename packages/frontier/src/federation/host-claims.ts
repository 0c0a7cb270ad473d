/**
 * Hosts without an owner: a station with URLs of one requests its owner from the registrar, as soon
 * as its address is known. Until the answer it is held.
 */
import type { HostClaim } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { CDN_DOMAINS_MIN } from '../hosts/shared-address.ts'

/** A claim that had no answer is made again after this. */
const ASK_AGAIN_MS = 5_000

export async function wantOwners(sql: Sql, hostIds: readonly number[]): Promise<void> {
  if (hostIds.length === 0) return
  await sql.insertMany({
    table: 'host_claims',
    columns: ['host_id'],
    rows: hostIds.map((id) => [id]),
    onConflict: 'ignore',
  })
}

/**
 * A host of ours has another address than the map says. Another station may own that machine: it is
 * not dialled from here until the registrar has decided whose it is.
 */
export async function claimIfMoved(
  sql: Sql,
  { hostId, name, address }: { hostId: number; name: string; address: string },
): Promise<void> {
  const row = await sql.get<{ address: string | null }>(
    'SELECT address FROM placement_hosts WHERE host = ?',
    [name],
  )
  if (row?.address === address) return
  await sql.run('UPDATE hosts SET held = 1 WHERE id = ?', [hostId])
  await wantOwners(sql, [hostId])
}

/** Hosts whose address has to be looked up before they can be claimed. */
export function claimsToResolve(
  sql: Sql,
  args: { limit: number; now: number },
): Promise<{ hostId: number; name: string }[]> {
  return sql.all(
    `SELECT h.id AS "hostId", h.name FROM host_claims c JOIN hosts h ON h.id = c.host_id
     WHERE c.asked_at <= ? AND (h.address IS NULL OR h.address_until <= ?)
     ORDER BY h.id LIMIT ?`,
    [args.now, args.now, args.limit],
  )
}

interface ClaimRow {
  host_id: number
  name: string
  address: string
  pages: number | null
  wants: number
}

/**
 * Claims that can be made now. Nothing of the host or its address is leased and their clocks have
 * run out, so its new owner may begin at once.
 */
export async function claimsToMake(
  sql: Sql,
  args: { limit: number; now: number },
): Promise<HostClaim[]> {
  const { limit, now } = args
  const rows = await sql.all<ClaimRow>(
    `SELECT h.id AS host_id, h.name, h.address,
       (SELECT SUM(k.pages) FROM collection_hosts k WHERE k.host_id = h.id) AS pages,
       (SELECT COUNT(*) FROM collection_hosts k JOIN collections s ON s.id = k.collection_id
        WHERE k.host_id = h.id AND k.queued > 0 AND s.federated = 0) AS wants
     FROM host_claims c JOIN hosts h ON h.id = c.host_id
     LEFT JOIN address_groups g ON g.address = h.address
     WHERE c.asked_at <= ? AND h.address_until > ? AND h.fence = 0 AND h.next_allowed_at <= ?
       AND (g.address IS NULL OR g.domains > ? OR (g.in_flight = 0 AND g.next_allowed_at <= ?))
     ORDER BY h.id LIMIT ?`,
    [now, now, now, CDN_DOMAINS_MIN, now, limit],
  )
  await sql.updateMany({
    table: 'host_claims',
    keys: ['host_id'],
    set: ['asked_at'],
    rows: rows.map(({ host_id }) => [host_id, now + ASK_AGAIN_MS]),
  })
  return rows.map(({ name, address, pages, wants }) => ({
    host: name,
    address,
    pages: pages ?? 0,
    links: [],
    wants: wants > 0,
  }))
}
