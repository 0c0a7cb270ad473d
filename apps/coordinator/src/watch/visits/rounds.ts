/** One round over everything that is watched, for `minga watch run --once`. */
import { problemOf } from '@minga/frontier'
import type { CollectionProblem } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { VISITS_OF_URLS } from '../page-visits.ts'
import type { RoundState } from './visit-scheduler.ts'

/** A first visit compares with nothing and so finds no change. */
export async function roundState(
  sql: Sql,
  args: { since: number; collections: readonly number[] | null },
): Promise<RoundState> {
  const { since, collections } = args
  const only = collections === null ? '' : `AND collection_id IN (${marks(collections)})`
  const params = [...(collections ?? [])]
  const rows = await sql.all<{ outcome: string; n: number }>(
    `SELECT outcome, COUNT(*) AS n FROM visits WHERE at >= ? ${only} GROUP BY outcome`,
    [since, ...params],
  )
  const count = (...outcomes: string[]): number =>
    rows.reduce((sum, { outcome, n }) => sum + (outcomes.includes(outcome) ? n : 0), 0)
  const open = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM forecasts
     WHERE (out_since IS NOT NULL OR next_visit_at <= ?) ${only}
       AND EXISTS (SELECT 1 FROM collections c
         WHERE c.id = forecasts.collection_id AND c.state <> 'paused')`,
    [since, ...params],
  )
  const harvests = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM versions
     WHERE ended_at IS NULL ${only}
       AND EXISTS (SELECT 1 FROM collections c
         WHERE c.id = versions.collection_id AND c.state <> 'paused')`,
    params,
  )
  const visited = count('first', 'changed', 'unchanged', 'noise', 'failed')
  const failed = count('failed')
  return {
    visited,
    changed: count('changed'),
    unchanged: count('first', 'unchanged'),
    noise: count('noise'),
    failed,
    left: (open?.n ?? 0) + (harvests?.n ?? 0),
    problem: visited > 0 && failed === visited ? await findProblem(sql, args) : null,
  }
}

/** A round without one good visit has failed like a crawl that captured nothing, and is explained in the same words. */
async function findProblem(
  sql: Sql,
  { since, collections }: { since: number; collections: readonly number[] | null },
): Promise<CollectionProblem | null> {
  const only = collections === null ? '' : `AND v.collection_id IN (${marks(collections)})`
  const errors = await sql.all<{ code: string; count: number; lastUrl: string | null }>(
    `SELECT COALESCE(v.code, 'MINGA_NO_PAGES') AS code, COUNT(*) AS count, MAX(f.url) AS "lastUrl"
     FROM ${VISITS_OF_URLS} WHERE v.at >= ? AND v.outcome = 'failed' ${only} GROUP BY 1`,
    [since, ...(collections ?? [])],
  )
  return problemOf('failed', errors)
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ') || 'NULL'
