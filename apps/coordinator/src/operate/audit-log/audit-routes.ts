/** The audit log for operators: entry by entry, with the hashes that a reader needs to verify it. */
import type { AuditPage } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { Station } from '../../station/station.ts'

const pageQuery = z.object({
  /** The number of the last entry of the page before. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})

export function auditRoutes(app: FastifyInstance, { store }: Station): void {
  app.get('/audit-log', may('events:read'), async (request): Promise<AuditPage> => {
    const { after, limit } = pageQuery.parse(request.query)
    const found = await store.call('readAudit', { after, limit: limit + 1 })
    const entries = found.slice(0, limit)
    return { entries, next: found.length > limit ? entries.at(-1)!.seq : null }
  })
}
