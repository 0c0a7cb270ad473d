/** Collections over HTTP: lists of them and of what belongs to them, and what people do with them. */
import {
  COLLECTION_OUTCOMES,
  SCOPES,
  collectionChange,
  collectionRequest,
  collectionStart,
} from '@minga/protocol'
import type { Store } from '@minga/store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, mayOrPublic, type Access, type RouteContext } from '../accounts/access.ts'
import type { CollectionService } from './collection-service.ts'
import { SORTS } from './collection-list.ts'
import { HOST_SORTS, HOST_STATES } from './collection-hosts.ts'
import type { Operations } from '../station/station-operations.ts'

const READ = 'collections:read'
const WRITE = 'collections:write'

const idParams = z.object({ id: z.coerce.number().int() })
const HOSTS_MAX = 500

/** `a,b` as a list. */
const several = <T>(one: z.ZodType<T, string>) =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(one).max(20))

/** `-name` is the other way round. */
const sorted = <K extends string>(names: readonly K[], first: K | `-${K}`) =>
  z
    .string()
    .default(first)
    .transform((text) => ({ sort: text.replace(/^-/, ''), isDescending: text.startsWith('-') }))
    .pipe(z.object({ sort: z.enum(names as [K, ...K[]]), isDescending: z.boolean() }))

const pageFields = {
  q: z.string().max(1_000).optional(),
  cursor: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
}
const outcomeFilter = { outcome: several(z.enum(COLLECTION_OUTCOMES)) }
const listQuery = z.object({
  ...pageFields,
  ...outcomeFilter,
  state: several(z.enum(['running', 'paused', 'finished', 'cancelled'])),
  kind: several(z.enum(['crawl', 'watch', 'requests', 'audits', 'wiki'])),
  owner: z.string().max(200).optional(),
  sort: sorted(Object.keys(SORTS) as (keyof typeof SORTS)[], '-id'),
})
const hostQuery = z.object({
  ...pageFields,
  state: several(z.enum(HOST_STATES)),
  sort: sorted(Object.keys(HOST_SORTS) as (keyof typeof HOST_SORTS)[], '-queued'),
})
const captureQuery = z.object({
  ...pageFields,
  status: several(z.enum(['1', '2', '3', '4', '5']).transform(Number)),
  type: several(z.string().regex(/^[\w.+/-]{1,60}$/)),
})
const trailQuery = z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) })
const URLS_MOST = 1_000
const previewBody = z.object({
  request: z.looseObject({ seeds: z.array(z.string()), scope: z.enum(SCOPES).optional() }),
  urls: z.array(z.string().max(8_192)).max(URLS_MOST).default([]),
  page: z.string().min(1).max(8_192).optional(),
})
const checkBody = z.object({ seeds: z.array(z.string().max(8_192)).min(1).max(100) })

const VERBS = [
  ['pause', 'paused'],
  ['resume', 'running'],
  ['cancel', 'cancelled'],
] as const

type CollectionContext = RouteContext & { collectionService: CollectionService }

