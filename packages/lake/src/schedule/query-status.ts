/** What is known of queries, from counters that are kept rather than by counting tasks. */
import type { Sql } from '@minga/store'
import type { QueryError, QueryState } from './query-rows.ts'

export interface QuerySummary {
  /** In the order in which queries were submitted. */
  number: number
  id: string
  owner: string
  kind: string
  ask: unknown
  state: QueryState
  /** Of cancelled ones. */
  why: 'asked' | 'abandoned' | null
  error: QueryError | null
  madeAt: number
  startedAt: number | null
  endedAt: number | null
  seenAt: number
  deadlineAt: number | null
  /** `total` counts tasks of stages that have not opened yet as well. */
  tasks: { total: number; ready: number; running: number; done: number }
  rowsRead: number
  bytesRead: number
  bytesTotal: number
  /** The time of all tasks that are done, one after another. */
  spentMs: number
  /** Whether its files are gone, results included. */
  isCollected: boolean
}

export interface StageStatus {
  id: string
  about: string
  state: 'waiting' | 'open' | 'done'
  total: number
  running: number
  done: number
  rowsRead: number
  rows: number
  spentMs: number
}

export interface TaskUnderWay {
  worker: string
  stage: string
  index: number
  since: number
  progress: number
}

export interface QueryStatus extends QuerySummary {
  stages: StageStatus[]
  rejects: Record<string, number>
  workers: TaskUnderWay[]
  /** A guess, from how long tasks took so far; null while nothing is known. */
  etaMs: number | null
}

interface SummaryRow {
  number: number
  id: string
  owner: string
  kind: string
  ask: string
  state: QueryState
  why: QuerySummary['why']
  error: string | null
  total: number
  ready: number
  running: number
  done: number
  rows_read: number
  bytes_read: number
  bytes_total: number
  spent_ms: number
  made_at: number
  started_at: number | null
  ended_at: number | null
  seen_at: number
  deadline_at: number | null
  files: string
}

const COLUMNS = `number, id, owner, kind, ask, state, why, error, total, ready, running, done, rows_read,
  bytes_read, bytes_total, spent_ms, made_at, started_at, ended_at, seen_at, deadline_at, files`

export async function statusOf(sql: Sql, { id }: { id: string }): Promise<QueryStatus | null> {
  const row = await sql.get<SummaryRow>(`SELECT ${COLUMNS} FROM lake_queries WHERE id = ?`, [id])
  if (!row) return null
  const stages = await sql.all<StageStatus>(
    `SELECT id, about, state, total, running, done, rows_read AS "rowsRead", rows_written AS "rows",
       spent_ms AS "spentMs" FROM lake_stages WHERE query = ? ORDER BY stage`,
    [row.number],
  )
  const rejects = await sql.all<{ reason: string; count: number }>(
    'SELECT reason, count FROM lake_rejects WHERE query = ? ORDER BY reason',
    [row.number],
  )
  return {
    ...summaryOf(row),
    stages: stages.map((stage) => ({ ...stage })),
    rejects: Object.fromEntries(rejects.map(({ reason, count }) => [reason, count])),
    workers: row.state === 'running' ? await underWay(sql, row.number) : [],
    etaMs: row.state === 'running' ? remainingMs(stages) : null,
  }
}

/** The plus keeps SQLite from walking through all tasks of the query: leased ones are few. */
async function underWay(sql: Sql, number: number): Promise<TaskUnderWay[]> {
  const rows = await sql.all<TaskUnderWay>(
    `SELECT t.worker, s.id AS stage, t.task AS "index", t.leased_at AS since, t.progress
     FROM lake_tasks t JOIN lake_stages s ON s.query = t.query AND s.stage = t.stage
     WHERE +t.query = ? AND t.state = 'leased' ORDER BY t.fence`,
    [number],
  )
  return rows.map((row) => ({ ...row }))
}

function summaryOf(row: SummaryRow): QuerySummary {
  const { number, id, owner, kind, state, why } = row
  return {
    number,
    id,
    owner,
    kind,
    ask: JSON.parse(row.ask) as unknown,
    state,
    why,
    error: row.error === null ? null : (JSON.parse(row.error) as QueryError),
    madeAt: row.made_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    seenAt: row.seen_at,
    deadlineAt: row.deadline_at,
    tasks: { total: row.total, ready: row.ready, running: row.running, done: row.done },
    rowsRead: row.rows_read,
    bytesRead: row.bytes_read,
    bytesTotal: row.bytes_total,
    spentMs: row.spent_ms,
    isCollected: row.files === 'nothing',
  }
}

/** States as shown to clients: cancelled queries whose client stayed away are a separate kind. */
export type ReportedState = QueryState | 'abandoned'

export interface QueryFilter {
  owner?: string | undefined
  states?: readonly ReportedState[] | undefined
  /** Only those that were submitted before this number, the last one of the page before. */
  before?: number | undefined
  most: number
}

const TOLD_STATE = `CASE WHEN why = 'abandoned' THEN why ELSE state END`

/** The newest first. */
export async function listQueries(sql: Sql, filter: QueryFilter): Promise<QuerySummary[]> {
  const { owner, states, before, most } = filter
  const conditions = ['number < ?']
  const params: (string | number)[] = [before ?? Number.MAX_SAFE_INTEGER]
  if (owner !== undefined) {
    conditions.push('owner = ?')
    params.push(owner)
  }
  if (states !== undefined) {
    // By the column alone where that is enough: running ones are found by their index.
    const isSplit = states.some((state) => state === 'cancelled' || state === 'abandoned')
    conditions.push(
      `${isSplit ? TOLD_STATE : 'state'} IN (${states.map(() => '?').join(', ') || 'NULL'})`,
    )
    params.push(...states)
  }
  const rows = await sql.all<SummaryRow>(
    `SELECT ${COLUMNS} FROM lake_queries WHERE ${conditions.join(' AND ')}
     ORDER BY number DESC LIMIT ?`,
    [...params, most],
  )
  return rows.map(summaryOf)
}

interface StagePace {
  total: number
  running: number
  done: number
  spentMs: number
}

/**
 * Tasks of a stage that has none done yet are taken to be as long as the others were on average; tasks under way
 * as half done. Null before the first task is done.
 */
export function remainingMs(stages: readonly StagePace[]): number | null {
  const done = sum(stages, (stage) => stage.done)
  if (done === 0) return null
  const usualMs = sum(stages, ({ spentMs }) => spentMs) / done
  const leftMs = sum(stages, (stage) => {
    const eachMs = stage.done > 0 ? stage.spentMs / stage.done : usualMs
    return eachMs * (stage.total - stage.done - stage.running / 2)
  })
  return Math.round(
    leftMs /
      Math.max(
        1,
        sum(stages, ({ running }) => running),
      ),
  )
}

function sum(stages: readonly StagePace[], of: (stage: StagePace) => number): number {
  return stages.reduce((total, stage) => total + of(stage), 0)
}
