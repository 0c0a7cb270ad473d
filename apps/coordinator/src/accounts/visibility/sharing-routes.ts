/** Who may read what, set by those whose it is. */
import { sharingChange, type Sharing } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../access.ts'

const WRITE = 'collections:write'
const idParams = z.object({ id: z.coerce.number().int() })
const wikiParams = z.object({ wiki: z.string().min(1).max(2_000) })
/** Histories are read by those who have a log-in. */
const wikiChange = sharingChange.extend({ visibility: z.enum(['private', 'shared']).optional() })
const batchParams = z.object({ id: z.string().max(100) })
const batchChange = sharingChange.pick({ sharedWith: true }).required()

export function sharingRoutes(app: FastifyInstance, { access, store, clock }: RouteContext): void {
  /** Who changes it, and whose they may change. */
  const act = (request: FastifyRequest) => {
    const { accountId: by, reach } = access.requireAction(request, WRITE)
    return { by, owner: reach === 'all' ? null : by, now: clock.now() }
  }
  app.get('/collections/:id/sharing', may(WRITE), (request): Promise<Sharing> => {
    const { id } = idParams.parse(request.params)
    return store.call('collectionSharing', { id, owner: access.ownerFor(request, WRITE) })
  })
  app.get('/wikis/:wiki/sharing', may(WRITE), (request): Promise<Sharing> => {
    const { wiki } = wikiParams.parse(request.params)
    return store.call('wikiSharing', { wiki, owner: access.ownerFor(request, WRITE) })
  })
  app.patch('/wikis/:wiki/sharing', may(WRITE), (request): Promise<Sharing> => {
    const { wiki } = wikiParams.parse(request.params)
    const change = wikiChange.parse(request.body)
    return store.call('shareWikiWith', { wiki, change, ...act(request) })
  })
  // Of a batch alone: what a client asked for is never all readers'.
  app.get('/batches/:id/sharing', may('requests:read'), (request): Promise<Sharing> => {
    const { id } = batchParams.parse(request.params)
    return store.call('batchSharing', { id, client: access.clientOf(request) })
  })
  app.patch('/batches/:id/sharing', may('requests:send'), (request): Promise<Sharing> => {
    const { id } = batchParams.parse(request.params)
    const { sharedWith } = batchChange.parse(request.body)
    const client = access.clientOf(request)
    const args = { id, sharedWith, client, by: client, now: clock.now() }
    return store.call('shareBatchWith', args)
  })
  app.patch('/collections/:id/sharing', may(WRITE), (request): Promise<Sharing> => {
    const { id } = idParams.parse(request.params)
    const change = sharingChange.parse(request.body)
    return store.call('shareCollectionWith', { id, change, ...act(request) })
  })
}
