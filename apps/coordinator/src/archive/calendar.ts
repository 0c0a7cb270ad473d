/** How many captures and changes there were on every day, of a URL or of a collection. Days are UTC. */
import type { CalendarDay } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { capturesOf } from './captures/captures.ts'

const DAY_MS = 86_400_000

interface DayCount {
  day: number
  n: number
}

export interface CalendarSpan {
  fromAt: number
  toAt: number
}

export async function urlCalendar(
  sql: Sql,
  args: CalendarSpan & { url: string },
): Promise<CalendarDay[]> {
  const of = await capturesOf(sql, args.url)
  if (!of) return []
  const span = [args.fromAt, args.toAt]
  const captures = await sql.all<DayCount>(
    `SELECT c."capturedAt" / ${DAY_MS} AS day, COUNT(*) AS n
     FROM (${of.select} AND captured_at BETWEEN ? AND ?) AS c GROUP BY 1`,
    [...of.params, ...span],
  )
  return merged(captures, await changesOf(sql, of, span))
}

/**
 * Changes found by visits of watches; for a URL without a watch, captures whose bytes differ from
 * the previous one.
 */
async function changesOf(
  sql: Sql,
  of: { select: string; params: Value[] },
  span: Value[],
): Promise<DayCount[]> {
  const visits = await sql.all<DayCount>(
    `SELECT v.at / ${DAY_MS} AS day, SUM(CASE WHEN v.outcome = 'changed' THEN 1 ELSE 0 END) AS n
     FROM visits v JOIN (
       SELECT DISTINCT x.collection_id, x.host_id, x.hash FROM captures x
       WHERE x.id IN (SELECT c.id FROM (${of.select}) AS c)
     ) AS p ON p.collection_id = v.collection_id AND p.host_id = v.host_id AND p.hash = v.hash
     WHERE v.at BETWEEN ? AND ? GROUP BY 1`,
    [...of.params, ...span],
  )
  if (visits.length > 0) return visits
  return sql.all<DayCount>(
    `SELECT d."capturedAt" / ${DAY_MS} AS day, COUNT(*) AS n FROM (
       SELECT c."capturedAt", c.digest, LAG(c.digest) OVER (ORDER BY c."capturedAt", c.id) AS former
       FROM (${of.select}) AS c
     ) AS d
     WHERE d.former <> d.digest AND d."capturedAt" BETWEEN ? AND ? GROUP BY 1`,
    [...of.params, ...span],
  )
}

export async function collectionCalendar(
  sql: Sql,
  args: CalendarSpan & { collectionId: number },
): Promise<CalendarDay[]> {
  const params = [args.collectionId, args.fromAt, args.toAt]
  const captures = await sql.all<DayCount>(
    `SELECT captured_at / ${DAY_MS} AS day, COUNT(*) AS n FROM captures
     WHERE collection_id = ? AND captured_at BETWEEN ? AND ? GROUP BY 1`,
    params,
  )
  const changes = await sql.all<DayCount>(
    `SELECT at / ${DAY_MS} AS day, COUNT(*) AS n FROM visits
     WHERE collection_id = ? AND at BETWEEN ? AND ? AND outcome = 'changed' GROUP BY 1`,
    params,
  )
  return merged(captures, changes)
}

function merged(captures: readonly DayCount[], changes: readonly DayCount[]): CalendarDay[] {
  const days = new Map<number, CalendarDay>()
  const at = (day: number): CalendarDay => {
    const known = days.get(day)
    if (known) return known
    const name = new Date(day * DAY_MS).toISOString().slice(0, 10)
    const fresh = { day: name, captures: 0, changes: 0 }
    days.set(day, fresh)
    return fresh
  }
  for (const { day, n } of captures) at(day).captures = n
  for (const { day, n } of changes) if (n > 0) at(day).changes = n
  return [...days].toSorted(([a], [b]) => a - b).map(([, day]) => day)
}
