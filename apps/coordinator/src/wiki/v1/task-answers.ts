/** Tasks as this API tells them. */
import type { WikiTaskState, WikiTaskView } from '@minga/protocol'
import { z } from 'zod'

/** The words of the first version of this API. */
const STATES: Record<WikiTaskState, string> = {
  waiting: 'PENDING',
  running: 'IN PROGRESS',
  done: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCELLED',
}

export const TASK_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

const time = z.iso.datetime().nullable()

export const taskAnswer = z.object({
  id: z.number(),
  wiki: z.string().nullable().describe('Not known before the wiki has answered.'),
  kind: z.string().describe('extract, update, metric…'),
  state: z.enum(Object.values(STATES)),
  status: z.string().describe('The state in a sentence.'),
  result: z.unknown().describe('What came out; null before the end.'),
  error: z.string().nullable(),
  progress: z.object({
    requests: z.number(),
    revisions: z.number(),
    pages: z.number(),
    pagesDone: z.number(),
    missing: z.array(z.string()),
    warnings: z.array(z.string()),
  }),
  failures: z.array(z.object({ page: z.string(), code: z.string() })),
  failed: z.number(),
  queued: z.number().describe('Requests that wait or are out.'),
  arguments: z.record(z.string(), z.unknown()),
  priority: z.number(),
  attempts: z.number(),
  limits: z.record(z.string(), z.unknown()),
  created: time,
  started: time,
  ended: time,
})

type TaskAnswer = z.infer<typeof taskAnswer>

export function taskAnswerOf(task: WikiTaskView): TaskAnswer {
  const { id, wiki, kind, error, failures, failed, queued } = task
  const { arguments: given, priority, attempts, limits } = task
  const { requests, revisions, pages, pagesDone, missing, warnings } = task.progress
  return {
    id,
    wiki,
    kind,
    error,
    failures,
    failed,
    queued,
    priority,
    attempts,
    limits,
    state: STATES[task.state],
    status: statusOf(task),
    result: task.state === 'done' ? resultOf(task) : null,
    progress: { requests, revisions, pages, pagesDone, missing, warnings },
    arguments: given,
    created: timeOf(task.createdAt),
    started: timeOf(task.startedAt),
    ended: timeOf(task.endedAt),
  }
}

function statusOf({ state, kind, progress, error }: WikiTaskView): string {
  if (state === 'failed') return error ?? 'It failed.'
  if (state === 'cancelled') return 'Cancelled.'
  if (state === 'waiting') return 'Pending...'
  if (kind === 'metric') return state === 'done' ? 'Task completed!' : 'Being worked out.'
  return state === 'done' ? 'Task completed!' : `${progress.revisions} revisions extracted`
}

function resultOf({ kind, progress, failed }: WikiTaskView): unknown {
  if (kind === 'metric') return (progress as { result?: unknown }).result ?? null
  const { revisions, pages, missing } = progress
  return { revisions, pages, missing, failed }
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
