/** Load tests over HTTP: made, started and stopped by who owns the site, seen as they run. */
import type { ServerResponse } from 'node:http'
import { loadTestMessage, type Clock } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'
import type { LoadTests } from './load-tests.ts'
import { textOf, type LoadTestView } from './load-test-views.ts'

const listQuery = z.object({
  before: z.coerce.number().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const reportQuery = z.object({ as: z.enum(['json', 'text']).default('json') })
const takingPartBody = z.object({ takesPart: z.boolean() })
const READ = may('load-tests:read')
const WRITE = may('load-tests:write')

export function loadTestRoutes(
  app: FastifyInstance,
  context: RouteContext & { loadTests: LoadTests },
): void {
  const { access, loadTests } = context
  app.post('/load-tests', WRITE, (request) => {
    const { accountId } = access.requireAction(request, 'load-tests:write')
    return loadTests.create(accountId, loadTestMessage.parse(request.body))
  })
  app.get('/load-tests', READ, (request) =>
    loadTests.list(access.ownerFor(request, 'load-tests:read'), listQuery.parse(request.query)),
  )
  app.get('/load-tests/:id', READ, (request) => {
    const { id } = idParams.parse(request.params)
    return loadTests.view(access.ownerFor(request, 'load-tests:read'), id)
  })
  app.post('/load-tests/:id/start', WRITE, (request) => {
    const { id } = idParams.parse(request.params)
    return loadTests.start(access.ownerFor(request, 'load-tests:write'), id, request.ip)
  })
  app.post('/load-tests/:id/abort', WRITE, (request) => {
    const { id } = idParams.parse(request.params)
    return loadTests.abort(access.ownerFor(request, 'load-tests:write'), id)
  })
  app.get('/load-tests/:id/report', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const report = await loadTests.report(access.ownerFor(request, 'load-tests:read'), id)
    if (reportQuery.parse(request.query).as === 'json') return report
    return reply.type('text/plain; charset=utf-8').send(textOf(report))
  })
  app.get('/load-tests/:id/events', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'load-tests:read')
    await loadTests.view(owner, id)
    const allowed = access.whileAllowed(request, reply.raw, 'load-tests:read')
    reply.hijack()
    await streamLoadTest(reply.raw, {
      view: () => loadTests.view(owner, id),
      clock: context.clock,
      signal: AbortSignal.any([allowed, context.closing]),
    })
  })
  app.get('/devices/:id/load-tests', may('devices:read'), (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:read')
    return context.store.call('takesLoadTests', { device, owner })
  })
  app.post('/devices/:id/load-tests', may('devices:write'), async (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:write')
    const wish = takingPartBody.parse(request.body)
    await context.store.call('setLoadTests', { device, owner, ...wish })
    return wish
  })
}

const EVERY_MS = 1_000
/** A reader that takes nothing is not written to for ever. */
const UNREAD_BYTES_MAX = 1024 * 1024

/** A load test as server-sent events: how it stands once a second, and the end. */
async function streamLoadTest(
  raw: ServerResponse,
  source: { view: () => Promise<LoadTestView>; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { view, clock, signal } = source
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  while (!signal.aborted && raw.writableLength < UNREAD_BYTES_MAX) {
    const test = await view()
    const isOver = test.state === 'finished' || test.state === 'aborted'
    raw.write(`event: ${isOver ? 'end' : 'progress'}\ndata: ${JSON.stringify(test)}\n\n`)
    if (isOver) break
    await clock.sleep(EVERY_MS, signal)
  }
  raw.end()
}
