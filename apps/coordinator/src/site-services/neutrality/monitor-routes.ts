/** The neutrality monitor over HTTP. */
import { findingsText, flagsCsv } from '@minga/fleet'
import { monitorMessage } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'
import type { Monitors } from './monitors.ts'

const listQuery = z.object({
  before: z.coerce.number().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const reportQuery = z.object({
  as: z.enum(['json', 'csv', 'text']).default('json'),
  run: z.coerce.number().int().min(1).nullable().default(null),
  details: z.stringbool().default(false),
})
const READ = may('neutrality:read')
const WRITE = may('neutrality:write')

export function monitorRoutes(
  app: FastifyInstance,
  { access, monitors }: RouteContext & { monitors: Monitors },
): void {
  app.post('/neutrality', WRITE, (request) => {
    const { accountId } = access.requireAction(request, 'neutrality:write')
    return monitors.create(accountId, monitorMessage.parse(request.body))
  })
  app.get('/neutrality', READ, (request) =>
    monitors.list(access.ownerFor(request, 'neutrality:read'), listQuery.parse(request.query)),
  )
  app.get('/neutrality/:id', READ, (request) => {
    const { id } = idParams.parse(request.params)
    return monitors.view(access.ownerFor(request, 'neutrality:read'), id)
  })
  app.post('/neutrality/:id/stop', WRITE, (request) => {
    const { id } = idParams.parse(request.params)
    return monitors.stop(access.ownerFor(request, 'neutrality:write'), id)
  })
  app.get('/neutrality/:id/report', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const { as, ...asked } = reportQuery.parse(request.query)
    const owner = access.ownerFor(request, 'neutrality:read')
    const { runs, ...report } = await monitors.report(owner, id, asked)
    if (as === 'csv') return reply.type('text/csv; charset=utf-8').send(flagsCsv(report.flags))
    if (as === 'text') {
      return reply.type('text/plain; charset=utf-8').send(findingsText(report.name, runs))
    }
    return report
  })
}
