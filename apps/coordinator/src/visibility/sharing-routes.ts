/** Who may read what, set by those whose it is. */
import { sharingChange, type Sharing } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../access.ts'
import type { ApiParts } from '../api-routes.ts'

const WRITE = 'collections:write'
const idParams = z.object({ id: z.coerce.number().int() })

export function sharingRoutes(app: FastifyInstance, { access, store }: ApiParts): void {
  app.get('/collections/:id/sharing', may(WRITE), (request): Promise<Sharing> => {
    const { id } = idParams.parse(request.params)
    return store.call('collectionSharing', { id, owner: access.ownerFor(request, WRITE) })
  })
  app.patch('/collections/:id/sharing', may(WRITE), (request): Promise<Sharing> => {
    const { id } = idParams.parse(request.params)
    const change = sharingChange.parse(request.body)
    return store.call('shareCollectionWith', {
      id,
      change,
      owner: access.ownerFor(request, WRITE),
    })
  })
}
