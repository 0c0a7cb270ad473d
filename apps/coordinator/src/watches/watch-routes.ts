/** Subscriptions over HTTP. */
import { WATCH_SUBJECTS } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../access.ts'
import { titleField } from '../accounts/fields.ts'
import type { ApiParts } from '../api-routes.ts'
import { FILE_FORMATS, type FileFormat } from './files/watch-entry.ts'
import { exportWatches, importWatches } from './files/watch-files.ts'
import { GROUPINGS } from './watch-groups.ts'

const idParams = z.object({ id: z.coerce.number().int() })
const codeParams = z.object({ code: z.coerce.number().int() })
const pageQuery = z.object({
  before: z.coerce.number().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const filterQuery = z.object({
  search: z.string().max(1_000).optional(),
  category: z.union([z.literal('none').transform(() => null), z.coerce.number().int()]).optional(),
  state: z.enum(['active', 'inactive', 'running']).optional(),
  subject: z.enum(WATCH_SUBJECTS).optional(),
  owner: z.string().max(100).optional(),
})
const listQuery = filterQuery.extend(pageQuery.shape)
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

export function watchRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { access, watches } = parts
  app.post('/watches', WRITE, (request) =>
    watches.create(access.requireAction(request, 'watches:write'), request.body as never),
  )
  app.get('/watches', READ, (request) => watches.list(listQuery.parse(request.query)))
  app.get('/watches/:id', READ, (request) => watches.view(idParams.parse(request.params).id))
  app.patch('/watches/:id', WRITE, (request) =>
    watches.change(
      access.requireAction(request, 'watches:write'),
      idParams.parse(request.params).id,
      request.body as never,
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
  readingRoutes(app, parts)
  fileRoutes(app, parts)
  categoryRoutes(app, parts)
}

const VERBS = [
  ['pause', false],
  ['resume', true],
] as const

/** What is known of what is watched. */
function readingRoutes(app: FastifyInstance, { watches, store, clock }: ApiParts): void {
  app.get('/watches/:id/trail', READ, (request) =>
    watches.trail(idParams.parse(request.params).id, pageQuery.parse(request.query)),
  )
  app.get('/watches/groups', READ, (request) =>
    store.call('watchGroups', groupQuery.parse(request.query)),
  )
  app.get('/watches/forecast', READ, (request) => {
    const page = limitQuery.parse(request.query)
    return store.call('nextVisits', { id: null, ...page, now: clock.now() })
  })
  for (const { path, operation, query } of OF_ONE) {
    app.get(`/watches/:id/${path}`, READ, async (request) => {
      // A watch that is not there is told from one of which nothing is known.
      const { id } = idParams.parse(request.params)
      await watches.owner(id)
      return store.call(operation, { id, ...query.parse(request.query), now: clock.now() })
    })
  }
}

const OF_ONE = [
  { path: 'forecast', operation: 'nextVisits', query: limitQuery },
  { path: 'urls', operation: 'watchedUrls', query: urlQuery },
  { path: 'visits', operation: 'watchVisits', query: pageQuery },
  { path: 'activity', operation: 'watchActivity', query: daysQuery },
] as const

const MEDIA: Record<FileFormat, string> = {
  opml: 'text/x-opml; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

function fileRoutes(app: FastifyInstance, { access, watches, store }: ApiParts): void {
  app.get('/watches/export', READ, async (request, reply) => {
    const { as, ...asked } = exportQuery.parse(request.query)
    const text = await exportWatches(store, asked, as)
    const name = `attachment; filename="watches.${as}"`
    return reply.type(MEDIA[as]).header('content-disposition', name).send(text)
  })
  app.post('/watches/import', WRITE, (request) =>
    importWatches(
      { store, watches },
      access.requireAction(request, 'watches:write'),
      importBody.parse(request.body),
    ),
  )
}

/** The list of topics is the station's: who answers for policies changes it. */
function categoryRoutes(app: FastifyInstance, { watches, store }: ApiParts): void {
  const CHANGE = may('policies:write')
  app.get('/watches/categories', READ, () => watches.categories())
  app.post('/watches/categories', CHANGE, async (request) => {
    await store.call('addWatchCategory', categoryBody.parse(request.body))
    return watches.categories()
  })
  app.patch('/watches/categories/:code', CHANGE, async (request) => {
    const { code } = codeParams.parse(request.params)
    await store.call('renameWatchCategory', { code, ...renameBody.parse(request.body) })
    return watches.categories()
  })
  app.delete('/watches/categories/:code', CHANGE, async (request) => {
    await store.call('removeWatchCategory', codeParams.parse(request.params))
    return watches.categories()
  })
}
