/** Step 9 leads back to step 1: watched URLs whose moment has come are queued like any other work. */
import { problemOf, queueVisits } from '@minga/frontier'
import { faultPoint, type CollectionProblem } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { ForeignWatch } from '../watch-errors.ts'
import { NoSuchWatch } from '../../station/errors.ts'
import { noteTrail } from '../watch-trail.ts'
import { FORECAST_KEYS, type ForecastRow } from '../plan/forecast-rows.ts'
import type { KeptPlan } from '../plan/plan-visits.ts'
import { takeAllowance, type VisitBudget } from '../plan/visit-allowance.ts'
import { VISITS_OF_URLS } from '../watch-rows.ts'
import { noteRound } from './visit-facts.ts'
import { sendTwins } from './twin-requests.ts'
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

/** Queued per look: one transaction stays short, and the next look is a second later. */
const DUE_MAX = 2_000

type DueRow = Pick<
  ForecastRow,
  'collection_id' | 'host_id' | 'hash' | 'url' | 'next_visit_at' | 'plan'
>

export interface QueueDue extends VisitBudget {
  now: number
  /** Only these watches, whether due or not; null: all that are due. */
  collections?: readonly number[] | null
}

/** Answers how many were queued. */
export async function queueDueVisits(sql: Sql, args: QueueDue): Promise<number> {
  await lockVisitScheduling(sql)
  const due = await dueRows(sql, args)
  const allowed = await takeAllowance(sql, { ...args, wanted: due.length })
  const wanted = due.slice(0, allowed)
  const { late } = await sendTwins(sql, { due: wanted, now: args.now })
  await leaveToPlan(sql, late)
  const taken = wanted.filter((row) => !late.includes(row))
  const byWatch = Map.groupBy(taken, (row) => row.collection_id)
  for (const [collectionId, rows] of byWatch) {
    await queueVisits(sql, {
      collectionId,
      // The longest due goes first.
      documents: rows.map(({ url, next_visit_at: dueAt }) => ({ url, priority: dueAt ?? 0 })),
    })
  }
  await sql.updateMany({
    table: 'forecasts',
    keys: [...FORECAST_KEYS],
    set: ['next_visit_at', 'out_since'],
    rows: taken.map((row) => [row.collection_id, row.host_id, row.hash, null, args.now]),
  })
  if (taken.length > 0) faultPoint('watch:due-queued')
  return taken.length
}

/** A twin that would come too late is not fetched at all: the page is visited when it was planned. */
async function leaveToPlan(sql: Sql, late: readonly DueRow[]): Promise<void> {
  await sql.updateMany({
    table: 'forecasts',
    keys: [...FORECAST_KEYS],
    set: ['next_visit_at'],
    rows: late.map((row) => [row.collection_id, row.host_id, row.hash, plannedAt(row)]),
  })
}

function plannedAt({ plan, next_visit_at: due }: DueRow): number | null {
  return plan === null ? due : (JSON.parse(plan) as KeptPlan).at
}

/** A paused watch is skipped, and so is one whose site is being harvested: that is a visit, too. */
async function dueRows(sql: Sql, { now, collections = null }: QueueDue): Promise<DueRow[]> {
  const only = collections === null ? '' : `AND f.collection_id IN (${marks(collections)})`
  return sql.all<DueRow>(
    `SELECT f.collection_id, f.host_id, f.hash, f.url, f.next_visit_at, f.plan
     FROM forecasts f
     JOIN watches w ON w.collection_id = f.collection_id AND w.is_active = 1
     JOIN collections c ON c.id = f.collection_id AND c.state IN ('running', 'finished')
     WHERE f.next_visit_at <= ? AND f.out_since IS NULL ${only}
       AND NOT EXISTS (SELECT 1 FROM versions v
         WHERE v.collection_id = f.collection_id AND v.ended_at IS NULL AND v.state <> 'waiting')
     ORDER BY f.next_visit_at LIMIT ?`,
    [now, ...(collections ?? []), DUE_MAX],
  )
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ') || 'NULL'

/**
 * `watch run --once`: everything that is watched is due now, and what is out at this moment is due
 * again if its page was fetched before. Answers how many URLs that are.
 */
export async function makeAllDue(
  sql: Sql,
  args: { now: number; collections: readonly number[] | null; owner: string | null; by: string },
): Promise<number> {
  await requireWatches(sql, args)
  if (args.collections === null) await noteRound(sql, { at: args.now, owner: args.owner })
  for (const collectionId of args.collections ?? []) await noteAsked(sql, collectionId, args)
  const only =
    args.collections === null ? '' : `AND w.collection_id IN (${marks(args.collections)})`
  const own = args.owner === null ? '' : 'AND c.owner = ?'
  const wanted = `SELECT w.collection_id FROM watches w JOIN collections c ON c.id = w.collection_id
    WHERE w.is_active = 1 ${only} ${own}`
  const params = [...(args.collections ?? []), ...(args.owner === null ? [] : [args.owner])]
  // A person who requests a visit wants to know what changed: no twin takes its place, and one that
  // is out already becomes that visit.
  await sql.run(`DELETE FROM twin_requests WHERE collection_id IN (${wanted})`, params)
  return sql.run(`UPDATE forecasts SET next_visit_at = ? WHERE collection_id IN (${wanted})`, [
    args.now,
    ...params,
  ])
}

/** The user who requests certain watches is named in their trails. */
function noteAsked(
  sql: Sql,
  collectionId: number,
  { by, now }: { by: string; now: number },
): Promise<void> {
  const after = { nextVisitAt: now }
  return noteTrail(sql, { collectionId, by, kind: 'visit', before: {}, after, now })
}

async function requireWatches(
  sql: Sql,
  { collections, owner }: { collections: readonly number[] | null; owner: string | null },
): Promise<void> {
  for (const id of collections ?? []) {
    const watch = await sql.get<{ owner: string | null }>(
      `SELECT c.owner FROM watches w JOIN collections c ON c.id = w.collection_id
       WHERE w.collection_id = ?`,
      [id],
    )
    if (!watch) throw new NoSuchWatch(id)
    if (owner !== null && watch.owner !== owner) throw new ForeignWatch(id)
  }
}

/** Any number that other locks of the database do not use. */
const SCHEDULING = 7_700_401

/**
 * Several coordinators of one PostgreSQL tick in parallel. What is due, lost or to be harvested is
 * looked for by one of them at a time, until it commits: the next sees what is left. SQLite runs
 * one operation at a time anyway.
 */
export async function lockVisitScheduling(sql: Sql): Promise<void> {
  if (sql.dialect === 'postgres') await sql.all('SELECT pg_advisory_xact_lock(?)', [SCHEDULING])
}
