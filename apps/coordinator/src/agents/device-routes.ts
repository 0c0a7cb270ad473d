/** An owner's devices: seen, renamed, paused, revoked, deleted. The operator's reach is all of them. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../access.ts'
import { idParams, titleField } from '../accounts/fields.ts'
import type { ApiParts } from '../api-routes.ts'

const listQuery = z.object({
  afterId: z.string().max(100).default(''),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const requestQuery = z.object({
  beforeId: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const nameBody = z.object({ name: titleField })

/** What is done to a device by POST, and by which operation. */
const VERBS = [
  ['pause', 'pauseDevice'],
  ['resume', 'resumeDevice'],
  ['revoke', 'revokeDevice'],
] as const

export function deviceRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { access, store, clock, pipeline } = parts
  app.get('/devices', may('devices:read'), (request) => {
    const owner = access.ownerFor(request, 'devices:read')
    return store.call('seenDevices', { ...listQuery.parse(request.query), owner })
  })
  app.get('/devices/:id', may('devices:read'), (request) => {
    const { id: device } = idParams.parse(request.params)
    return store.call('seenDevice', { device, owner: access.ownerFor(request, 'devices:read') })
  })
  app.get('/devices/:id/requests', may('devices:read'), (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:read')
    return store.call('deviceRequests', { ...requestQuery.parse(request.query), device, owner })
  })
  app.patch('/devices/:id', may('devices:write'), async (request) => {
    const { id: device } = idParams.parse(request.params)
    const { name } = nameBody.parse(request.body)
    const owner = access.ownerFor(request, 'devices:write')
    await store.call('renameDevice', { device, owner, name })
    return {}
  })
  for (const [verb, operation] of VERBS) {
    app.post(`/devices/:id/${verb}`, may('devices:write'), async (request) => {
      const { id: device } = idParams.parse(request.params)
      const owner = access.ownerFor(request, 'devices:write')
      await store.call(operation, { device, owner, now: clock.now() })
      // What the device gave up may be somebody else's work now.
      pipeline.work.ring()
      return {}
    })
  }
  app.delete('/devices/:id', may('devices:write'), async (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:write')
    await store.call('deleteDevice', { device, owner, now: clock.now() })
    pipeline.work.ring()
    return {}
  })
}
