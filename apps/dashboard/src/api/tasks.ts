/** What the page asks about tasks of queries and wikis, and about workers. */
import type { LakeTaskPage, WikiTaskView, WorkerView } from '@minga/protocol'
import { station } from './station.ts'

export interface TasksAsked {
  state: string | null
  kind: string | null
  worker: string | null
  query: string | null
  after: string | null
  limit: number
}

/** Newest query first. */
export const readTasks = (asked: TasksAsked): Promise<LakeTaskPage> =>
  station('GET /tasks', { query: { ...asked } })

export const readWorkers = (): Promise<WorkerView[]> => station('GET /workers')

export const turnWorker = (boot: string, verb: 'drain' | 'resume'): Promise<unknown> =>
  station(`POST /workers/{boot}/${verb}`, { params: { boot } })

export const readWikiTasks = (page: {
  before: number | null
  limit: number
}): Promise<WikiTaskView[]> => station('GET /wikis/tasks', { query: page })

export const turnWikiTask = (id: number, verb: 'cancel' | 'retry'): Promise<unknown> =>
  station(`POST /wikis/tasks/{id}/${verb}`, { params: { id } })
