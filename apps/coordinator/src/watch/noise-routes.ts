/** The ignored regions of a watch over HTTP. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../accounts/access.ts'
import type { WatchContext } from './watch-context.ts'

const idParams = z.object({ id: z.coerce.number().int() })
const regionBody = z.object({
  url: z.string().min(1).max(8_192),
  region: z.number().int().min(0),
})

const READ = may('watches:read')
const WRITE = may('watches:write')

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
