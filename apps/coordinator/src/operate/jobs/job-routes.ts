/** One list of everything that works in the background, for each reader what they may see of it. */
import type { Action } from '@minga/fleet'
import {
  JOB_KINDS,
  JOB_STATES,
  type JobAct,
  type JobKind,
  type JobPage,
  type JobState,
  type JobView,
} from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, type Access, type RouteContext } from '../../accounts/access.ts'
import type { JobCursor, JobRow, JobsAsked } from './job-rows.ts'

const jobsQuery = z.object({
  kind: z.enum(JOB_KINDS).optional(),
  state: z.enum(JOB_STATES).optional(),
  /** The `next` of the page before. */
  after: z
    .string()
    .max(300)
    .regex(/^\d{1,16}\.\d{1,2}\..+$/, 'must be the `next` of a page before')
    .optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})

/** By which right each kind is seen; what is seen everywhere is seen here. */
const SEEN_BY: Record<JobKind, Action> = {
  collection: 'collections:read',
  query: 'queries:read',
  wiki: 'captures:read',
  harvest: 'watches:read',
  batch: 'requests:read',
  'load-test': 'load-tests:read',
  neutrality: 'neutrality:read',
  delivery: 'watches:write',
  takedown: 'archive:takedown',
  map: 'settings:read',
  extract: 'collections:read',
  sweep: 'collections:read',
  exchange: 'federation:read',
}

interface Acts {
  right: Action
  in: Partial<Record<JobState, readonly JobAct[]>>
}

/** What can be done to a job, by the verbs of its own kind. */
const ACTS: Partial<Record<JobKind, Acts>> = {
  collection: {
    right: 'collections:write',
    in: { running: ['pause', 'cancel'], paused: ['resume', 'cancel'] },
  },
  query: {
    right: 'queries:run',
    in: { waiting: ['cancel'], running: ['cancel'], failed: ['retry'], cancelled: ['retry'] },
  },
  wiki: {
    right: 'collections:write',
    in: { waiting: ['cancel'], running: ['cancel'], failed: ['retry'], cancelled: ['retry'] },
  },
  harvest: {
    right: 'watches:write',
    in: { waiting: ['cancel'], running: ['pause', 'cancel'], paused: ['resume', 'cancel'] },
  },
  batch: { right: 'requests:send', in: { waiting: ['cancel'], running: ['cancel'] } },
  'load-test': { right: 'load-tests:write', in: { running: ['cancel'] } },
}

export function jobRoutes(app: FastifyInstance, { access }: RouteContext): void {
  app.get('/jobs', may('queries:read'), async (request): Promise<JobPage> => {
    const { kind, state, after, limit } = jobsQuery.parse(request.query)
    const asked: JobsAsked = {
      sees: jobsSeenBy(access, request, kind === undefined ? JOB_KINDS : [kind]),
      limit: limit + 1,
      ...(state === undefined ? {} : { state }),
      ...(after === undefined ? {} : { after: cursorIn(after) }),
    }
    const found = await access.storeFor(request).call('listJobs', asked)
    const rows = found.slice(0, limit)
    const next = found.length > limit ? textOf(rows.at(-1)!) : null
    return { jobs: rows.map((row) => viewOf(access, request, row)), next }
  })
}

export function jobsSeenBy(
  access: Access,
  request: FastifyRequest,
  kinds: readonly JobKind[],
): JobsAsked['sees'] {
  const seen = kinds.filter((kind) => access.hasRight(request, SEEN_BY[kind]))
  return Object.fromEntries(
    seen.map((kind) => {
      const { accountId, reach } = access.requireAction(request, SEEN_BY[kind])
      // Requests are their sender's alone, here as everywhere.
      return [kind, reach === 'all' && kind !== 'batch' ? null : accountId]
    }),
  )
}

function cursorIn(text: string): JobCursor {
  const [at, rank, ...id] = text.split('.')
  return { at: Number(at), kind: JOB_KINDS[Number(rank)] ?? JOB_KINDS[0], id: id.join('.') }
}

function textOf({ at, kind, id }: JobRow): string {
  return `${at}.${JOB_KINDS.indexOf(kind)}.${id}`
}

function viewOf(access: Access, request: FastifyRequest, { owner, ...job }: JobRow): JobView {
  const acts = ACTS[job.kind]
  if (acts === undefined || !access.hasRight(request, acts.right)) return { ...job, acts: [] }
  const { accountId, reach } = access.requireAction(request, acts.right)
  const isTheirs = reach === 'all' || owner === accountId
  return { ...job, acts: isTheirs ? [...(acts.in[job.state] ?? [])] : [] }
}
