/**
 * What was taken down of an address: readers get the fact that there was something, and why it is
 * gone.
 */
import type { Tombstone } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { placeOfUrl, PROBES_MAX } from './captures/captures.ts'

const SHOWN_MOST = 200

/** Newest capture first. */
export async function tombstonesOfUrl(sql: Sql, args: { url: string }): Promise<Tombstone[]> {
  const place = await placeOfUrl(sql, args.url)
  if (place === null) return []
  return sql.all<Tombstone>(
    `SELECT url, captured_at AS "capturedAt", reason, asked_at AS "askedAt" FROM takedowns
     WHERE host_id = ? AND ((hash BETWEEN ? AND ?) OR hash = 0) AND url = ?
       AND kind <> 'superseded'
     ORDER BY captured_at DESC, id DESC LIMIT ${SHOWN_MOST}`,
    [place.hostId, place.hash, place.hash + PROBES_MAX, place.url],
  )
}
