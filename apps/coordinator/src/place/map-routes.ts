/** The map of hosts to agents over HTTP. For operators: it tells of all collections. */
import type { MappedHost, MapView } from '@minga/frontier'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../access.ts'
import type { ApiParts } from '../api-routes.ts'
import { NoMap, NotPartitioned } from './place-errors.ts'

const page = z.object({
  /** The id of the last host of the page before. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(0).max(10_000).default(100),
})

export function mapRoutes(app: FastifyInstance, { store, repartitioner }: ApiParts): void {
  app.get('/place/map', may('settings:read'), async (request) => {
    const { after, limit: atMost } = page.parse(request.query)
    const map = await store.call<MapView | null>('readMap', {})
    if (map === null) throw new NoMap()
    const { hosts } = await store.call<{ hosts: MappedHost[] }>('mappedHosts', { after, atMost })
    return { ...map, placed: hosts }
  })
  app.post('/place/repartition', may('settings:write'), async (_request, reply) => {
    if (!repartitioner.planSoon()) throw new NotPartitioned()
    return reply.status(202).send({ planning: true })
  })
}
