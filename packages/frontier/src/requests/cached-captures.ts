/**
 * The archive is the cache: a capture that is young enough answers a request without a fetch. A
 * site's refusal does so for hours, however fresh an answer the client wants: asked again, it would
 * go to another device in another place, and a fleet must not be a way around a block.
 */
import type { Sql } from '@minga/store'
import type { FetchOutcome } from './end-requests.ts'
import type { UrlKey } from './queue-documents.ts'

export interface KnownAnswer {
  end: FetchOutcome
  /** A refusal that is older than the client wanted an answer to be. */
  isRemembered: boolean
}

interface CachedRow {
  status: number
  bytes: number
  digest: string
  captured_at: number
  device: string | null
  verified: number
}

/**
 * A site's refusal of the requester, or its demand to prove something first (429: rate, captcha).
 */
const REFUSALS = [401, 403, 407, 429, 451]
/** Long enough that asking again gains nothing, short enough that a site's change is seen today. */
const REFUSAL_KEPT_MS = 6 * 3_600_000

/** The archive as the client may see it, and all of it. */
interface Archives {
  archive: Sql
  sql: Sql
}

/**
 * Only final, verified answers: a redirect leads elsewhere by now, "too many requests" and server
 * errors were about that moment, and a "not modified" has no content of its own. A refusal counts
 * unverified too, unless its device was found to lie.
 *
 * What the client may not see answers nothing, or it would tell what others asked for. A refusal does, or clients
 * could try a block from machine after machine; it says nothing but its status.
 */
export async function knownAnswer(
  { archive, sql }: Archives,
  args: UrlKey & { url: string; maxAgeMs: number; now: number },
): Promise<KnownAnswer | null> {
  const known = await answerIn(archive, args)
  if (known !== null || archive === sql) return known
  const hidden = await answerIn(sql, { ...args, maxAgeMs: 0 })
  return hidden === null ? null : { end: refusalAlone(hidden.end.status), isRemembered: true }
}

async function answerIn(
  sql: Sql,
  args: UrlKey & { url: string; maxAgeMs: number; now: number },
): Promise<KnownAnswer | null> {
  const { hostId, hash, url, maxAgeMs, now } = args
  // 0 always fetches, also what was captured at this very moment.
  const since = maxAgeMs === 0 ? Number.MAX_SAFE_INTEGER : now - maxAgeMs
  const refusedSince = now - REFUSAL_KEPT_MS
  const row = await sql.get<CachedRow>(
    `SELECT status, payload_bytes AS bytes, digest, captured_at, device, verified FROM captures
     WHERE host_id = ? AND hash = ? AND captured_at >= ? AND url = ?
       AND ((verified = 1 AND captured_at >= ?
           AND (status BETWEEN 200 AND 299 OR status BETWEEN 400 AND 499)
           AND status NOT IN (408, 425, 429))
         OR (status IN (${REFUSALS.join(', ')}) AND captured_at >= ?
           AND NOT EXISTS (SELECT 1 FROM quarantines q WHERE q.device = captures.device
             AND q.released_at IS NULL AND captures.id > q.since_capture_id)))
     ORDER BY captured_at DESC LIMIT 1`,
    [hostId, hash, Math.min(since, refusedSince), url, since, refusedSince],
  )
  if (!row) return null
  const isYoung = row.verified === 1 && row.captured_at >= since && row.status !== 429
  if (isYoung || !(await isOvertaken(sql, { ...args, at: row.captured_at }))) {
    return { end: endOf(row), isRemembered: !isYoung }
  }
  return null
}

/** Did the site give another answer since it refused? Then it is no block. */
async function isOvertaken(sql: Sql, args: UrlKey & { url: string; at: number }): Promise<boolean> {
  const later = await sql.get(
    `SELECT 1 FROM captures WHERE host_id = ? AND hash = ? AND captured_at > ? AND url = ?
       AND verified = 1 AND status BETWEEN 200 AND 399 LIMIT 1`,
    [args.hostId, args.hash, args.at, args.url],
  )
  return later !== undefined
}

/** No time, no device, no digest: nothing about the device that was refused. */
function refusalAlone(status: number | null): FetchOutcome {
  return {
    outcome: 'failed',
    status,
    code: `MINGA_HTTP_${status}`,
    bytes: null,
    digest: null,
    capturedAt: null,
    device: null,
    isVerified: false,
  }
}

function endOf(row: CachedRow): FetchOutcome {
  const { status, bytes, digest, captured_at: capturedAt, device } = row
  const isVerified = row.verified === 1
  // Returned as for the first request that was refused: a 429 does not answer the question.
  if (status === 429) return refusalAlone(status)
  return { outcome: 'captured', status, code: null, bytes, digest, capturedAt, device, isVerified }
}
