/** Subscriptions over HTTP. */
import { WATCH_SUBJECTS, watchChanges, watchRequest } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../accounts/access.ts'
import { titleField } from '../accounts/fields.ts'
import type { WatchContext } from './watch-context.ts'
import { FILE_FORMATS, type FileFormat } from './files/watch-entry.ts'
import { exportWatches, importWatches } from './files/watch-files.ts'
import { GROUPINGS } from './watch-rows.ts'
import { WATCH_SORTS } from './watch-list.ts'
import { ASKED, type HarvestVerb } from './visits/harvests.ts'
import type { Round } from './visits/visit-scheduler.ts'

const roundBody = z.object({ ids: z.array(z.number().int()).max(10_000).nullable().default(null) })
const roundQuery = z.object({
  startedAt: z.coerce.number().int(),
  ids: z
    .string()
    .optional()
    .transform((text) => (text === undefined ? null : text.split(',').map(Number))),
})
const HARVEST_VERBS: readonly HarvestVerb[] = ['pause', 'resume', 'cancel']

/** Rounds and harvests over HTTP. */
export function visitRoutes(
  app: FastifyInstance,
  { access, visitScheduler, store }: WatchContext,
): void {
  app.post('/watches/run', WRITE, (request): Promise<Round> => {
    const { ids } = roundBody.parse(request.body ?? {})
    const { accountId: by } = access.requireAction(request, 'watches:write')
    return visitScheduler.startRound({ ids, owner: access.ownerFor(request, 'watches:write'), by })
  })
  app.get('/watches/run', READ, (request) => {
    const { startedAt, ids } = roundQuery.parse(request.query)
    return store.call('roundState', { since: startedAt, collections: ids })
  })
  app.get('/watches/:id/versions', READ, (request) =>
    store.call('watchVersions', { collectionId: idParams.parse(request.params).id }),
  )
  app.post('/watches/:id/harvest', WRITE, async (request) => {
    const { id } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'watches:write')
    return { number: await visitScheduler.harvest({ id, owner }, ASKED) }
  })
  for (const verb of HARVEST_VERBS) {
    app.post(`/watches/:id/harvest/${verb}`, WRITE, async (request) => {
      const { id } = idParams.parse(request.params)
      await visitScheduler.steer({ id, owner: access.ownerFor(request, 'watches:write') }, verb)
      return store.call('watchVersions', { collectionId: id })
    })
  }
}

const regionBody = z.object({ url: z.string().min(1).max(8_192), region: z.number().int().min(0) })

/** The ignored regions of a watch over HTTP. */
export function noiseRoutes(app: FastifyInstance, { access, store, watches }: WatchContext): void {
  app.get('/watches/:id/noise', READ, async (request) => {
    const { id } = idParams.parse(request.params)
    await watches.owner(id)
    return store.call('watchNoise', { id })
  })
  app.post('/watches/:id/noise/restore', WRITE, async (request) => {
    const { id } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'watches:write')
    const region = regionBody.parse(request.body)
    return store.call('restoreNoise', { id, owner, ...region })
  })
  app.post('/watches/:id/noise/forget', WRITE, async (request) => {
    const { id } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'watches:write')
    return store.call('forgetAllNoise', { id, owner })
  })
}

