/** The map of hosts to agents over HTTP. For operators: it covers all collections. */
import { EPOCH_ORDER_NAMES, STRATEGIES } from '@minga/frontier'
import { PLAN_IMBALANCE } from '@minga/partition'
import type {
  PlacedHostRow,
  PlacementEpochRow,
  PlacementMove,
  PlacementState,
  SortedPage,
} from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { Station } from '../../station/station.ts'
import type { Repartitioner } from './repartition.ts'
import { LISTING, toPageArgs, toSortedPage, sortsOf, SPAN } from '../../station/sorted-lists.ts'
import { sendAssignment } from './assignment-file.ts'
import { NoMap, NoSuchEpoch, NotPartitioned } from '../place-errors.ts'

const page = z.object({
  /** The id of the last host of the page before. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(0).max(10_000).default(100),
})
const device = z.string().max(100).optional()
const hostsQuery = z.object({
  ...LISTING,
  device,
  /** Two letters; empty: those of which none is known. */
  country: z.string().max(2).optional(),
  sort: z.enum(['host', '-host', 'pages', '-pages', 'country', '-country']).default('host'),
})
const movesQuery = z.object({
  ...LISTING,
  from: device,
  to: device,
  sort: z
    .enum(['host', '-host', 'pages', '-pages', 'from', '-from', 'to', '-to'])
    .default('-pages'),
})
const epochsQuery = z.object({
  ...LISTING,
  ...SPAN,
  /** What made the station plan. */
  reason: z.string().max(100).optional(),
  sort: z.enum(sortsOf(EPOCH_ORDER_NAMES)).default('-epoch'),
})
const epochParams = z.object({ epoch: z.coerce.number().int().min(1) })
const fileQuery = z.object({ as: z.enum(['csv', 'jsonl']).default('csv') })

const READ = may('settings:read')

type MapContext = Station & { repartitioner: Repartitioner }

export function mapRoutes(app: FastifyInstance, context: MapContext): void {
  const { store, repartitioner } = context
  app.get('/place/state', READ, () => stateOf(context))
  app.get('/place/map', READ, async (request) => {
    const { after, limit: atMost } = page.parse(request.query)
    const map = await store.call('readMap', {})
    if (map === null) throw new NoMap()
    const { hosts } = await store.call('mappedHosts', { after, atMost })
    return { ...map, placed: hosts }
  })
  app.post('/place/repartition', may('settings:write'), async (_request, reply) => {
    if (!repartitioner.planSoon()) throw new NotPartitioned()
    return reply.status(202).send({ planning: true })
  })
  listRoutes(app, context)
}

function listRoutes(app: FastifyInstance, { store }: MapContext): void {
  app.get('/place/hosts', READ, async (request): Promise<SortedPage<PlacedHostRow>> => {
    const args = toPageArgs(hostsQuery.parse(request.query))
    return toSortedPage(await store.call('hostsOfMap', args))
  })
  app.get('/place/epochs', READ, async (request): Promise<SortedPage<PlacementEpochRow>> => {
    const args = toPageArgs(epochsQuery.parse(request.query))
    return toSortedPage(await store.call('findEpochs', args))
  })
  app.get('/place/epochs/:epoch', READ, async (request) => {
    const { epoch } = epochParams.parse(request.params)
    const found = await store.call('readEpoch', { epoch })
    if (found === null) throw new NoSuchEpoch(epoch)
    return found
  })
  app.get(
    '/place/epochs/:epoch/moves',
    READ,
    async (request): Promise<SortedPage<PlacementMove>> => {
      const { epoch } = epochParams.parse(request.params)
      const args = { ...toPageArgs(movesQuery.parse(request.query)), epoch }
      return toSortedPage(await store.call('epochMoves', args))
    },
  )
  app.get('/place/assignment', READ, (request, reply) =>
    sendAssignment(store, reply, fileQuery.parse(request.query).as),
  )
}

async function stateOf({ store, settings, repartitioner }: MapContext): Promise<PlacementState> {
  const strategy = settings.list().find(({ name }) => name === 'strategy')!
  const ready = await store.call('readyDevices', {})
  const map = await store.call('readMap', {})
  const ids = new Set([...ready, ...(map?.parts ?? [])].map((part) => part.device))
  const named = await store.call('devicesNamed', { ids: [...ids] })
  return {
    strategy: settings.current().strategy,
    strategies: STRATEGIES,
    source: strategy.source,
    changedAt: strategy.changedAt,
    changedBy: strategy.changedBy,
    readyAgents: ready.length,
    isPlanning: repartitioner.isPlanning,
    imbalanceMax: PLAN_IMBALANCE,
    names: Object.fromEntries(named.map(({ id, name }) => [id, name])),
    map,
    now: nowOf(repartitioner.measured),
  }
}

function nowOf(measured: MapContext['repartitioner']['measured']): PlacementState['now'] {
  if (measured === null) return null
  const { exchangeShare, imbalance, latencyMs } = measured
  return exchangeShare === null || imbalance === null
    ? null
    : { exchangeShare, imbalance, latencyMs }
}
