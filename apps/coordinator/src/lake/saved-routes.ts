/** Saved queries over HTTP. Their owners alone see them, and operators. */
import { savedMessage, type SavedView } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../access.ts'
import type { ApiParts } from '../api-routes.ts'
import { lakeCaller } from './lake-caller.ts'

const ofSaved = z.object({ id: z.coerce.number().int() })
const READ = may('queries:read')
const RUN = may('queries:run')

export function savedRoutes(app: FastifyInstance, { access, store, clock }: ApiParts): void {
  const ownerOf = (
    request: Parameters<typeof lakeCaller>[1],
    action: 'queries:read' | 'queries:run',
  ) => lakeCaller(access, request, action).owner
  app.get('/saved-queries', READ, (request): Promise<SavedView[]> =>
    store.call('listSaved', { owner: ownerOf(request, 'queries:read') }),
  )
  app.get('/saved-queries/:id', READ, (request): Promise<SavedView> => {
    const { id } = ofSaved.parse(request.params)
    return store.call('findSaved', { id, owner: ownerOf(request, 'queries:read') })
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
  const remove = (request: Parameters<typeof lakeCaller>[1], removedAt: number | null) => {
    const { id } = ofSaved.parse(request.params)
    return store.call<SavedView>('removeSaved', {
      id,
      owner: ownerOf(request, 'queries:run'),
      removedAt,
    })
  }
  app.delete('/saved-queries/:id', RUN, (request) => remove(request, clock.now()))
  app.post('/saved-queries/:id/restore', RUN, (request) => remove(request, null))
}