const idParams = z.object({ id: z.coerce.number().int() })
const codeParams = z.object({ code: z.coerce.number().int() })
const pageQuery = z.object({
  before: z.coerce.number().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
/** Of everything that was visited, or without feeds and sitemaps. */
const visitQuery = pageQuery.extend({ of: z.enum(['all', 'pages']).default('all') })
const filterQuery = z.object({
  search: z.string().max(1_000).optional(),
  category: z.union([z.literal('none').transform(() => null), z.coerce.number().int()]).optional(),
  state: z.enum(['active', 'inactive', 'running']).optional(),
  subject: z.enum(WATCH_SUBJECTS).optional(),
  owner: z.string().max(100).optional(),
})
const listQuery = filterQuery.extend(pageQuery.shape)
const pageCursor = z.tuple([z.union([z.string(), z.number()]), z.number().int()])
const pagedQuery = filterQuery.extend({
  trouble: z.enum(['unread', 'failing']).optional(),
  group: z.enum(['high', 'medium', 'low']).optional(),
  sort: z.enum(WATCH_SORTS).default('newest'),
  descending: z.stringbool().default(true),
  after: z
    .string()
    .max(1_000)
    .transform((text, context) => {
      const found = pageCursor.safeParse(parsed(text))
      if (found.success) return found.data
      context.addIssue('is not where an earlier page ended')
      return z.NEVER
    })
    .nullable()
    .default(null),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})
const seenBody = z.object({ ids: z.array(z.number().int()).max(10_000).nullable().default(null) })
const nextVisitBody = z.object({ at: z.number().int().min(0) })
const exportQuery = filterQuery.extend({ as: z.enum(FILE_FORMATS).default('json') })
const importBody = z.object({ as: z.enum(FILE_FORMATS), text: z.string() })
const groupQuery = z.object({ by: z.enum(GROUPINGS).default('category') })
const limitQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) })
const urlQuery = limitQuery.extend({ after: z.string().max(8_192).default('') })
const daysQuery = z.object({ days: z.coerce.number().int().min(1).max(3_660).default(30) })
const removeQuery = z.object({ withCaptures: z.stringbool().default(false) })
const categoryBody = z.object({ code: z.number().int().min(0).max(1_000_000), name: titleField })
const renameBody = categoryBody.pick({ name: true })

const READ = may('watches:read')
const WRITE = may('watches:write')

