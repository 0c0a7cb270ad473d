/** Tasks of wikis: what a user requested, its progress, and what can be done about it. */
import { logEvents, type Sql, type Value } from '@minga/store'

export const TASK_KINDS = ['extract', 'update', 'import', 'export', 'metric', 'verify'] as const
export type TaskKind = (typeof TASK_KINDS)[number]

export type TaskState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

type Facts = Record<string, unknown>

export interface TaskRow {
  id: number
  wikiId: number | null
  /** The wiki's key; null while it is not known. */
  wiki: string | null
  kind: TaskKind
  arguments: Facts
  state: TaskState
  priority: number
  attempts: number
  limits: Facts
  progress: Facts
  error: string | null
  collectionId: number | null
  run: number
  createdAt: number
  startedAt: number | null
  endedAt: number | null
}

const TASK = `t.id, t.wiki_id AS "wikiId", w.key AS wiki, t.kind, t.arguments, t.state, t.priority, t.attempts,
  t.limits, t.progress, t.error, t.collection_id AS "collectionId", t.run, t.created_at AS "createdAt",
  t.started_at AS "startedAt", t.ended_at AS "endedAt"
  FROM wiki_tasks t LEFT JOIN wikis w ON w.id = t.wiki_id`

type Stored = Omit<TaskRow, 'arguments' | 'limits' | 'progress'> &
  Record<'arguments' | 'limits' | 'progress', string>

function taskOf(row: Stored): TaskRow {
  const { arguments: given, limits, progress } = row
  return {
    ...row,
    arguments: JSON.parse(given) as Facts,
    limits: JSON.parse(limits) as Facts,
    progress: JSON.parse(progress) as Facts,
  }
}

export interface NewTask {
  wikiId: number | null
  kind: TaskKind
  arguments: Facts
  priority?: number
  limits?: Facts
  now: number
}

export async function addTask(sql: Sql, task: NewTask): Promise<TaskRow> {
  const row = await sql.get<{ id: number }>(
    `INSERT INTO wiki_tasks (wiki_id, kind, arguments, state, priority, limits, progress, created_at)
     VALUES (?, ?, ?, 'waiting', ?, ?, '{}', ?) RETURNING id`,
    [
      task.wikiId,
      task.kind,
      JSON.stringify(task.arguments),
      task.priority ?? 0,
      JSON.stringify(task.limits ?? {}),
      task.now,
    ],
  )
  return (await readTask(sql, { id: row!.id }))!
}

export async function readTask(sql: Sql, { id }: { id: number }): Promise<TaskRow | null> {
  const row = await sql.get<Stored>(`SELECT ${TASK} WHERE t.id = ?`, [id])
  return row ? taskOf(row) : null
}

export interface TasksAsked {
  wikiId?: number
  kind?: TaskKind
  states?: readonly TaskState[]
  /** Only older ones than this, for the next page of the list. */
  before?: number
  limit?: number
}

const TASKS_MOST = 1_000

/** Newest first; those that wait for their turn come in the order of their turns by `openTasks`. */
export async function listTasks(sql: Sql, asked: TasksAsked): Promise<TaskRow[]> {
  const where: string[] = []
  const given: Value[] = []
  const only = (condition: string, ...values: Value[]): void => {
    where.push(condition)
    given.push(...values)
  }
  if (asked.wikiId !== undefined) only('t.wiki_id = ?', asked.wikiId)
  if (asked.kind !== undefined) only('t.kind = ?', asked.kind)
  if (asked.before !== undefined) only('t.id < ?', asked.before)
  if (asked.states) only(`t.state IN (${asked.states.map(() => '?').join(', ')})`, ...asked.states)
  const limited = where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''
  const limit = Math.min(asked.limit ?? 100, TASKS_MOST)
  const rows = await sql.all<Stored>(`SELECT ${TASK} ${limited} ORDER BY t.id DESC LIMIT ?`, [
    ...given,
    limit,
  ])
  return rows.map(taskOf)
}

/** What runs or waits, in the order of its turn: the highest priority first, then who asked first. */
export async function openTasks(sql: Sql, { wikiId }: { wikiId?: number }): Promise<TaskRow[]> {
  const rows = await sql.all<Stored>(
    `SELECT ${TASK} WHERE t.state IN ('waiting', 'running') AND (? = 0 OR t.wiki_id = ?)
     ORDER BY t.priority DESC, t.id`,
    [wikiId === undefined ? 0 : 1, wikiId ?? 0],
  )
  return rows.map(taskOf)
}

export interface TaskChange {
  id: number
  now: number
  state?: TaskState
  progress?: Facts
  error?: string | null
  priority?: number
  limits?: Facts
  arguments?: Facts
  wikiId?: number
  collectionId?: number | null
  run?: number
}

/**
 * Null when there is no such task. What has ended stays as it ended, but for `waiting`: that is a retry.
 * A task that begins to run counts one more attempt.
 */
export async function changeTask(sql: Sql, change: TaskChange): Promise<TaskRow | null> {
  const task = await readTask(sql, change)
  if (task === null) return null
  const hasEnded = isOver(task.state)
  const state = hasEnded && change.state !== 'waiting' ? task.state : (change.state ?? task.state)
  const isStarted = state === 'running' && task.state !== 'running'
  const isRetried = state === 'waiting' && hasEnded
  await sql.run(
    `UPDATE wiki_tasks SET state = ?, priority = ?, attempts = ?, limits = ?, progress = ?, error = ?,
       arguments = ?, wiki_id = ?, collection_id = ?, run = ?, started_at = ?, ended_at = ? WHERE id = ?`,
    [
      state,
      change.priority ?? task.priority,
      task.attempts + (isStarted ? 1 : 0),
      JSON.stringify(change.limits ?? task.limits),
      JSON.stringify(change.progress ?? task.progress),
      change.error === undefined ? (isRetried ? null : task.error) : change.error,
      JSON.stringify(change.arguments ?? task.arguments),
      change.wikiId ?? task.wikiId,
      change.collectionId === undefined ? task.collectionId : change.collectionId,
      change.run ?? task.run,
      isStarted ? change.now : task.startedAt,
      isOver(state) ? (task.endedAt ?? change.now) : null,
      task.id,
    ],
  )
  const changed = await readTask(sql, change)
  if (changed !== null && isOver(state) && !hasEnded) await logEnd(sql, changed, change.now)
  return changed
}

async function logEnd(sql: Sql, task: TaskRow, now: number): Promise<void> {
  const why = task.error === null ? '' : `: ${task.error}`
  const sentence = `Task ${task.id} (${task.kind}) is ${task.state}${why}`
  const { id, kind, state } = task
  const logged = { at: now, subject: task.wiki ?? String(id), sentence }
  const details = { task: id, kind, why: task.error ?? undefined }
  await logEvents(sql, [
    state === 'failed'
      ? { ...logged, code: 'wiki:failed', details }
      : { ...logged, code: 'wiki:ended', details: { ...details, state } },
  ])
}

const isOver = (state: TaskState): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled'
