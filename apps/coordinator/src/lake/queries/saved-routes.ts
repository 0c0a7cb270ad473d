/** Saved queries over HTTP. Their owners see them, those they are shared with, and operators. */
import { savedMessage, sharingChange, type SavedView, type Sharing } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, mayOrPublic, type RouteContext } from '../../accounts/access.ts'
import { lakeCaller, lakeReader, lakeViewer } from '../workers/lake-caller.ts'

const ofSaved = z.object({ id: z.coerce.number().int() })
/** `shared`: those of others. */
const listQuery = z.object({ of: z.enum(['own', 'shared']).default('own') })
const READ = mayOrPublic('queries:read')
const RUN = may('queries:run')

export function savedRoutes(app: FastifyInstance, { access, store, clock }: RouteContext): void {
  const ownerOf = (request: FastifyRequest, action: 'queries:read' | 'queries:run') =>
    lakeCaller(access, request, action).owner
  const readerOf = (request: FastifyRequest) => lakeReader(access, request, 'queries:read').owner
  app.get('/saved-queries', READ, (request): Promise<SavedView[]> => {
    const viewer = lakeViewer(access, request)
    if (viewer !== null && listQuery.parse(request.query).of === 'shared') {
      return store.call('listSharedSaved', { viewer })
    }
    return store.call('listSaved', { owner: readerOf(request) })
  })
  app.get('/saved-queries/:id/sharing', RUN, (request): Promise<Sharing> => {
    const { id } = ofSaved.parse(request.params)
    return store.call('savedSharing', { id, owner: ownerOf(request, 'queries:run') })
  })
  app.patch('/saved-queries/:id/sharing', RUN, (request): Promise<Sharing> => {
    const { id } = ofSaved.parse(request.params)
    const change = sharingChange.parse(request.body)
    const { accountId: by, owner } = lakeCaller(access, request, 'queries:run')
    return store.call('shareSaved', { id, change, owner, by, now: clock.now() })
  })
  app.get('/saved-queries/:id', READ, (request): Promise<SavedView> => {
    const { id } = ofSaved.parse(request.params)
    const viewer = lakeViewer(access, request)
    return store.call('findSaved', { id, owner: readerOf(request), viewer })
  })
  app.post('/saved-queries', RUN, (request): Promise<SavedView> => {
    const { accountId } = lakeCaller(access, request, 'queries:run')
    const saved = savedMessage.parse(request.body)
    return store.call('addSaved', { owner: accountId, saved, now: clock.now() })
  })
  app.patch('/saved-queries/:id', RUN, (request): Promise<SavedView> => {
    const { id } = ofSaved.parse(request.params)
    const saved = savedMessage.partial().parse(request.body)
    const owner = ownerOf(request, 'queries:run')
    return store.call('changeSaved', { id, owner, saved, now: clock.now() })
  })
  const remove = (request: FastifyRequest, removedAt: number | null) => {
    const { id } = ofSaved.parse(request.params)
    return store.call('removeSaved', { id, owner: ownerOf(request, 'queries:run'), removedAt })
  }
  app.delete('/saved-queries/:id', RUN, (request) => remove(request, clock.now()))
  app.post('/saved-queries/:id/restore', RUN, (request) => remove(request, null))
}
