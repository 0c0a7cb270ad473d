/**
 * Which plans matter soon after the price has jumped: those that were to be visited before the
 * horizon, and those that are now. The second are looked for among all URLs, in bulk and without
 * reasons; a few too many may be found, since each is then timed by itself (`retimePlaces`).
 */
import { RHYTHM_BYTE, type LeastShown } from '@minga/forecast'
import type { Sql, Value } from '@minga/store'
import { watchesOf, type WatchedUrlKey } from './forecast-rows.ts'
import { livePolicy } from './live-policies.ts'
import { priceIn, readPlanning, type Planning } from './planning.ts'
import {
  isBulk,
  UpcomingVisitScan,
  type ScanSpan,
  type UpcomingVisitRow,
  type UpcomingSpan,
  type UpcomingVisit,
} from './upcoming-visit-scan.ts'

const DAY_MS = 86_400_000
/** The rate was kept before the belief was rounded to its bytes. */
const MARGIN = 1.01

/** What was planned before the horizon, the soonest first. */
export async function plannedUpcoming(
  sql: Sql,
  { now, horizon, limit }: UpcomingSpan & { limit: number },
): Promise<WatchedUrlKey[]> {
  return sql.all<WatchedUrlKey>(
    `SELECT collection_id AS "collectionId", host_id AS "hostId", hash FROM forecasts
     WHERE next_visit_at > ? AND next_visit_at <= ? ORDER BY next_visit_at LIMIT ?`,
    [now, horizon, limit],
  )
}

export interface FindUpcoming extends UpcomingSpan, ScanSpan {
  /** After this place; null: from the first. */
  after: WatchedUrlKey | null
  /** Number of rows to read, whether or not anything is found. */
  limit: number
  /** The shortest gap that any watch was promised; null: none was. */
  leastFloorMs: number | null
}

export interface FoundUpcoming {
  /** The last place that was read; null: all were. */
  after: WatchedUrlKey | null
  found: UpcomingVisit[]
}

/** As few as do: each costs a tenth of a second per million. What never changed has no magnitude, and
 * what a policy remembers is null if it is nothing. */
const UPCOMING_COLUMNS = `collection_id, host_id, hash, role, weight, last_visit_at, belief, usual_bytes,
  CASE WHEN changes = 0 THEN 0 ELSE magnitude END AS magnitude,
  NULLIF(policy_state, 'null') AS policy_state`

/**
 * Of a page of URLs that were planned for later: those that should be visited before the horizon.
 * What cannot be timed in bulk is left to the pass over all plans.
 */
export async function findUpcomingVisits(sql: Sql, args: FindUpcoming): Promise<FoundUpcoming> {
  const planning = await readPlanning(sql)
  const first = [args.after?.collectionId ?? 0, args.after?.hostId ?? 0, args.after?.hash ?? -1]
  const last = await sql.get<WatchedUrlKey>(
    `SELECT collection_id AS "collectionId", host_id AS "hostId", hash FROM forecasts
     WHERE (collection_id, host_id, hash) > (?, ?, ?)
     ORDER BY collection_id, host_id, hash LIMIT 1 OFFSET ?`,
    [...first, args.limit - 1],
  )
  const until = last === undefined ? '' : 'AND (collection_id, host_id, hash) <= (?, ?, ?)'
  const rows = await sql.all<UpcomingVisitRow>(
    `SELECT ${UPCOMING_COLUMNS} FROM forecasts
     WHERE (collection_id, host_id, hash) > (?, ?, ?) ${until} AND next_visit_at > ?
       AND (${MAY_BE_UPCOMING}) ORDER BY collection_id, host_id, hash`,
    [
      ...first,
      ...(last === undefined ? [] : [last.collectionId, last.hostId, last.hash]),
      args.horizon,
      ...mayBeUpcoming(args, planning),
    ],
  )
  const scan = new UpcomingVisitScan(planning, args)
  scan.add(rows, await watchesOf(sql, idsIn(rows)))
  return { after: last ?? null, found: scan.found }
}

/** Most URLs are described by a few numbers, without their belief: see `leastShown`. */
const MAY_BE_UPCOMING = `weight * rate * (? - last_visit_at) >= ? OR rate >= ? OR rate = 0
  OR last_visit_at IS NULL OR last_visit_at <= ? OR NULLIF(policy_state, 'null') IS NOT NULL
  OR substr(belief, ${RHYTHM_BYTE + 1}, 1) <> ?`

function mayBeUpcoming({ until, leastFloorMs }: FindUpcoming, planning: Planning): Value[] {
  const { expected, rate } = leastShown(planning)
  const promisedAt = leastFloorMs === null ? 0 : until - leastFloorMs
  return [until, (expected * DAY_MS) / MARGIN, rate / MARGIN, promisedAt, new Uint8Array(1)]
}

/** Of whatever policy and watch. */
function leastShown({ prices, shares }: Planning): LeastShown {
  const all = [prices, ...Object.values(shares)].flatMap((kept) => Object.entries(kept))
  const bounds = all.flatMap(([name, price]) => {
    const policy = livePolicy(name)
    if (policy === null || !isBulk(policy)) return []
    return [policy.leastShown?.(priceIn(price)) ?? { expected: 0, rate: 0 }]
  })
  return {
    expected: Math.min(...bounds.map(({ expected }) => expected)),
    rate: Math.min(...bounds.map(({ rate }) => rate)),
  }
}

/** Rows are in the order of their collections. */
function idsIn(rows: readonly UpcomingVisitRow[]): number[] {
  const ids: number[] = []
  for (const { collection_id: id } of rows) if (ids.at(-1) !== id) ids.push(id)
  return ids
}
