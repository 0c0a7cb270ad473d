/**
 * What workers call. They show the station's own token for workers, which is in station.json, or an API key that has
 * the right; they speak of one task at a time by its lease.
 */
import { timingSafeEqual } from 'node:crypto'
import { secretHash } from '@minga/fleet'
import { workerMessages, workerNotes, type LakeTaskPage, type LakeTaskView } from '@minga/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { TASK_STATES, type ListedTask } from '@minga/lake'
import { may } from '../../accounts/access.ts'
import type { LakeContext } from '../create-lake.ts'
import type { StationTokens } from '../../station/station-file.ts'
import { NoSuchResult, UploadOffset } from '../lake-errors.ts'
import { sendFile } from '../uploads/send-file.ts'
import { acceptBytes, bytesOf, digestIn } from '../uploads/upload-routes.ts'
import type { Asked } from '../queries/query-views.ts'
import { lakeCaller } from './lake-caller.ts'

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

/** Tasks and workers over HTTP, read-only: other routes change them. */
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

const WORK = may('workers:run')
const FILE_TYPE = 'application/octet-stream'
/** K's parts are smaller. */
const PART_BYTES_MAX = 16 * 1024 * 1024

const leaseQuery = z.object({
  query: z.string().min(1).max(200),
  stage: z.string().min(1).max(200),
  index: z.coerce.number().int().min(0),
  fence: z.coerce.number().int().min(0),
})
const outsideQuery = leaseQuery.extend({ path: z.string().min(1).max(4_096) })
const partQuery = leaseQuery.extend({
  offset: z.coerce.number().int().min(0),
  total: z.coerce.number().int().min(0),
})
const fileParams = z.object({ '*': z.string().min(1).max(1_000) })
const endedBody = z.object({ boot: z.string().min(1).max(200) })

type WorkerContext = LakeContext & { tokens: StationTokens }

export function workerRoutes(app: FastifyInstance, context: WorkerContext): void {
  const { access, tokens, lake } = context
  app.addHook('onRequest', async (request) => {
    if (showsToken(request, tokens.workerToken)) request.becomesKnown?.()
    else await access.meet(request)
  })
  acceptBytes(app)
  app.post('/lease', WORK, (request, reply) => {
    const asking = { ...workerMessages.lease.parse(request.body), address: request.ip }
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    return lake.workers.lease(asking, gone.signal)
  })
  app.post('/beat', WORK, (request) => {
    const { tasks, ...who } = workerMessages.beat.parse(request.body)
    return lake.workers.beat({ ...who, address: request.ip }, tasks)
  })
  app.post('/commit', WORK, (request) => {
    const { done, worker: _worker, ...id } = workerMessages.commit.parse(request.body)
    return lake.workers.commit(id, done)
  })
  app.post('/fail', WORK, async (request) => {
    const { error, ...id } = workerMessages.fail.parse(request.body)
    const { sql, ...rest } = error
    await lake.workers.fail(id, { ...rest, ...(sql === undefined ? {} : { sql }) })
    return {}
  })
  app.post('/return', WORK, async (request) => {
    await lake.workers.giveBack(workerMessages.return.parse(request.body))
    return {}
  })
  app.post('/ended', WORK, async (request) => {
    await lake.workers.ended(endedBody.parse(request.body).boot)
    return {}
  })
  app.post('/notes', WORK, async (request) => {
    const { notes } = workerNotes.parse(request.body)
    // Of a clock that runs ahead, nothing is from the future.
    const now = context.clock.now()
    const events = notes.map((note) => ({ ...note, at: Math.min(note.at, now) }))
    await context.store.call('appendEvents', { events })
    return {}
  })
  fileRoutes(app, context)
}

function fileRoutes(app: FastifyInstance, { lake }: WorkerContext): void {
  const nameOf = (request: FastifyRequest): string => fileParams.parse(request.params)['*']
  app.get('/files/*', WORK, async (request, reply) => {
    const path = await lake.workers.readable(leaseQuery.parse(request.query), nameOf(request))
    return sendOrMiss(request, reply, path)
  })
  app.get('/outside', WORK, async (request, reply) => {
    const { path, ...id } = outsideQuery.parse(request.query)
    return sendOrMiss(request, reply, await lake.workers.readableOutside(id, path))
  })
  app.put('/files/*', { ...WORK, bodyLimit: PART_BYTES_MAX }, async (request, reply) => {
    const { offset, total, ...id } = partQuery.parse(request.query)
    const part = { offset, total, bytes: bytesOf(request), digest: digestIn(request) }
    try {
      return await lake.workers.receive(id, nameOf(request), part)
    } catch (error) {
      if (!(error instanceof UploadOffset)) throw error
      const { code, message, received } = error
      return reply.status(409).send({ received, error: { code, message } })
    }
  })
  app.delete('/files/*', WORK, async (request) => {
    await lake.workers.drop(leaseQuery.parse(request.query), nameOf(request))
    return {}
  })
}

async function sendOrMiss(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<FastifyReply> {
  const sent = await sendFile(request, reply, { path, type: FILE_TYPE })
  if (sent === null) throw NoSuchResult.file()
  return sent
}

function showsToken({ headers }: FastifyRequest, token: string): boolean {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer === undefined) return false
  return timingSafeEqual(Buffer.from(secretHash(bearer)), Buffer.from(secretHash(token)))
}
