/** The archive is the cache: a capture that is young enough answers a request without a fetch. */
import type { Sql } from '@minga/store'
import type { DocumentEnd } from './end-requests.ts'
import type { DocumentPlace } from './queue-documents.ts'

export type CachedEnd = Omit<DocumentEnd, keyof DocumentPlace>

interface CachedRow {
  status: number
  bytes: number
  digest: string
  captured_at: number
  device: string | null
}

/**
 * Only final, verified answers: a redirect leads elsewhere by now, "too many requests" and server
 * errors were about that moment, and a "not modified" has no content of its own.
 */
export async function youngCapture(
  sql: Sql,
  args: DocumentPlace & { url: string; since: number },
): Promise<CachedEnd | null> {
  const row = await sql.get<CachedRow>(
    `SELECT status, payload_bytes AS bytes, digest, captured_at, device FROM captures
     WHERE host_id = ? AND hash = ? AND captured_at >= ? AND url = ? AND verified = 1
       AND (status BETWEEN 200 AND 299 OR status BETWEEN 400 AND 499)
       AND status NOT IN (408, 425, 429)
     ORDER BY captured_at DESC LIMIT 1`,
    [args.hostId, args.hash, args.since, args.url],
  )
  if (!row) return null
  const { status, bytes, digest, captured_at: capturedAt, device } = row
  const code = null
  return { outcome: 'captured', status, code, bytes, digest, capturedAt, device, isVerified: true }
}
