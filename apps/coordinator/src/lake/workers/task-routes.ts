/** Tasks and workers over HTTP, read-only: other routes change them. */
import { TASK_STATES, type ListedTask } from '@minga/lake'
import type { LakeTaskPage, LakeTaskView } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { LakeContext } from '../create-lake.ts'
import { lakeCaller } from './lake-caller.ts'
import type { Asked } from '../queries/query-views.ts'

/** Query, stage and task of the last row that was seen. */
const cursor = z
  .string()
  .regex(/^\d{1,15}\.\d{1,9}\.\d{1,9}$/, 'must be the `next` of a page before')
const tasksQuery = z.object({
  state: z.enum(TASK_STATES).optional(),
  kind: z.string().min(1).max(50).optional(),
  worker: z.string().min(1).max(200).optional(),
  query: z.string().min(1).max(200).optional(),
  after: cursor.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const workerParams = z.object({ boot: z.string().min(1).max(200) })
const WORKERS = may('workers:run')

export function taskRoutes(app: FastifyInstance, { access, lake }: LakeContext): void {
  app.get('/tasks', may('queries:read'), async (request): Promise<LakeTaskPage> => {
    const { after, limit: most, ...filter } = tasksQuery.parse(request.query)
    const { owner } = lakeCaller(access, request, 'queries:read')
    const page = await lake.scheduler.tasks({
      ...filter,
      most,
      ...(owner === null ? {} : { owner }),
      ...(after === undefined ? {} : { after: placeOf(after) }),
    })
    const next = page.after && `${page.after.query}.${page.after.stage}.${page.after.task}`
    return { tasks: page.tasks.map(taskView), next }
  })
  app.get('/workers', WORKERS, () => lake.workers.list())
  app.post('/workers/:boot/drain', WORKERS, (request) =>
    lake.workers.drain(workerParams.parse(request.params).boot),
  )
  app.post('/workers/:boot/resume', WORKERS, (request) =>
    lake.workers.resume(workerParams.parse(request.params).boot),
  )
}

function placeOf(text: string): { query: number; stage: number; task: number } {
  const [query, stage, task] = text.split('.').map(Number)
  return { query: query!, stage: stage!, task: task! }
}

function taskView({ ask, boot: _boot, ...task }: ListedTask): LakeTaskView {
  return { ...task, queries: (ask as Asked).queries }
}
