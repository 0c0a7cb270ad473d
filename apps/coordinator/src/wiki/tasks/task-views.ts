/** Tasks as people and programs see and change them. */
import { parseSpec } from '@minga/frontier'
import type { WikiLimits, WikiTaskView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import {
  addTask,
  changeTask,
  listTasks,
  readTask,
  type NewTask,
  type TaskRow,
  type TasksAsked,
} from '@minga/wiki'
import { failuresOf } from './advance-tasks.ts'
import { progressOf } from './wiki-task.ts'

/** A task that equals an open one is that one: a command that is given again continues it. */
export async function openWikiTask(sql: Sql, task: NewTask): Promise<{ id: number }> {
  const open = await listTasks(sql, {
    states: ['waiting', 'running'],
    kind: task.kind,
    limit: 1_000,
  })
  const wanted = JSON.stringify(task.arguments)
  const same = open.find((other) => JSON.stringify(other.arguments) === wanted)
  return same ?? addTask(sql, task)
}

export async function wikiTaskView(
  sql: Sql,
  args: { id: number; failures: number },
): Promise<WikiTaskView | null> {
  const task = await readTask(sql, args)
  return task === null ? null : viewOf(sql, task, args.failures)
}

export async function wikiTaskViews(sql: Sql, asked: TasksAsked): Promise<WikiTaskView[]> {
  const views: WikiTaskView[] = []
  for (const task of await listTasks(sql, asked)) views.push(await viewOf(sql, task, 0))
  return views
}

/** A wiki has few extractions; the newest suffice to tell whose it is. */
const TASKS_READ = 10_000

/** Whether this account has extracted something from the wiki. */
export async function hasWikiTask(
  sql: Sql,
  { wikiId, owner }: { wikiId: number; owner: string },
): Promise<boolean> {
  const tasks = await listTasks(sql, { wikiId, limit: TASKS_READ })
  return tasks.some((task) => task.arguments['owner'] === owner)
}

async function viewOf(sql: Sql, task: TaskRow, limit: number): Promise<WikiTaskView> {
  const { id, wiki, kind, state, priority, attempts, limits, error } = task
  const { owner: _owner, ...given } = task.arguments as Record<string, unknown>
  const { createdAt, startedAt, endedAt, collectionId } = task
  const collection = await sql.get<{ queued: number }>(
    'SELECT queued FROM collections WHERE id = ?',
    [collectionId],
  )
  const lost =
    collectionId === null
      ? { failed: 0, failures: [] }
      : await failuresOf(sql, { collectionId, limit })
  return {
    id,
    wiki,
    kind,
    state,
    arguments: given,
    priority,
    attempts,
    limits,
    progress: progressOf(task),
    error,
    createdAt,
    startedAt,
    endedAt,
    queued: collection?.queued ?? 0,
    ...lost,
  }
}

/** A running task is held to its new limits from the next block on. */
export async function limitWikiTask(
  sql: Sql,
  { id, limits, now }: { id: number; limits: WikiLimits; now: number },
): Promise<void> {
  const task = await changeTask(sql, { id, now, limits })
  if (task === null || task.collectionId === null) return
  const row = await sql.get<{ spec: string }>('SELECT spec FROM collections WHERE id = ?', [
    task.collectionId,
  ])
  if (!row) return
  const { delayMs, inFlight: inFlightPerHost, maxRequests: maxPages, maxBytes, maxTimeS } = limits
  const spec = { ...parseSpec(row.spec), delayMs, inFlightPerHost, maxPages, maxBytes, maxTimeS }
  await sql.run('UPDATE collections SET spec = ? WHERE id = ?', [
    JSON.stringify(spec),
    task.collectionId,
  ])
}
