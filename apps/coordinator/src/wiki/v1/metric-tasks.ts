/** Questions that are answered in the background, as tasks in the store. */
import type { Sql } from '@minga/store'
import { addTask, changeTask, listTasks, readTask, type TaskRow } from '@minga/wiki'

/** Answers are not an archive: the caller has a day to fetch them. */
const KEPT_MS = 86_400_000
const TASKS_MAX = 1_000

/** Null when too many wait. */
export async function openMetricTask(
  sql: Sql,
  { question, most, now }: { question: Record<string, unknown>; most: number; now: number },
): Promise<number | null> {
  const open = await listTasks(sql, { kind: 'metric', states: ['waiting', 'running'], limit: most })
  if (open.length >= most) return null
  const { id } = await addTask(sql, { wikiId: null, kind: 'metric', arguments: question, now })
  // After the new one has its number: SQLite gives the highest away again once it is free.
  await sql.run(`DELETE FROM wiki_tasks WHERE kind = 'metric' AND ended_at < ?`, [now - KEPT_MS])
  return id
}

/** The next one that waits, or whose coordinator has been silent for long. */
export async function claimMetricTask(
  sql: Sql,
  { now, abandonedBefore }: { now: number; abandonedBefore: number },
): Promise<TaskRow | null> {
  const open = await listTasks(sql, {
    kind: 'metric',
    states: ['waiting', 'running'],
    limit: TASKS_MAX,
  })
  const [next] = open
    .filter(({ state, startedAt }) => state === 'waiting' || (startedAt ?? 0) < abandonedBefore)
    .toSorted((a, b) => b.priority - a.priority || a.id - b.id)
  if (next === undefined) return null
  if (next.state === 'running') await changeTask(sql, { id: next.id, now, state: 'waiting' })
  return changeTask(sql, { id: next.id, now, state: 'running', error: null })
}

interface MetricEnd {
  id: number
  /** Which attempt ends: another may have begun in the meantime. */
  attempts: number
  now: number
  result?: unknown
  error?: string
}

export async function endMetricTask(
  sql: Sql,
  { id, attempts, now, result, error }: MetricEnd,
): Promise<void> {
  const task = await readTask(sql, { id })
  if (task?.state !== 'running' || task.attempts !== attempts) return
  const end =
    error === undefined
      ? ({ state: 'done', progress: { result } } as const)
      : ({ state: 'failed', error } as const)
  await changeTask(sql, { id, now, ...end })
}
