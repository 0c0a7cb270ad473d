/** The operator ends the pause of a host that a wrong or forged number has put out of reach. */
import type { HostReset } from '@minga/protocol'
import { logEvents, type Sql } from '@minga/store'
import { NoSuchHost } from '../errors.ts'

interface ResetHostArgs {
  /** A host's key. */
  host: string
  /** The account that does it. */
  by: string
  now: number
}

/**
 * Forgets the back-off of a host and when it may be contacted again, also at its address and for single URLs. What
 * robots.txt or the owner of the site asks for stays.
 */
export async function resetHost(sql: Sql, args: ResetHostArgs): Promise<HostReset> {
  const { host, by, now } = args
  const row = await sql.get<{
    id: number
    address: string | null
    next_allowed_at: number
    backoff_ms: number
  }>('SELECT id, address, next_allowed_at, backoff_ms FROM hosts WHERE name = ?', [host])
  if (!row) throw new NoSuchHost(host)
  await sql.run(
    `UPDATE hosts SET backoff_ms = 0, latency_ms = 0,
       next_allowed_at = CASE WHEN next_allowed_at > ? THEN ? ELSE next_allowed_at END
     WHERE id = ?`,
    [now, now, row.id],
  )
  await sql.run(
    'UPDATE address_groups SET next_allowed_at = ? WHERE address = ? AND next_allowed_at > ?',
    [now, row.address, now],
  )
  await sql.run('UPDATE collection_hosts SET turn_at = ? WHERE host_id = ? AND turn_at > ?', [
    now,
    row.id,
    now,
  ])
  await sql.run(
    `UPDATE urls SET not_before = ? WHERE host_id = ? AND outcome IS NULL AND not_before > ?
       AND collection_id IN (SELECT collection_id FROM collection_hosts WHERE host_id = ?)`,
    [now, row.id, now, row.id],
  )
  const sentence = 'The clock of the host was reset: it may be contacted again.'
  await logEvents(sql, [{ at: now, code: 'host:reset', subject: host, sentence, by }])
  return { host, waitedUntil: row.next_allowed_at, backoffMs: row.backoff_ms }
}
