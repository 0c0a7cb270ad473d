/** What programs, the command line and the page ask of a station. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { abuseRoutes } from './clients/abuse/abuse-routes.ts'
import { may, mayOrPublic } from './accounts/access.ts'
import { alertRoutes } from './watch/alerts/alert-routes.ts'
import { attentionRoutes } from './operate/attention/attention.ts'
import { archiveRoutes } from './archive/archive-routes.ts'
import { seenBy, type ArchiveServices } from './archive/archive-context.ts'
import { accountEndRoutes, accountRoutes, emailRoutes } from './accounts/account-routes.ts'
import { keyRoutes } from './accounts/key-routes.ts'
import { oidcRoutes } from './accounts/oidc-routes.ts'
import { passkeyRoutes } from './accounts/passkey-routes.ts'
import {
  secondFactorRoutes,
  sessionRoutes,
  signInRoutes,
  ticketRoutes,
} from './accounts/session-routes.ts'
import type { DeviceAuthenticator } from './agents/device-authenticator.ts'
import { joinFactsRoute } from './agents/agent-program.ts'
import { deviceRoutes } from './agents/device-routes.ts'
import { writeArchiveIndex } from './archive/captures/archive-index.ts'
import type { CollectionService } from './collect/collection-service.ts'
import { collectionRoutes } from './collect/collection-routes.ts'
import { auditRoutes, eventLogRoutes } from './operate/event-log-routes.ts'
import type { EventTail } from './station/event-log/event-tail.ts'
import { federationRoutes } from './federation/federation-routes.ts'
import { filterRoutes } from './collect/filters/filter-routes.ts'
import { sealAnswers } from './http/browser-guard.ts'
import { findPlace, readContent } from './archive/captures/capture-content.ts'
import { importWarc } from './archive/import/import-warc.ts'
import { queryRoutes, sqlRoutes } from './lake/queries/query-routes.ts'
import { savedRoutes } from './lake/queries/saved-routes.ts'
import { tableRoutes } from './lake/tables/table-routes.ts'
import { taskRoutes } from './lake/workers/worker-routes.ts'
import { uploadRoutes } from './lake/uploads/upload-routes.ts'
import { loadTestRoutes } from './site-services/load-tests/load-test-routes.ts'
import type { LoadTests } from './site-services/load-tests/load-tests.ts'
import { liveRoutes, type LiveEvents } from './operate/live-events.ts'
import { monitorRoutes, type Monitors } from './site-services/neutrality/monitors.ts'
import type { Pipeline } from './pipeline/pipeline.ts'
import { graphRoutes, mapRoutes } from './placement/map/map-routes.ts'
import type { GraphServices } from './placement/graph/create-graph.ts'
import type { Repartitioner } from './placement/map/repartition.ts'
import { moneyRoutes } from './clients/money-routes.ts'
import { openApiRoute } from './http/dashboard-files.ts'
import { repairStep } from './archive/repair/repair.ts'
import { settingRoutes } from './operate/setting-routes.ts'
import { siteOwnerRoutes } from './site-services/site-owner-routes.ts'
import type { SiteOwners } from './site-services/site-owners.ts'
import { trustRoutes } from './agents/trust/trust-routes.ts'
import { requestRoutes } from './clients/request-routes.ts'
import type { StationTokens } from './station/station-file.ts'
import { textRoutes } from './archive/search/text-routes.ts'
import { jobRoutes } from './operate/jobs/job-routes.ts'
import { takedownRoutes, type Takedowns } from './archive/takedown/takedowns.ts'
import { metricsRoutes } from './watch/metrics/watch-metrics.ts'
import { requireVisible } from './accounts/visibility/require-visible.ts'
import { sharingRoutes } from './accounts/visibility/sharing-routes.ts'
import { noiseRoutes, visitRoutes, watchRoutes } from './watch/watch-routes.ts'
import { signalRoutes } from './watch/signals/signal-routes.ts'
import { wikiV1Routes } from './wiki/v1/v1-routes.ts'
import { wikiRoutes } from './wiki/wiki-routes.ts'

import type { AccountServices } from './accounts/account-context.ts'
import type { ClientContext } from './clients/client-context.ts'
import type { FederationServices } from './federation/create-federation.ts'
import type { LakeContext } from './lake/create-lake.ts'
import type { WatchServices } from './watch/watch-context.ts'
import type { WikiContext } from './wiki/wiki-service.ts'

export interface ApiContext
  extends
    AccountServices,
    ArchiveServices,
    ClientContext,
    FederationServices,
    LakeContext,
    WatchServices,
    WikiContext {
  pipeline: Pipeline
  authenticator: DeviceAuthenticator
  tokens: StationTokens
  live: LiveEvents
  collectionService: CollectionService
  eventTail: EventTail
  siteOwners: SiteOwners
  loadTests: LoadTests
  monitors: Monitors
  takedowns: Takedowns
  graph: GraphServices
  repartitioner: Repartitioner
  /** How to reach the operator; null when no contact is configured. */
  contact?: string | null
}