export function collectionRoutes(app: FastifyInstance, context: CollectionContext): void {
  listRoutes(app, context)
  const { access, collectionService: service } = context
  app.post('/collections', may(WRITE), (request) => {
    const { accountId, reach } = access.requireAction(request, WRITE)
    return service.start(collectionStart.parse(request.body), { owner: accountId, reach })
  })
  app.post('/collections/existing', may(WRITE), (request) => {
    const { accountId, reach } = access.requireAction(request, WRITE)
    return service.findExisting(collectionRequest.parse(request.body), { owner: accountId, reach })
  })
  for (const [verb, state] of VERBS) {
    app.post(`/collections/:id/${verb}`, may(WRITE), (request) =>
      service.setState(idOf(request), { state, owner: access.ownerFor(request, WRITE) }),
    )
  }
  app.patch('/collections/:id', may(WRITE), (request) =>
    service.change(idOf(request), collectionChange.parse(request.body), changerOf(access, request)),
  )
  app.post('/collections/:id/undo', may(WRITE), (request) =>
    service.undo(idOf(request), changerOf(access, request)),
  )
  app.post('/collections/:id/stop', may(WRITE), (request) =>
    service.stop(idOf(request), access.ownerFor(request, WRITE)),
  )
  app.post('/collections/:id/discard', may(WRITE), (request) =>
    service.discard(idOf(request), access.ownerFor(request, WRITE)),
  )
  app.post('/collections/:id/rerun', may(WRITE), (request) => {
    const { accountId, reach } = access.requireAction(request, WRITE)
    return service.rerun(idOf(request), { owner: accountId, reach })
  })
  // Both are for a user who is about to collect: one reads captures, the other sends an agent.
  app.post('/collections/preview', may(WRITE), (request) => {
    const { request: wanted, ...body } = previewBody.parse(request.body)
    if (body.page !== undefined) access.requireAction(request, 'captures:read')
    const by = access.requireAction(request, WRITE)
    return service.preview({ ...body, request: wanted }, access.storeFor(request), by)
  })
  app.post('/collections/check', may(WRITE), (request) =>
    service.check(checkBody.parse(request.body).seeds, access.requireAction(request, WRITE)),
  )
}

function listRoutes(app: FastifyInstance, { access, clock }: CollectionContext): void {
  const storeFor = (request: FastifyRequest): Store<Operations> => access.storeFor(request)
  const LIST = mayOrPublic(READ)
  app.get('/collections', LIST, async (request) => {
    const { outcome: wanted } = z.object(outcomeFilter).parse(request.query)
    const all = { id: null }
    const statuses = await storeFor(request).call('collectionStatus', all)
    if (wanted.length === 0) return statuses
    return statuses.filter(({ outcome }) => outcome !== null && wanted.includes(outcome))
  })
  app.get('/collections/list', LIST, (request) => {
    const { q, sort, cursor, owner, ...query } = listQuery.parse(request.query)
    const asked = { ...query, ...sort, text: q ?? null, owner: owner ?? null }
    return storeFor(request).call('collectionList', { ...asked, cursor: cursor ?? null })
  })
  app.get('/collections/:id', LIST, async (request) => {
    const one = { id: idOf(request) }
    const [status] = await storeFor(request).call('collectionStatus', one)
    return status!
  })
  app.get('/collections/:id/hosts', LIST, (request) =>
    storeFor(request).call('listHosts', { collectionId: idOf(request), limit: HOSTS_MAX }),
  )
  app.get('/collections/:id/hosts/list', LIST, (request) => {
    const { q, sort, cursor, state: states, limit } = hostQuery.parse(request.query)
    const asked = { ...sort, id: idOf(request), states, limit, now: clock.now() }
    return storeFor(request).call('collectionHosts', {
      ...asked,
      text: q ?? null,
      cursor: cursor ?? null,
    })
  })
  app.get('/collections/:id/captures', mayOrPublic('captures:read'), (request) => {
    const { q, cursor, limit, status, type } = captureQuery.parse(request.query)
    const before = cursor === undefined ? null : Number(cursor) || 0
    const asked = { id: idOf(request), statuses: status, types: type, limit, before }
    return storeFor(request).call('collectionCaptures', { ...asked, text: q ?? null })
  })
  app.get('/collections/:id/facets', LIST, (request) =>
    storeFor(request).call('collectionFacets', { id: idOf(request) }),
  )
  app.get('/collections/:id/curve', LIST, (request) =>
    storeFor(request).call('collectionCurve', { id: idOf(request), now: clock.now() }),
  )
  app.get('/collections/:id/trail', may(READ), (request) =>
    storeFor(request).call('collectionTrail', {
      id: idOf(request),
      ...trailQuery.parse(request.query),
    }),
  )
  app.get('/station/throughput', may(READ), (request) =>
    storeFor(request).call('stationThroughput', { now: clock.now() }),
  )
}

const idOf = (request: FastifyRequest): number => idParams.parse(request.params).id

function changerOf(access: Access, request: FastifyRequest) {
  const { accountId: by } = access.requireAction(request, WRITE)
  return { by, owner: access.ownerFor(request, WRITE) }
}
