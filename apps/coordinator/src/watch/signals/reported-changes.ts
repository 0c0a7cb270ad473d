/**
 * The time of a change, as hubs, hooks, feeds and sitemaps reported it: once a visit has confirmed
 * the change, its time is an exact observation. Which reports are believed, in order:
 *   - a source of which at least three notices came true, and at least half of those judged;
 *   - a time after the visit before and not after the report: anything else is a wrong clock;
 *   - a date with its time of day: midnight is a date alone and names no time;
 *   - a date that is older than the reading by ten minutes: a younger one says when the list was made.
 * Times of one source within ten minutes are one change. Of several sources that are believed the
 * one that reported most is used: they report the same changes.
 */
import type { NoticeSource } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { WatchedUrlKey } from '../plan/forecast-rows.ts'
import { signalsOf, type ReportedMoment } from './notices.ts'

export interface ReportedChanges {
  /** Sorted; at least one. */
  times: number[]
  /** Part of the time since the visit before in which others may have gone untold. */
  unsureMs: number
}

const DAY_MS = 86_400_000
const TRUE_LEAST = 3
const TRUE_SHARE_LEAST = 0.5
const SAME_MS = 600_000

/** A date of a feed or sitemap as a moment, or none. */
export function momentOf(
  updatedAt: number | null,
  { now, quietUntil }: { now: number; quietUntil: number },
): ReportedMoment {
  const isMoment = updatedAt !== null && updatedAt % DAY_MS !== 0 && updatedAt <= now - SAME_MS
  return { at: isMoment ? updatedAt : null, quietUntil }
}

interface NoticeRow {
  source: NoticeSource
  at: number
  quietUntil: number | null
}

export async function readReportedChanges(
  sql: Sql,
  { key, from, to }: { key: WatchedUrlKey; from: number; to: number },
): Promise<ReportedChanges | null> {
  const { collectionId, hostId, hash } = key
  const rows = await sql.all<NoticeRow>(
    `SELECT source, told_at AS at, quiet_until AS "quietUntil" FROM notices
     WHERE collection_id = ? AND host_id = ? AND hash = ? AND told_at > ? AND told_at <= ?
       AND told_at <= at
     ORDER BY told_at`,
    [collectionId, hostId, hash, from, to],
  )
  if (rows.length === 0) return null
  const believed = new Set(
    (await signalsOf(sql, collectionId))
      .filter(({ changed, precision }) => changed >= TRUE_LEAST && precision! >= TRUE_SHARE_LEAST)
      .map(({ source }) => source),
  )
  const reported = [...Map.groupBy(rows, ({ source }) => source)]
    .filter(([source]) => believed.has(source))
    .map(([, notices]) => changesIn(notices, from))
  return reported.toSorted(byWorth)[0] ?? null
}

const byWorth = (a: ReportedChanges, b: ReportedChanges): number =>
  b.times.length - a.times.length || a.unsureMs - b.unsureMs

/** Sorted by moment. */
function changesIn(notices: readonly NoticeRow[], from: number): ReportedChanges {
  const times: number[] = []
  let [unsureMs, surelyUntil] = [0, from]
  for (const { at, quietUntil } of notices) {
    if (times.length > 0 && at - times.at(-1)! < SAME_MS) continue
    unsureMs += at - Math.min(at, Math.max(surelyUntil, quietUntil ?? at))
    surelyUntil = at
    times.push(at)
  }
  return { times, unsureMs }
}
