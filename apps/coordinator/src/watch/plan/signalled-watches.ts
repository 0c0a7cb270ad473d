/**
 * Watches whose changes are signalled, and how Minga plans them: whether notices of hubs and hooks
 * were recently true, how many of them visits could follow (the gate), and how the pages behave.
 */
import {
  choosePolicy,
  decodeBelief,
  eligibility,
  kindOf,
  type Choice,
  type PageClass,
} from '@minga/forecast'
import type { Sql } from '@minga/store'

const DAY_MS = 86_400_000
/** Signals expire without new notices: a hub that died must not keep visits away. */
const REPORTED_WITHIN_MS = 60 * DAY_MS
const REPORTED_LEAST = 3
/** Limit of pages by which the signalled watches are evaluated, all together. */
const JUDGED_MAX = 5_000

type Kind = PageClass['kind']

/** By id of the watch. */
export async function listSignalledPolicies(
  sql: Sql,
  now: number,
): Promise<Record<number, Choice>> {
  // Notices that one visit settled were one change.
  const rows = await sql.all<{ id: number; reported: number; caught: number }>(
    `SELECT collection_id AS id, COUNT(*) AS reported,
       COUNT(DISTINCT CASE WHEN outcome = 'changed'
         THEN host_id || ' ' || hash || ' ' || settled_at END) AS caught
     FROM notices WHERE source IN ('websub', 'hook') AND outcome IS NOT NULL AND at > ?
     GROUP BY collection_id
     HAVING SUM(CASE WHEN outcome = 'changed' THEN 1 ELSE 0 END) >= ${REPORTED_LEAST}`,
    [now - REPORTED_WITHIN_MS],
  )
  const kinds = await kindsOf(
    sql,
    rows.map(({ id }) => id),
  )
  return Object.fromEntries(
    rows.map(({ id, reported, caught }) => {
      const kind = kinds.get(id) ?? 'without pattern'
      return [id, choosePolicy({ kind, isTold: true, passesGate: passes(reported, caught) })]
    }),
  )
}

/** Storage and machine are the same under whichever policy follows the notices. */
function passes(changes: number, caught: number): boolean {
  const rest = { storedBytes: 0, fixedBytes: 0, usedCapacity: 0, wholeCapacity: 1 }
  return eligibility({ changes, lost: changes - caught, ...rest }).passes
}

/** What most pages of a watch are. */
async function kindsOf(sql: Sql, ids: readonly number[]): Promise<Map<number, Kind>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.all<{ id: number; belief: Uint8Array }>(
    `SELECT collection_id AS id, belief FROM forecasts
     WHERE collection_id IN (${ids.map(() => '?').join(', ')}) AND belief IS NOT NULL
       AND role IN ('page', 'probe') LIMIT ${JUDGED_MAX}`,
    [...ids],
  )
  const byWatch = Map.groupBy(rows, ({ id }) => id)
  return new Map(
    [...byWatch].map(([id, pages]) => {
      const counts = Map.groupBy(pages, ({ belief }) => kindOf(decodeBelief(belief)))
      const [most] = [...counts].toSorted(([, a], [, b]) => b.length - a.length)
      return [id, most![0]]
    }),
  )
}
