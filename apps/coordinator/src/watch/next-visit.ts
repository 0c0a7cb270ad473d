/**
 * A next visit set manually applies once, whereas a manual period is permanent. A visit in progress
 * comes back as it would have; the visit itself plans the one after it. When prices jump, all
 * visits are replanned, this one too.
 */
import type { WatchDetail } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { WatchRefused } from './watch-errors.ts'
import { watchDetail, watchToChange } from './watch-rows.ts'
import { noteTrail } from './watch-trail.ts'

export interface NextVisitArgs {
  id: number
  owner: string | null
  by: string
  at: number
  now: number
}

export async function setNextVisit(sql: Sql, args: NextVisitArgs): Promise<WatchDetail> {
  const row = await watchToChange(sql, args)
  if (!row.settings.isActive) throw WatchRefused.paused(row.id)
  const planned = await sql.get<{ at: number | null }>(
    'SELECT MIN(next_visit_at) AS at FROM forecasts WHERE collection_id = ?',
    [row.id],
  )
  await sql.run(
    `UPDATE forecasts SET next_visit_at = ? WHERE collection_id = ? AND out_since IS NULL
       AND role IN ('page', 'probe')`,
    [Math.max(args.at, args.now), row.id],
  )
  await noteTrail(sql, {
    collectionId: row.id,
    by: args.by,
    kind: 'visit',
    before: { nextVisitAt: planned?.at ?? null },
    after: { nextVisitAt: args.at },
    now: args.now,
  })
  return watchDetail(sql, { id: row.id })
}
