/**
 * Tasks one by one, of all queries, newest query first: what each does, who has it, and what was wrong. Read along the
 * primary key from the last row of the page before, so that a page costs the same wherever it is.
 */
import type { Sql } from '@minga/store'
import type { NotedError } from './lose-lease.ts'
import type { QueryState, TaskPlace } from './query-rows.ts'

export const TASK_STATES = ['ready', 'resting', 'running', 'done', 'failed', 'cancelled'] as const
export type TaskState = (typeof TASK_STATES)[number]

export interface TaskFilter {
  /** Whose; everyone's when left out. */
  owner?: string | undefined
  state?: TaskState | undefined
  /** Of the query: `query`, `import`, `compact`. */
  kind?: string | undefined
  worker?: string | undefined
  query?: string | undefined
  /** The last row of the page before. */
  after?: TaskPlace | undefined
  most: number
}

export interface ListedTask {
  query: string
  kind: string
  owner: string
  queryState: QueryState
  ask: unknown
  stage: string
  about: string
  index: number
  state: TaskState
  /** Who has it, or had it last. */
  worker: string | null
  boot: string | null
  leasedAt: number | null
  leasedUntil: number | null
  /** Of those that rest: when they are tried again. */
  readyAt: number | null
  endedAt: number | null
  attempts: number
  deaths: number
  progress: number
  error: NotedError | null
}

export interface TaskPage {
  tasks: ListedTask[]
  /** Where the next page begins; null after the last one. */
  after: TaskPlace | null
}

interface Row extends TaskPlace {
  id: string
  kind: string
  owner: string
  query_state: QueryState
  ask: string
  stage_id: string
  about: string
  state: string
  worker: string | null
  last_worker: string | null
  boot: string | null
  leased_at: number | null
  until: number | null
  ready_at: number | null
  ended_at: number | null
  attempts: number
  deaths: number
  progress: number
  error: string | null
}

/** A task is void because it failed, or because its query ended without it. */
const IN_STATE: Record<TaskState, string> = {
  ready: `t.state = 'ready'`,
  resting: `t.state = 'resting'`,
  running: `t.state = 'leased'`,
  done: `t.state = 'done'`,
  failed: `t.state = 'void' AND t.ended_at IS NOT NULL`,
  cancelled: `t.state = 'void' AND t.ended_at IS NULL`,
}

export async function listTasks(sql: Sql, filter: TaskFilter): Promise<TaskPage> {
  const { conditions, params } = conditionsOf(filter)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const rows = await sql.all<Row>(
    `SELECT t.query, t.stage, t.task, q.id, q.kind, q.owner, q.state AS query_state, q.ask,
       s.id AS stage_id, s.about, t.state, t.worker, t.last_worker, t.boot, t.leased_at, t.until,
       t.ready_at, t.ended_at, t.attempts, t.deaths, t.progress, t.error
     FROM lake_tasks t JOIN lake_queries q ON q.number = t.query
     JOIN lake_stages s ON s.query = t.query AND s.stage = t.stage
     ${where} ORDER BY t.query DESC, t.stage DESC, t.task DESC LIMIT ?`,
    [...params, filter.most],
  )
  const last = rows.length === filter.most ? rows.at(-1) : undefined
  const after = last ? { query: last.query, stage: last.stage, task: last.task } : null
  return { tasks: rows.map(taskOf), after }
}

function conditionsOf(filter: TaskFilter): { conditions: string[]; params: (string | number)[] } {
  const { owner, state, kind, worker, query, after } = filter
  const conditions: string[] = []
  const params: (string | number)[] = []
  const add = (condition: string, ...values: (string | number)[]): void => {
    conditions.push(condition)
    params.push(...values)
  }
  if (after !== undefined)
    add('(t.query, t.stage, t.task) < (?, ?, ?)', after.query, after.stage, after.task)
  if (owner !== undefined) add('q.owner = ?', owner)
  if (kind !== undefined) add('q.kind = ?', kind)
  if (query !== undefined) add('q.id = ?', query)
  if (worker !== undefined) add('coalesce(t.worker, t.last_worker) = ?', worker)
  if (state !== undefined) add(IN_STATE[state])
  return { conditions, params }
}

function taskOf(row: Row): ListedTask {
  return {
    query: row.id,
    kind: row.kind,
    owner: row.owner,
    queryState: row.query_state,
    ask: JSON.parse(row.ask) as unknown,
    stage: row.stage_id,
    about: row.about,
    index: row.task,
    state: stateOf(row),
    worker: row.worker ?? row.last_worker,
    boot: row.boot,
    leasedAt: row.leased_at,
    leasedUntil: row.until,
    readyAt: row.state === 'resting' ? row.ready_at : null,
    endedAt: row.ended_at,
    attempts: row.attempts,
    deaths: row.deaths,
    progress: row.progress,
    error: row.error === null ? null : (JSON.parse(row.error) as NotedError),
  }
}

function stateOf({ state, ended_at: endedAt }: Row): TaskState {
  if (state === 'leased') return 'running'
  if (state === 'void') return endedAt === null ? 'cancelled' : 'failed'
  return state as TaskState
}

/** By the name of the stage; those that wrote nothing are left out. */
export async function stageBytes(
  sql: Sql,
  { id }: { id: string },
): Promise<Record<string, number>> {
  const rows = await sql.all<{ id: string; bytes: number }>(
    `SELECT s.id, CAST(sum(o.bytes) AS BIGINT) AS bytes FROM lake_queries q
     JOIN lake_outputs o ON o.query = q.number
     JOIN lake_stages s ON s.query = o.query AND s.stage = o.stage
     WHERE q.id = ? GROUP BY s.id`,
    [id],
  )
  return Object.fromEntries(rows.map(({ id: stage, bytes }) => [stage, bytes]))
}
