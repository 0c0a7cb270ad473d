/** A worker asks for work: the fairest query's next task, with a fence higher than any before. */
import type { Sql } from '@minga/store'
import type { FileRef } from '../model.ts'
import { inFairOrder, type Choice, type OpenQuery } from './fair-share.ts'
import type { StageRead } from './plan-shape.ts'
import {
  count,
  lockIfFree,
  lockRunning,
  termsOf,
  type QueryRow,
  type TaskPlace,
} from './query-rows.ts'
import type { LeasedTask, LeaseId, StageFiles } from './resolve-task.ts'
import { isDrained } from './drain-workers.ts'
import { whenDue } from './sweep-tasks.ts'

export interface LeaseAsk {
  worker: string
  /** The process: a name may come back, a process does not. */
  boot: string
  /** Its version of DuckDB: workers of one query must agree how rows are spread over partitions. */
  engine: string | null
  /** Only of these kinds; null: of any. */
  kinds: readonly string[] | null
  leaseMs: number
  now: number
}

export interface LeaseAnswer {
  leased: LeasedTask | null
  /** When something may be ready that is not now; null: after the next request. */
  dueAt: number | null
  /** It is to take no more. */
  isDrained: boolean
}

export async function leaseTask(sql: Sql, ask: LeaseAsk): Promise<LeaseAnswer> {
  if (await isDrained(sql, ask.boot)) return { leased: null, dueAt: null, isDrained: true }
  if ((await choices(sql, ask)).length > 0) {
    // The fence is exclusive: two coordinators must not both see the same task as ready.
    const { value: fence } = (await sql.get<{ value: number }>(
      `UPDATE sequences SET value = value + 1 WHERE name = 'task' RETURNING value`,
    ))!
    const leased = await takeNext(sql, ask, fence)
    if (leased) return { leased, dueAt: null, isDrained: false }
  }
  return { leased: null, dueAt: await whenDue(sql), isDrained: false }
}

/** What a station asks of itself. */
const UPKEEP = 'compact'
/**
 * So long it leaves the workers to those who wait for an answer. Then it has its share: a table in
 * crumbs slows everyone down.
 */
export const UPKEEP_YIELDS_MS = 10 * 60_000

interface OpenRow extends OpenQuery {
  kind: string
  engine: string | null
  madeAt: number
}

/** Whom this worker may serve, in fair order. Queries that it may not serve count as their owners' all the same. */
async function choices(sql: Sql, ask: LeaseAsk): Promise<Choice[]> {
  const open = await sql.all<OpenRow>(
    `SELECT number, owner, weight, turn, ready, running, kind, engine, made_at AS "madeAt"
     FROM lake_queries WHERE state = 'running'`,
  )
  if (!open.some(({ ready }) => ready > 0)) return []
  const owners = await sql.all<{ owner: string; turn: number }>(
    `SELECT owner, turn FROM lake_owners
     WHERE owner IN (SELECT owner FROM lake_queries WHERE state = 'running')`,
  )
  const isAwaited = open.some(({ kind }) => kind !== UPKEEP)
  const yields = ({ kind, madeAt }: OpenRow): boolean =>
    isAwaited && kind === UPKEEP && ask.now - madeAt < UPKEEP_YIELDS_MS
  const suits = (query: OpenRow): boolean =>
    (ask.kinds?.includes(query.kind) ?? true) &&
    (query.engine === null || query.engine === ask.engine) &&
    !yields(query)
  const queries = open.map((query) => (suits(query) ? query : { ...query, ready: 0 }))
  return inFairOrder(queries, new Map(owners.map(({ owner, turn }) => [owner, turn])))
}

async function takeNext(sql: Sql, ask: LeaseAsk, fence: number): Promise<LeasedTask | undefined> {
  const fair = await choices(sql, ask)
  for (const choice of fair) {
    const query = await lockIfFree(sql, choice.query.number)
    const leased = query && (await takeFrom(sql, { query, choice, ask, fence }))
    if (leased) return leased
  }
  // All are being changed at this moment. One only: who held several could wait in a circle.
  const first = fair[0] && (await lockRunning(sql, fair[0].query.number))
  return first && takeFrom(sql, { query: first, choice: fair[0]!, ask, fence })
}

