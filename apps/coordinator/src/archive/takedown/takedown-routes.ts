/** Taking down over HTTP, and the list of what was taken down. */
import { takedownRequest } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../../accounts/access.ts'
import type { Takedowns } from './takedowns.ts'

const ACTION = 'archive:takedown'
const listQuery = z.object({
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
})

export function takedownRoutes(
  app: FastifyInstance,
  { access, takedowns }: RouteContext & { takedowns: Takedowns },
): void {
  app.post('/takedowns', may(ACTION), (request) => {
    const { accountId } = access.requireAction(request, ACTION)
    return takedowns.take(takedownRequest.parse(request.body), accountId)
  })
  app.get('/takedowns', may(ACTION), (request) => takedowns.list(listQuery.parse(request.query)))
}