const captureQuery = z.object({
  url: z.string().optional(),
  collectionId: z.coerce.number().int().optional(),
  afterId: z.coerce.number().int().optional(),
  afterAt: z.coerce.number().int().optional(),
  newest: z.stringbool().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
})
const placeQuery = z.object({
  url: z.string(),
  at: z.coerce.number().int().nullable().default(null),
})
const contentQuery = placeQuery.extend({ form: z.enum(['body', 'raw', 'headers']).default('body') })
const repairBody = z.object({
  afterId: z.number().int().min(0).default(0),
  collectionId: z.number().int().min(0).nullable().default(null),
  onlyUnresolved: z.boolean().default(false),
  dryRun: z.boolean().default(false),
})
const importBody = z.object({ file: z.string().min(1) })

export function apiRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store } = context
  app.addHook('onRequest', (request) => context.access.meet(request))
  app.addHook('onRequest', (request) => requireVisible(context, request))
  sealAnswers(app)

  openApiRoute(app)
  joinFactsRoute(app, context)
  sessionRoutes(app, context)
  signInRoutes(app, context)
  ticketRoutes(app, context)
  accountRoutes(app, context)
  accountEndRoutes(app, context)
  emailRoutes(app, context)
  secondFactorRoutes(app, context)
  passkeyRoutes(app, context)
  oidcRoutes(app, context)
  keyRoutes(app, context)
  deviceRoutes(app, context)
  liveRoutes(app, context)
  auditRoutes(app, context)
  eventLogRoutes(app, context)
  requestRoutes(app, context)
  moneyRoutes(app, context)
  settingRoutes(app, context)
  siteOwnerRoutes(app, context)
  loadTestRoutes(app, context)
  monitorRoutes(app, context)
  watchRoutes(app, context)
  noiseRoutes(app, context)
  signalRoutes(app, context)
  alertRoutes(app, context)
  visitRoutes(app, context)
  metricsRoutes(app, context)
  trustRoutes(app, context)
  abuseRoutes(app, context)
  filterRoutes(app, context)
  graphRoutes(app, context)
  mapRoutes(app, context)
  federationRoutes(app, context)
  wikiRoutes(app, context)
  wikiV1Routes(app, context)
  queryRoutes(app, context)
  uploadRoutes(app, context)
  tableRoutes(app, context)
  sqlRoutes(app, context)
  taskRoutes(app, context)
  jobRoutes(app, context)
  attentionRoutes(app, context)
  savedRoutes(app, context)
  collectionRoutes(app, context)
  sharingRoutes(app, context)
  captureRoutes(app, context)
  archiveRoutes(app, context)
  textRoutes(app, context)
  takedownRoutes(app, context)
  app.get('/archive/facts', may('captures:read'), () => store.call('archiveFacts', {}))
  app.post('/archive/index', may('archive:index'), () => writeArchiveIndex(store, context.data))
  app.post('/archive/repair', may('archive:index'), (request) =>
    repairStep(context, repairBody.parse(request.body)),
  )
  app.get('/archive/superseded', may('captures:read'), (request) =>
    context.access.storeFor(request).call('supersededRecords', {}),
  )
  app.post('/archive/import', may('archive:import'), (request) =>
    importWarc(context, importBody.parse(request.body).file),
  )
}

function captureRoutes(app: FastifyInstance, context: ApiContext): void {
  const READ = mayOrPublic('captures:read')
  app.get('/captures', READ, (request) => {
    const { newest, ...query } = captureQuery.parse(request.query)
    const store = context.access.storeFor(request)
    return store.call('listCaptures', { ...query, newestFirst: newest ?? false })
  })
  app.get('/captures/content', READ, async (request, reply) => {
    const content = await readContent(seenBy(context, request), contentQuery.parse(request.query))
    return reply.headers(content.headers).send(content.body)
  })
  app.get('/captures/place', READ, (request) =>
    findPlace(seenBy(context, request), placeQuery.parse(request.query)),
  )
}
