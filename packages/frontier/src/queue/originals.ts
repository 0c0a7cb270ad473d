/** Where a payload that is held already lies: the response that a revisit of it refers to. */
import type { Sql } from '@minga/store'

export interface Original {
  url: string
  capturedAt: number
  recordId: string | null
}

export interface Repeated {
  hostId: number
  /** Under which its URL may be listed: a second opinion is queued under another one. */
  hashes: readonly [number, number]
  url: string
  digest: string
}

/** A response of the same URL, or the one that was kept of all with this payload; null without any. */
export async function findOriginal(sql: Sql, repeated: Repeated): Promise<Original | null> {
  const { hostId, hashes, url, digest } = repeated
  const own = await sql.get<Original>(
    `SELECT url, captured_at AS "capturedAt", record_id AS "recordId" FROM captures
     WHERE host_id = ? AND hash IN (?, ?) AND kind = 'response' AND url = ? AND digest = ?
     ORDER BY captured_at DESC LIMIT 1`,
    [hostId, ...hashes, url, digest],
  )
  if (own) return own
  const kept = await sql.get<Original>(
    `SELECT url, captured_at AS "capturedAt", record_id AS "recordId" FROM payloads WHERE digest = ?`,
    [digest],
  )
  return kept ?? null
}