interface Taking {
  query: QueryRow
  choice: Choice
  ask: LeaseAsk
  fence: number
}

interface TaskRow extends TaskPlace {
  attempts: number
  deaths: number
}

async function takeFrom(sql: Sql, taking: Taking): Promise<LeasedTask | undefined> {
  const { query, choice, ask, fence } = taking
  const { worker, boot, now, leaseMs } = ask
  // Nothing but what is in the index of ready tasks: then no task that is done is looked at.
  const next = await sql.get<{ stage: number; task: number }>(
    `SELECT stage, task FROM lake_tasks WHERE query = ? AND state = 'ready'
     ORDER BY stage, task LIMIT 1`,
    [query.number],
  )
  if (!next) return undefined
  const task = (await sql.get<TaskRow>(
    `UPDATE lake_tasks SET state = 'leased', fence = ?, worker = ?, boot = ?, leased_at = ?, until = ?,
       progress = 0 WHERE query = ? AND stage = ? AND task = ?
     RETURNING query, stage, task, attempts, deaths`,
    [fence, worker, boot, now, now + leaseMs, query.number, next.stage, next.task],
  ))!
  await count(sql, task, { ready: -1, running: 1 })
  await sql.run(
    `UPDATE lake_queries SET turn = ?, engine = coalesce(engine, ?), started_at = coalesce(started_at, ?)
     WHERE number = ?`,
    [choice.turns.query, ask.engine, now, query.number],
  )
  await sql.run('UPDATE lake_owners SET turn = ? WHERE owner = ?', [
    choice.turns.owner,
    query.owner,
  ])
  return leasedTask(sql, { query, task, fence })
}

/** The lease again, for who has it: null when it is not theirs any more. */
export async function leaseNow(sql: Sql, lease: LeaseId): Promise<LeasedTask | null> {
  const task = await sql.get<TaskRow & QueryRow>(
    `SELECT t.query, t.stage, t.task, t.attempts, t.deaths, q.id, q.terms, q.number
     FROM lake_tasks t JOIN lake_queries q ON q.number = t.query
     JOIN lake_stages s ON s.query = t.query AND s.stage = t.stage
     WHERE t.fence = ? AND t.state = 'leased' AND q.id = ? AND s.id = ? AND t.task = ?`,
    [lease.fence, lease.query, lease.stage, lease.index],
  )
  return task ? leasedTask(sql, { query: task, task, fence: lease.fence }) : null
}

async function leasedTask(
  sql: Sql,
  { query, task, fence }: { query: Pick<QueryRow, 'id' | 'terms'>; task: TaskRow; fence: number },
): Promise<LeasedTask> {
  const stage = (await sql.get<{ id: string; reads: string }>(
    'SELECT id, reads FROM lake_stages WHERE query = ? AND stage = ?',
    [task.query, task.stage],
  ))!
  const files: StageFiles[] = []
  for (const read of JSON.parse(stage.reads) as StageRead[]) {
    files.push({ ...read, files: await filesOf(sql, read, task) })
  }
  return {
    query: query.id,
    stage: stage.id,
    index: task.task,
    fence,
    attempt: task.attempts + task.deaths + 1,
    limits: termsOf(query).limits,
    files,
  }
}

/** In the order of the tasks that wrote them: rows keep the order of the input. */
async function filesOf(sql: Sql, read: StageRead, task: TaskPlace): Promise<FileRef[]> {
  const part = read.part === 'partition' ? ' AND part = ?' : ''
  const rows = await sql.all<{ file: string; bytes: number }>(
    `SELECT file, bytes FROM lake_outputs
     WHERE query = ? AND stage = ? AND output = ?${part} ORDER BY task, part`,
    [task.query, read.stage, read.output, ...(part ? [task.task] : [])],
  )
  return rows.map(({ file, bytes }) => ({ at: 'lake', name: file, bytes }))
}
