/** An owner's devices: seen, renamed, paused, revoked, deleted. The operator's reach is all of them. */
import { DEVICE_ORDERS, DOINGS } from '@minga/fleet'
import type { FleetMap } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../accounts/access.ts'
import { idParams, titleField } from '../accounts/fields.ts'
import type { GraphServices } from '../placement/graph/create-graph.ts'
import { cursorField, cursorOf } from '../station/list-cursor.ts'
import { fleetMap } from './fleet-map.ts'
import type { SeenPage } from './seen-devices.ts'
import { toPageArgs } from '../station/sorted-lists.ts'

const listQuery = z.object({
  afterId: z.string().max(100).default(''),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const SORTS = [...DEVICE_ORDERS, ...DEVICE_ORDERS.map((order) => `-${order}` as const)] as const
const pageQuery = z.object({
  text: z.string().max(200).optional(),
  /** Divided by commas. */
  doing: z
    .string()
    .max(200)
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .pipe(z.array(z.enum(DOINGS)))
    .optional(),
  /** Two letters; empty: those of which none is known. */
  country: z.string().max(2).optional(),
  sort: z.enum(SORTS).default('id'),
  cursor: cursorField.nullable().default(null),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const ratesQuery = z.object({ minutes: z.coerce.number().int().min(1).max(120).default(60) })
const requestQuery = z.object({
  beforeId: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const nameBody = z.object({ name: titleField })

/** What is done to a device by POST, and by which operation. */
const VERBS = [
  ['pause', 'pauseDevice', 'agent:paused'],
  ['resume', 'resumeDevice', 'agent:resumed'],
  ['revoke', 'revokeDevice', 'agent:revoked'],
] as const

type DeviceCode = (typeof VERBS)[number][2] | 'agent:deleted'

const SENTENCES: Record<DeviceCode, string> = {
  'agent:paused': 'The device was paused; it finishes what it has in hand.',
  'agent:resumed': 'The device gets work again.',
  'agent:revoked': 'The device may not connect any more.',
  'agent:deleted': 'The device and what is known of it were deleted.',
}

type DeviceContext = RouteContext & { graph: GraphServices }

export function deviceRoutes(app: FastifyInstance, context: DeviceContext): void {
  const { access, store, clock, work } = context
  const note = (request: FastifyRequest, device: string, code: DeviceCode): void => {
    const { accountId: by } = access.requireAction(request, 'devices:write')
    context.eventLog.note({ code, subject: device, device, sentence: SENTENCES[code], by })
  }
  listRoutes(app, context)
  app.get('/devices/:id', may('devices:read'), (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:read')
    return store.call('seenDevice', { device, owner, now: clock.now() })
  })
  app.get('/devices/:id/requests', may('devices:read'), (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:read')
    return store.call('deviceRequests', { ...requestQuery.parse(request.query), device, owner })
  })
  app.get('/devices/:id/work', may('devices:read'), (request) => {
    const { id: device } = idParams.parse(request.params)
    return store.call('deviceWork', { device, owner: access.ownerFor(request, 'devices:read') })
  })
  app.get('/devices/:id/rates', may('devices:read'), async (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:read')
    // A user who may not see the device may not see its speed either.
    await store.call('deviceRequests', { device, owner, limit: 1 })
    const { minutes } = ratesQuery.parse(request.query)
    return store.call('ratesOf', { device, minutes, now: clock.now() })
  })
  app.patch('/devices/:id', may('devices:write'), async (request) => {
    const { id: device } = idParams.parse(request.params)
    const { name } = nameBody.parse(request.body)
    const owner = access.ownerFor(request, 'devices:write')
    await store.call('renameDevice', { device, owner, name })
    return {}
  })
  for (const [verb, operation, code] of VERBS) {
    app.post(`/devices/:id/${verb}`, may('devices:write'), async (request) => {
      const { id: device } = idParams.parse(request.params)
      const owner = access.ownerFor(request, 'devices:write')
      await store.call(operation, { device, owner, now: clock.now() })
      note(request, device, code)
      // Other agents can take the work that the device gave up.
      work.notifyAll()
      return {}
    })
  }
  app.delete('/devices/:id', may('devices:write'), async (request) => {
    const { id: device } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'devices:write')
    await store.call('deleteDevice', { device, owner, now: clock.now() })
    note(request, device, 'agent:deleted')
    work.notifyAll()
    return {}
  })
}

interface ToldPage extends Omit<SeenPage, 'next'> {
  /** Where the next page begins; null after the last one. */
  next: string | null
}

/** Many at once. */
function listRoutes(app: FastifyInstance, { access, store, clock, graph }: DeviceContext): void {
  const ownerOf = (request: FastifyRequest): string | null =>
    access.ownerFor(request, 'devices:read')
  app.get('/devices', may('devices:read'), (request) => {
    const owner = ownerOf(request)
    return store.call('seenDevices', { ...listQuery.parse(request.query), owner, now: clock.now() })
  })
  app.get('/devices/page', may('devices:read'), async (request): Promise<ToldPage> => {
    const asked = toPageArgs(pageQuery.parse(request.query))
    const own = { owner: ownerOf(request), now: clock.now() }
    const page = await store.call('seenPage', { ...asked, ...own })
    return { ...page, next: page.next === null ? null : cursorOf(page.next) }
  })
  app.get('/devices/map', may('devices:read'), (request): Promise<FleetMap> => {
    const owner = ownerOf(request)
    return fleetMap(
      { store, placeOf: graph.placeOf },
      { owner, withHosts: access.isAllowed(request, 'collections:read') },
    )
  })
}
