/** Tables over HTTP. */
import {
  importMessage,
  inspectMessage,
  previewMessage,
  sharingChange,
  tableName,
  type Sharing,
} from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, mayOrPublic } from '../../accounts/access.ts'
import type { LakeContext } from '../create-lake.ts'
import { lakeCaller, lakeReader, type LakeCaller } from '../workers/lake-caller.ts'

const nameParams = z.object({ name: tableName })
const rowsQuery = z.object({
  version: z.coerce.number().int().min(0).optional(),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(10_000).default(100),
})
const versionsQuery = z.object({ before: z.coerce.number().int().optional() })
const READ = mayOrPublic('tables:read')
const WRITE = may('tables:write')

export function tableRoutes(
  app: FastifyInstance,
  { access, lake, store, clock }: LakeContext,
): void {
  const reader = (request: FastifyRequest): LakeCaller => lakeReader(access, request, 'tables:read')
  const writer = (request: FastifyRequest): LakeCaller =>
    lakeCaller(access, request, 'tables:write')
  const nameOf = (request: FastifyRequest): string => nameParams.parse(request.params).name
  app.get('/tables', READ, (request) => lake.tableService.list(reader(request)))
  app.get('/tables/:name', READ, (request) =>
    lake.tableService.describe(reader(request), nameOf(request)),
  )
  app.get('/tables/:name/versions', READ, (request) => {
    const { before } = versionsQuery.parse(request.query)
    return lake.tableService.versions(reader(request), nameOf(request), before)
  })
  app.get('/tables/:name/rows', READ, (request) => {
    const { version, offset: skip, limit: most } = rowsQuery.parse(request.query)
    return lake.tableService.rows(reader(request), nameOf(request), { version, skip, most })
  })
  app.get('/tables/:name/rejects', READ, (request) => {
    const { offset: skip, limit: most } = rowsQuery.parse(request.query)
    return lake.tableService.rejects(reader(request), nameOf(request), { skip, most })
  })
  app.get('/tables/:name/sharing', WRITE, async (request): Promise<Sharing> => {
    const name = nameOf(request)
    await lake.tableService.requireOwn(writer(request), name)
    return store.call('tableSharing', { name })
  })
  app.patch('/tables/:name/sharing', WRITE, async (request): Promise<Sharing> => {
    const name = nameOf(request)
    const change = sharingChange.parse(request.body)
    const caller = writer(request)
    await lake.tableService.requireOwn(caller, name)
    const by = caller.accountId
    return store.call('shareTable', { name, change, by, now: clock.now() })
  })
  app.delete('/tables/:name', WRITE, async (request) => {
    await lake.tableService.drop(writer(request), nameOf(request))
    return {}
  })
  app.post('/tables/:name/import', WRITE, async (request, reply) => {
    void reply.status(202)
    const message = importMessage.parse(request.body)
    return lake.tableService.import(writer(request), nameOf(request), message)
  })
  app.post('/inputs/look', WRITE, (request) =>
    lake.tableService.inspect(writer(request), inspectMessage.parse(request.body).input),
  )
  app.post('/tables/preview', WRITE, (request, reply) => {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const message = previewMessage.parse(request.body)
    return lake.tableService.preview(writer(request), message, gone.signal)
  })
  app.post('/tables/:name/compact', WRITE, async (request, reply) => {
    void reply.status(202)
    const query = await lake.tableService.compact(writer(request), nameOf(request))
    return { query }
  })
}
