/** The map of hosts to agents over HTTP. For operators: it covers all collections. */
import { Readable } from 'node:stream'
import { EPOCH_ORDER_NAMES, STRATEGIES } from '@minga/frontier'
import { PLAN_IMBALANCE } from '@minga/partition'
import type {
  PlacedHostRow,
  PlacementEpochRow,
  PlacementMove,
  PlacementState,
  SortedPage,
} from '@minga/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Calls } from '@minga/store'
import { may } from '../../accounts/access.ts'
import type { Station } from '../../station/station.ts'
import { LISTING, SPAN, sortsOf, toPageArgs, toSortedPage } from '../../station/sorted-lists.ts'
import { NoMap, NoSuchEpoch, NotPartitioned } from '../place-errors.ts'
import type { Operations } from '../../station/station-operations.ts'
import type { GraphServices } from '../graph/create-graph.ts'
import type { Repartitioner } from './repartition.ts'

const hostQuery = z.object({ host: z.string().min(1).max(259).toLowerCase() })

/**
 * What the station learnt of its own graph, over HTTP. For operators: it covers all collections.
 */
export function graphRoutes(
  app: FastifyInstance,
  { store, graph }: Station & { graph: GraphServices },
): void {
  app.get('/place/graph', READ, () => store.call('graphTotals', {}))
  app.get('/place/distances', READ, (request) =>
    graph.explainer.explain(hostQuery.parse(request.query).host),
  )
  app.get('/place/agreement', READ, () => graph.distances.agreement())
}

type Caller = Calls<Operations>

const PAGE_HOSTS = 2_000

interface AssignedHost {
  host: string
  device: string
  name: string
  epoch: number
}

/** The whole assignment of hosts to devices as a file, page by page: it may be larger than memory should be. */
function sendAssignment(store: Caller, reply: FastifyReply, as: 'csv' | 'jsonl'): FastifyReply {
  const isCsv = as === 'csv'
  void reply.type(isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
  void reply.header('content-disposition', `attachment; filename="assignment.${as}"`)
  return reply.send(Readable.from(isCsv ? csvLines(store) : jsonLines(store)))
}

async function* csvLines(store: Caller): AsyncGenerator<string> {
  yield 'host,device,name,epoch\n'
  for await (const hosts of assigned(store)) {
    yield hosts
      .map((row) => `${[row.host, row.device, row.name, row.epoch].map(csvField).join(',')}\n`)
      .join('')
  }
}

async function* jsonLines(store: Caller): AsyncGenerator<string> {
  for await (const hosts of assigned(store)) {
    yield hosts.map((row) => `${JSON.stringify(row)}\n`).join('')
  }
}

/** Names of devices are their owners': no program that opens the table is to take one for a formula. */
export function csvField(value: string | number): string {
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

async function* assigned(store: Caller): AsyncGenerator<AssignedHost[]> {
  const names = new Map<string, string>()
  let after = 0
  for (;;) {
    const { epoch, hosts } = await store.call('mappedHosts', { after, atMost: PAGE_HOSTS })
    if (hosts.length === 0) return
    const ids = new Set(hosts.map(({ device }) => device).filter((id) => id !== null))
    const unknown = [...ids].filter((id) => !names.has(id))
    for (const { id, name } of await store.call('devicesNamed', { ids: unknown })) {
      names.set(id, name)
    }
    yield hosts.flatMap(({ host, device }) =>
      device === null ? [] : [{ host, device, name: names.get(device) ?? device, epoch }],
    )
    after = hosts.at(-1)!.hostId
  }
}

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
