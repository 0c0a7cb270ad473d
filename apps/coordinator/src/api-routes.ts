/** What programs, the command line and the page ask of a station. */
import type { Store } from '@minga/store'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { requireToken } from './access.ts'
import { writeArchiveIndex } from './archive-index.ts'
import { findPlace, readContent } from './capture-content.ts'
import { importWarc } from './import-warc.ts'
import { liveRoutes, type LiveEvents } from './live-events.ts'
import type { Pipeline } from './pipeline.ts'
import type { StationTokens } from './station-file.ts'

export interface ApiParts {
  pipeline: Pipeline
  store: Store
  data: string
  tokens: StationTokens
  userAgent: string
  allowPrivateAddresses: boolean
  hostNames: ReadonlySet<string>
  live: LiveEvents
  /** Aborts when the station closes: long polls end at once. */
  closing: AbortSignal
}

const idParams = z.object({ id: z.coerce.number().int() })
const captureQuery = z.object({
  url: z.string().optional(),
  collectionId: z.coerce.number().int().optional(),
  afterId: z.coerce.number().int().optional(),
  afterAt: z.coerce.number().int().optional(),
  newest: z.stringbool().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
})
const placeQuery = z.object({ url: z.string(), at: z.coerce.number().nullable().default(null) })
const contentQuery = placeQuery.extend({
  form: z.enum(['body', 'raw', 'headers']).default('body'),
})
const importBody = z.object({ file: z.string().min(1) })
const HOSTS_MAX = 500

export function apiRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { pipeline, store } = parts
  app.addHook('onRequest', async (request) => {
    if (request.method !== 'GET') requireToken(request, parts.tokens.apiKey, 'Writing')
  })

  liveRoutes(app, parts.live, parts.closing)
  app.get('/collections', () => pipeline.statuses())
  app.get('/collections/:id', (request) => pipeline.status(idParams.parse(request.params).id))
  app.get('/collections/:id/hosts', (request) =>
    store.call('listHosts', {
      collectionId: idParams.parse(request.params).id,
      limit: HOSTS_MAX,
    }),
  )
  app.post('/collections', (request) => pipeline.collect(request.body as never))
  for (const [verb, state] of VERBS) {
    app.post(`/collections/:id/${verb}`, (request) =>
      pipeline.setState(idParams.parse(request.params).id, state),
    )
  }

  app.get('/captures', (request) => {
    const { newest, ...query } = captureQuery.parse(request.query)
    return store.call('listCaptures', { ...query, newestFirst: newest ?? false })
  })
  app.get('/captures/content', async (request, reply) => {
    const content = await readContent(parts, contentQuery.parse(request.query))
    return reply.headers(content.headers).send(content.body)
  })
  app.get('/captures/place', (request) => findPlace(parts, placeQuery.parse(request.query)))
  app.get('/archive/facts', () => store.call('archiveFacts', {}))
  app.post('/archive/index', () => writeArchiveIndex(store, parts.data))
  app.post('/archive/import', (request) => importWarc(parts, importBody.parse(request.body).file))
}

const VERBS = [
  ['pause', 'paused'],
  ['resume', 'running'],
  ['cancel', 'cancelled'],
] as const
