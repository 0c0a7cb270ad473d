/**
 * What the station learnt of its own graph, over HTTP. For operators: it covers all collections.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { Station } from '../../station/station.ts'
import type { GraphServices } from './create-graph.ts'

const hostQuery = z.object({ host: z.string().min(1).max(259).toLowerCase() })
const READ = may('settings:read')

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