export function watchRoutes(app: FastifyInstance, context: WatchContext): void {
  const { access, watches, store } = context
  app.post('/watches', WRITE, (request) =>
    watches.create(
      access.requireAction(request, 'watches:write'),
      watchRequest.parse(request.body),
    ),
  )
  app.get('/watches', READ, (request) =>
    access.storeFor(request).call('listWatches', listQuery.parse(request.query)),
  )
  app.get('/watches/:id', READ, (request) =>
    store.call('watchDetail', idParams.parse(request.params)),
  )
  app.patch('/watches/:id', WRITE, (request) =>
    watches.change(
      access.requireAction(request, 'watches:write'),
      idParams.parse(request.params).id,
      watchChanges.parse(request.body),
    ),
  )
  app.post('/watches/:id/next-visit', WRITE, (request) =>
    watches.setNextVisit(
      access.requireAction(request, 'watches:write'),
      idParams.parse(request.params).id,
      nextVisitBody.parse(request.body).at,
    ),
  )
  for (const [verb, isActive] of VERBS) {
    app.post(`/watches/:id/${verb}`, WRITE, (request) =>
      watches.change(
        access.requireAction(request, 'watches:write'),
        idParams.parse(request.params).id,
        { isActive },
      ),
    )
  }
  app.post('/watches/:id/undo', WRITE, (request) =>
    watches.undo(access.requireAction(request, 'watches:write'), idParams.parse(request.params).id),
  )
  app.delete('/watches/:id', WRITE, (request) =>
    watches.remove(
      access.requireAction(request, 'watches:write'),
      idParams.parse(request.params).id,
      removeQuery.parse(request.query).withCaptures,
    ),
  )
  pagedRoutes(app, context)
  readingRoutes(app, context)
  fileRoutes(app, context)
  categoryRoutes(app, context)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The days by which groups are formed. */
const GROUP_DAYS = 365

/** The list of the page, with what its reader has not seen. */
function pagedRoutes(app: FastifyInstance, context: WatchContext): void {
  const { access, clock, watchMetrics } = context
  app.get('/watches/list', READ, async (request) => {
    const store = access.storeFor(request)
    const { group, descending: isDescending, ...query } = pagedQuery.parse(request.query)
    const account = access.callerOf(request)?.accountId ?? null
    const asked = { ...query, isDescending, account }
    if (group === undefined) return store.call('watchPage', asked)
    const { watches } = await watchMetrics.groups({ days: GROUP_DAYS })
    const ids = watches.filter((watch) => watch.group === group).map(({ id }) => id)
    return store.call('watchPage', { ...asked, ids })
  })
  app.post('/watches/seen', READ, async (request) => {
    const { accountId: account } = access.requireCaller(request, 'Marking news as read')
    const { ids } = seenBody.parse(request.body ?? {})
    return { seen: await context.store.call('markSeen', { account, ids, now: clock.now() }) }
  })
}

const VERBS = [
  ['pause', false],
  ['resume', true],
] as const

/** What is known of what is watched. */
function readingRoutes(
  app: FastifyInstance,
  { access, watches, store, clock }: WatchContext,
): void {
  app.get('/watches/:id/trail', READ, (request) =>
    watches.trail(idParams.parse(request.params).id, pageQuery.parse(request.query)),
  )
  app.get('/watches/groups', READ, (request) =>
    access.storeFor(request).call('watchGroups', groupQuery.parse(request.query)),
  )
  app.get('/watches/forecast', READ, (request) => {
    const page = limitQuery.parse(request.query)
    return access.storeFor(request).call('nextVisits', { id: null, ...page, now: clock.now() })
  })
  /** A missing watch gets another answer than one without data. */
  const idOf = async (request: FastifyRequest): Promise<number> => {
    const { id } = idParams.parse(request.params)
    await watches.owner(id)
    return id
  }
  app.get('/watches/:id/forecast', READ, async (request) => {
    const page = limitQuery.parse(request.query)
    return store.call('nextVisits', { id: await idOf(request), ...page, now: clock.now() })
  })
  app.get('/watches/:id/urls', READ, async (request) => {
    const page = urlQuery.parse(request.query)
    return store.call('watchedUrls', { id: await idOf(request), ...page, now: clock.now() })
  })
  app.get('/watches/:id/visits', READ, async (request) => {
    const page = visitQuery.parse(request.query)
    return store.call('watchVisits', { id: await idOf(request), ...page })
  })
  app.get('/watches/:id/activity', READ, async (request) => {
    const span = daysQuery.parse(request.query)
    return store.call('watchActivity', { id: await idOf(request), ...span, now: clock.now() })
  })
}

const MEDIA: Record<FileFormat, string> = {
  opml: 'text/x-opml; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

function fileRoutes(app: FastifyInstance, { access, watches, store, clock }: WatchContext): void {
  app.get('/watches/export', READ, async (request, reply) => {
    const { as, ...asked } = exportQuery.parse(request.query)
    const text = await exportWatches(access.storeFor(request), asked, as)
    const name = `attachment; filename="watches.${as}"`
    return reply.type(MEDIA[as]).header('content-disposition', name).send(text)
  })
  app.post('/watches/import', WRITE, (request) =>
    importWatches(
      { store, watches, clock },
      access.requireAction(request, 'watches:write'),
      importBody.parse(request.body),
    ),
  )
}

/** The list of topics is the station's: who answers for policies changes it. */
function categoryRoutes(app: FastifyInstance, { store }: WatchContext): void {
  const CHANGE = may('policies:write')
  app.get('/watches/categories', READ, () => store.call('watchCategories', {}))
  app.post('/watches/categories', CHANGE, async (request) => {
    await store.call('addWatchCategory', categoryBody.parse(request.body))
    return store.call('watchCategories', {})
  })
  app.patch('/watches/categories/:code', CHANGE, async (request) => {
    const { code } = codeParams.parse(request.params)
    await store.call('renameWatchCategory', { code, ...renameBody.parse(request.body) })
    return store.call('watchCategories', {})
  })
  app.delete('/watches/categories/:code', CHANGE, async (request) => {
    await store.call('removeWatchCategory', codeParams.parse(request.params))
    return store.call('watchCategories', {})
  })
}
