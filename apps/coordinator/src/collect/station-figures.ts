/**
 * The few figures of the whole station that its first page shows, read once a second while a user
 * views it.
 */
import { WANTED_ENDS } from '@minga/frontier'
import type { Sample, Snapshot, StationFigures } from '@minga/protocol'
import { SILENCE_MS } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { listCaptures } from '../archive/captures/captures.ts'
import { isLimited, wholeSql } from '../accounts/visibility/limited-sql.ts'
import { liveCollections } from './collection-list.ts'

/** All that the live page shows, in one transaction: figures that stand side by side are of one moment. */
export async function livePicture(
  sql: Sql,
  args: { capturesMost: number; now: number },
): Promise<Omit<Snapshot, 'now' | 'history'>> {
  return {
    collections: await liveCollections(sql),
    station: await stationFigures(sql, args),
    captures: await newestCaptures(sql, args.capturesMost),
    sample: await runningSample(sql, args),
  }
}

/** Of so many captures those that a viewer may see: a client's million must not be gone through every second. */
const LOOKED_AT_MOST = 10_000

async function newestCaptures(sql: Sql, limit: number): Promise<Snapshot['captures']> {
  const newest = { newestFirst: true, limit }
  if (!isLimited(sql)) return listCaptures(sql, newest)
  const last = await wholeSql(sql).get<{ id: number | null }>('SELECT MAX(id) AS id FROM captures')
  return listCaptures(sql, { ...newest, afterId: (last?.id ?? 0) - LOOKED_AT_MOST })
}

async function stationFigures(sql: Sql, args: { now: number }): Promise<StationFigures> {
  const { now } = args
  const urls = await sql.get<StationFigures['urls']>(
    `SELECT CAST(COALESCE(SUM(found), 0) AS BIGINT) AS found,
       CAST(COALESCE(SUM(queued), 0) AS BIGINT) AS queued,
       CAST(COALESCE(SUM(leased), 0) AS BIGINT) AS leased,
       CAST(COALESCE(SUM(pages), 0) AS BIGINT) AS pages,
       CAST(COALESCE(SUM(captures), 0) AS BIGINT) AS captures,
       CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes,
       CAST(COALESCE(SUM(failed), 0) AS BIGINT) AS failed FROM collections`,
  )
  return {
    urls: urls!,
    collections: await statesOf(sql),
    agents: await agentsOf(sql, now),
    queries: await count(sql, `SELECT COUNT(*) AS n FROM lake_queries WHERE state = 'running'`),
    wikiTasks: await count(sql, `SELECT COUNT(*) AS n FROM wiki_tasks WHERE state = 'running'`),
    visitsDue: await visitsDue(sql, now),
    lastError: await lastError(sql),
  }
}

async function count(sql: Sql, text: string, params: number[] = []): Promise<number> {
  return (await sql.get<{ n: number }>(text, params))?.n ?? 0
}

async function statesOf(sql: Sql): Promise<StationFigures['collections']> {
  const rows = await sql.all<{ state: string; n: number }>(
    'SELECT state, COUNT(*) AS n FROM collections GROUP BY state',
  )
  const of = (state: string): number => rows.find((row) => row.state === state)?.n ?? 0
  return {
    running: of('running'),
    paused: of('paused'),
    finished: of('finished'),
    cancelled: of('cancelled'),
  }
}

async function agentsOf(sql: Sql, now: number): Promise<StationFigures['agents']> {
  const row = await sql.get<{ online: number; working: number | null }>(
    `SELECT COUNT(*) AS online, CAST(SUM(CASE WHEN EXISTS
       (SELECT 1 FROM leases l WHERE l.boot = agents.boot) THEN 1 ELSE 0 END) AS BIGINT) AS working
     FROM agents WHERE last_beat_at > ?`,
    [now - SILENCE_MS],
  )
  const working = row?.working ?? 0
  return { working, idle: (row?.online ?? 0) - working }
}

/** Queued or out, and those whose moment has come. Counted up to here; more are as many. */
const DUE_MOST = 10_000

async function visitsDue(sql: Sql, now: number): Promise<number> {
  return count(
    sql,
    `SELECT COUNT(*) AS n FROM (
       SELECT 1 AS one FROM forecasts WHERE out_since IS NOT NULL
       UNION ALL SELECT 1 AS one FROM forecasts WHERE next_visit_at <= ? AND out_since IS NULL
       LIMIT ${DUE_MOST}) AS due`,
    [now],
  )
}

async function lastError(sql: Sql): Promise<StationFigures['lastError']> {
  const row = await sql.get<NonNullable<StationFigures['lastError']>>(
    `SELECT code, last_url AS url, last_at AS at, collection_id AS "collectionId"
     FROM collection_errors WHERE last_at IS NOT NULL
       AND code NOT IN (${WANTED_ENDS.map((code) => `'${code}'`).join(', ')})
     ORDER BY last_at DESC LIMIT 1`,
  )
  return row ?? null
}

/**
 * Counts of running collections: what the plot of the last minutes needs while no user views it.
 */
export async function runningSample(sql: Sql, args: { now: number }): Promise<Sample> {
  const rows = await sql.all<{ id: number; done: number; bytes: number }>(
    `SELECT id, found - queued AS done, bytes FROM collections WHERE state = 'running'`,
  )
  return {
    at: args.now,
    done: Object.fromEntries(rows.map(({ id, done }) => [id, done])),
    bytes: Object.fromEntries(rows.map(({ id, bytes }) => [id, bytes])),
  }
}
