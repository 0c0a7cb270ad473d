/** Extractions and other tasks: started, viewed, changed. */
import {
  wikiLimitChanges,
  type WikiLimits,
  type WikiRequest,
  type WikiTaskState,
  type WikiTaskView,
} from '@minga/protocol'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { WikiContext } from '../wiki-service.ts'
import { ForeignBrowser } from '../../station/errors.ts'
import { originOf } from '../../station/station-origin.ts'
import { NoSuchWikiTask } from '../errors.ts'
import { seenWikis } from '../seen-wikis.ts'
import { PAGE_SIZE, PAGE_SIZE_MAX } from './list-query.ts'
import { paramOf, type V1Call, type V1Route } from './v1-route.ts'

/** The words of the first version of this API. */
const STATES: Record<WikiTaskState, string> = {
  waiting: 'PENDING',
  running: 'IN PROGRESS',
  done: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCELLED',
}

/** Tasks as this API tells them. */
const TASK_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

const time = z.iso.datetime().nullable()

const taskAnswer = z.object({
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

function taskAnswerOf(task: WikiTaskView): TaskAnswer {
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

const extractFields = z.object({
  title: z.string().min(1).max(2_000).optional().describe('Title of the page.'),
  url: z.string().min(1).max(8_192).optional().describe('Address of the page, in any form.'),
  locale: z.string().max(20).optional().describe('Language of the wiki, for a title; as in es.'),
  pageid: z.coerce.number().int().positive().optional().describe('Number of the page.'),
  wiki: z.string().max(2_000).optional().describe('A wiki that is kept here, for a title.'),
})
const extractQuery = extractFields
  .refine(({ title, url, pageid }) => (title ?? url ?? pageid) !== undefined, {
    error: 'give the title of a page, its url or its pageid',
  })
  .refine(({ title, url }) => title === undefined || url === undefined, {
    error: 'give either a title or a url',
  })
const tasksQuery = z.object({
  wiki: z.string().optional(),
  kind: z.enum(['extract', 'update', 'import', 'metric']).optional(),
  state: z.enum(TASK_STATES).optional(),
  page_size: z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE),
  cursor: z.coerce.number().int().optional().describe('Only tasks with a lower number.'),
})
const statusQuery = z.object({ name: z.string().optional().describe('Of the former API; unused.') })
const ofTask = z.object({ id: z.string() })
const changeBody = z.object({
  priority: z.number().int().min(-1_000).max(1_000).optional(),
  limits: wikiLimitChanges.optional(),
})

const placeAnswer = z.object({ Location: z.string().describe('Where its progress is.') })
const scheduleAnswer = z.object({
  wikis: z.array(
    z.object({
      wiki: z.string(),
      isOn: z.boolean(),
      nextPollAt: z.iso.datetime(),
      nextSweepAt: z.iso.datetime(),
      days: z.array(
        z.object({
          day: z.string(),
          calls: z.number().describe('Requests made to keep the wiki fresh.'),
          ruleCalls: z.number().nullable().describe('Requests that the baseline rule makes.'),
          saved: z.number().nullable(),
        }),
      ),
    }),
  ),
  total: z.object({ calls: z.number(), ruleCalls: z.number(), saved: z.number() }),
})

export function taskRoutes(context: WikiContext): V1Route[] {
  return [...extractRoutes(context), ...listRoutes(context), ...changeRoutes(context)]
}

function extractRoutes(context: WikiContext): V1Route[] {
  const common = {
    path: '/extract',
    action: 'collections:write',
    query: extractFields,
    status: 202,
    answer: placeAnswer,
    run: (call: V1Call) => extract(context, call),
  } as const
  return [
    { ...common, method: 'GET', summary: 'Extract the whole history of a page.' },
    { ...common, method: 'POST', summary: 'The same, by JSON or parameters.', body: extractQuery },
  ]
}

async function extract(context: WikiContext, call: V1Call): Promise<unknown> {
  const { request } = call
  // A GET that does something: a page elsewhere could make a browser send it with the reader's cookie.
  const isBySession = request.headers.authorization === undefined && request.headers.cookie
  if (request.method !== 'POST' && isBySession) throw ForeignBrowser.byCookie()
  const { accountId } = context.access.requireAction(request, 'collections:write')
  const body = z.object({}).loose().nullish().parse(request.body)
  const asked = extractQuery.parse({ ...call.given, ...body })
  const { id } = await context.wikis.add(await wikiRequestOf(context, asked), { owner: accountId })
  return accepted(context, call, id)
}

async function wikiRequestOf(
  { revisions }: WikiContext,
  { title, url, locale, pageid, wiki }: z.infer<typeof extractQuery>,
): Promise<WikiRequest> {
  const pageIds = pageid === undefined ? [] : [pageid]
  if (wiki === undefined) return { address: url ?? title ?? '', locale: locale ?? null, pageIds }
  const { apiUrl, site } = await revisions.wiki(wiki)
  const address = apiUrl ?? site.base
  return { address, pageIds, pages: title === undefined || pageid !== undefined ? [] : [title] }
}

/** 202 at once: where the progress can be asked for, in the body as formerly and in the header as usual. */
export function accepted(context: WikiContext, { request, reply }: V1Call, id: number): object {
  const location = `${originOf(request, context)}/api/v1/status/${id}`
  void reply.status(202).header('location', location)
  return { Location: location }
}

function listRoutes(context: WikiContext): V1Route[] {
  const { wikis, access, revisions } = context
  return [
    {
      method: 'GET',
      path: '/status/:id',
      summary: 'How far a task is, and what came out.',
      action: 'captures:read',
      query: statusQuery,
      params: ofTask,
      status: 200,
      answer: taskAnswer,
      run: async (call) =>
        taskAnswerOf(await wikis.task(idIn(call), access.storeFor(call.request))),
    },
    {
      method: 'GET',
      path: '/tasks',
      summary: 'Tasks with state, arguments, timings and attempts, newest first.',
      action: 'captures:read',
      query: tasksQuery,
      status: 200,
      answer: z.array(taskAnswer),
      run: async ({ request, reply, given }) => {
        const store = access.storeFor(request)
        const { wiki, kind, state, page_size: limit, cursor } = tasksQuery.parse(given)
        const which = {
          ...(wiki === undefined ? {} : { wikiId: (await revisions.wiki(wiki)).wikiId }),
          ...(kind === undefined ? {} : { kind }),
          ...(state === undefined ? {} : { states: [state] }),
          ...(cursor === undefined ? {} : { before: cursor }),
        }
        const tasks = await store.call('wikiTaskViews', { ...which, limit })
        const last = tasks.length === limit ? tasks.at(-1) : undefined
        if (last !== undefined) void reply.header('x-next-cursor', last.id)
        return tasks.map(taskAnswerOf)
      },
    },
    {
      method: 'GET',
      path: '/schedule',
      summary:
        'When wikis are polled next, and the requests saved compared with the baseline rule.',
      action: 'captures:read',
      query: z.object({}),
      status: 200,
      answer: scheduleAnswer,
      run: ({ request }) => scheduleOf(context, request),
    },
  ]
}

async function scheduleOf(
  { access, wikis }: WikiContext,
  request: FastifyRequest,
): Promise<z.infer<typeof scheduleAnswer>> {
  const views = await seenWikis(access, request, await wikis.schedule())
  const days = views.flatMap((view) => view.days).filter(({ ruleCalls }) => ruleCalls !== null)
  const sum = (of: (day: (typeof days)[number]) => number): number =>
    days.reduce((total, day) => total + of(day), 0)
  return {
    wikis: views.map((view) => ({
      ...view,
      nextPollAt: new Date(view.nextPollAt).toISOString(),
      nextSweepAt: new Date(view.nextSweepAt).toISOString(),
    })),
    total: {
      calls: sum(({ calls }) => calls),
      ruleCalls: sum(({ ruleCalls }) => ruleCalls ?? 0),
      saved: sum(({ saved }) => saved ?? 0),
    },
  }
}

function changeRoutes({ access, wikis }: WikiContext): V1Route[] {
  const own = async (call: V1Call): Promise<number> => {
    const id = idIn(call)
    await wikis.requireOwner(id, access.ownerFor(call.request, 'collections:write'))
    return id
  }
  const common = {
    action: 'collections:write',
    query: z.object({}),
    params: ofTask,
    status: 200,
    answer: taskAnswer,
  } as const
  return [
    {
      ...common,
      method: 'POST',
      path: '/tasks/:id/cancel',
      summary: 'End a task; what came is kept.',
      run: async (call) => taskAnswerOf(await wikis.cancel(await own(call))),
    },
    {
      ...common,
      method: 'POST',
      path: '/tasks/:id/retry',
      summary: 'Do a task once more, as far as there is something to do.',
      run: async (call) => taskAnswerOf(await wikis.retry(await own(call))),
    },
    {
      ...common,
      method: 'PATCH',
      path: '/tasks/:id',
      summary: 'Change the turn of a task, or its limits.',
      body: changeBody,
      run: async (call) => {
        const id = await own(call)
        const { priority, limits } = changeBody.parse(call.request.body)
        if (priority !== undefined) await wikis.reorder(id, priority)
        if (limits !== undefined) await wikis.limit(id, givenOf(limits))
        return taskAnswerOf(await wikis.task(id))
      },
    },
  ]
}

function givenOf(limits: z.infer<typeof wikiLimitChanges>): Partial<WikiLimits> {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

/** Whatever is no number is no task's. */
function idIn(call: V1Call): number {
  const text = paramOf(call, 'id')
  if (!/^\d{1,15}$/.test(text)) throw new NoSuchWikiTask(text.slice(0, 60))
  return Number(text)
}
