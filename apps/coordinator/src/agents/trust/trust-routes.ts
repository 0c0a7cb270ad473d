/** How far a device is believed, why it may not work, and what an operator does about it. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'

const logQuery = z.object({
  beforeId: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const noteField = z.string().max(1_000).nullable().default(null)
const blockBody = z.object({
  note: noteField,
  durationS: z.number().int().min(1).max(31_536_000).optional(),
})
const expelBody = z.object({ note: noteField })
const releaseBody = z.object({ note: noteField, isForgiven: z.boolean().default(false) })
/** As long as a note on a door; empty: what was said before is taken away. */
const messageBody = z.object({ text: z.string().max(1_000).transform(plainLine) })
const SECOND_MS = 1_000

export function trustRoutes(app: FastifyInstance, context: RouteContext): void {
  const { access, store, clock, work } = context
  const decisionOn = (request: FastifyRequest) => {
    const { accountId } = access.requireAction(request, 'devices:judge')
    return { device: idParams.parse(request.params).id, who: accountId, now: clock.now() }
  }

  app.get('/devices/:id/trust', may('devices:read'), (request) => {
    const { beforeId, limit } = logQuery.parse(request.query)
    return store.call('deviceTrust', {
      device: idParams.parse(request.params).id,
      owner: access.ownerFor(request, 'devices:read'),
      auditFloor: context.settings.current().auditFloor,
      limit,
      ...(beforeId === undefined ? {} : { beforeId }),
    })
  })
  app.post('/devices/:id/block', may('devices:judge'), async (request) => {
    const { note, durationS } = blockBody.parse(request.body ?? {})
    const standing = await store.call('blockDevice', {
      ...decisionOn(request),
      note,
      reason: 'operator',
      ...(durationS === undefined ? {} : { durationMs: durationS * SECOND_MS }),
    })
    return { standing }
  })
  askingRoutes(app, context, decisionOn)
  app.post('/devices/:id/expel', may('devices:judge'), async (request) => {
    const { note } = expelBody.parse(request.body ?? {})
    const args = { ...decisionOn(request), note, reason: 'operator' } as const
    const standing = await store.call('expelDevice', args)
    work.notifyAll()
    return { standing }
  })
  app.post('/devices/:id/release', may('devices:judge'), async (request) => {
    const { note, isForgiven } = releaseBody.parse(request.body ?? {})
    const standing = await store.call('releaseDevice', { ...decisionOn(request), note, isForgiven })
    return { standing }
  })
}

type DecisionOn = (request: FastifyRequest) => { device: string; who: string; now: number }

/** What an operator asks of a device and tells its owner, without judging it. */
function askingRoutes(
  app: FastifyInstance,
  { store, work }: RouteContext,
  decisionOn: DecisionOn,
): void {
  for (const [verb, operation] of [
    ['drain', 'drainDevice'],
    ['undrain', 'undrainDevice'],
  ] as const) {
    app.post(`/devices/:id/${verb}`, may('devices:judge'), async (request) => {
      const { note } = expelBody.parse(request.body ?? {})
      await store.call(operation, { ...decisionOn(request), note })
      // What was meant for it is others' now, or there is one more to be asked.
      work.notifyAll()
      return {}
    })
  }
  app.post('/devices/:id/message', may('devices:judge'), async (request) => {
    const { text } = messageBody.parse(request.body)
    await store.call('tellOwner', { ...decisionOn(request), note: text === '' ? null : text })
    return {}
  })
}

/** It is also printed on a terminal, whose cursor nothing may move; PostgreSQL takes no NUL. */
function plainLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim()
}
