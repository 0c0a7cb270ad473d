/** One list of what needs attention, for the page and the command line. */
import { JOB_KINDS, type AttentionList } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Access, RouteContext } from '../../accounts/access.ts'
import type { Repartitioner } from '../../placement/map/repartition.ts'
import type { WatchMetrics } from '../../watch/metrics/watch-metrics.ts'
import { jobsSeenBy } from '../jobs/job-routes.ts'
import { Attention, type Sight } from './attention.ts'

interface AttentionContext extends RouteContext {
  watchMetrics: WatchMetrics
  repartitioner: Repartitioner
  /** How to reach the operator; null when no contact is configured. */
  contact?: string | null
}

export function attentionRoutes(app: FastifyInstance, context: AttentionContext): void {
  let attention: Attention | null = null
  app.get('/attention', async (request): Promise<AttentionList> => {
    attention ??= attentionOf(context)
    const store = context.access.storeFor(request)
    const hidden = new Set(await store.call('hiddenCollections', {}))
    return { items: await attention.list({ ...sightOf(context.access, request), hidden }, store) }
  })
}

function attentionOf(context: AttentionContext): Attention {
  const { store, clock, data, watchMetrics, repartitioner, publicUrl, contact = null } = context
  return new Attention({
    store,
    clock,
    data,
    growth: watchMetrics.growth,
    station: { contact, publicUrl, isOnNetwork: !context.readOpenly },
    imbalance: () => repartitioner.measured?.imbalance ?? null,
  })
}

/** By the same rights as everywhere; collections that fail are reported as collections. */
function sightOf(access: Access, request: FastifyRequest): Omit<Sight, 'hidden'> {
  const kinds = JOB_KINDS.filter((kind) => kind !== 'collection')
  return {
    collections: access.isAllowed(request, 'collections:read'),
    watches: access.isAllowed(request, 'watches:read'),
    devices: access.hasRight(request, 'devices:read')
      ? access.ownerFor(request, 'devices:read')
      : false,
    station: access.hasRight(request, 'settings:read'),
    events: access.hasRight(request, 'events:read'),
    jobs: jobsSeenBy(access, request, kinds),
  }
}
