/** What programs, the command line and the page ask of a station. */
import type { ReplayOrigin } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { abuseRoutes } from './clients/abuse/abuse-routes.ts'
import { may, mayOrPublic, type Access } from './accounts/access.ts'
import { alertRoutes } from './watch/alerts/alert-routes.ts'
import type { Alerts } from './watch/alerts/alerts.ts'
import { attentionRoutes } from './operate/attention/attention-routes.ts'
import { archiveRoutes } from './archive/archive-routes.ts'
import { seenBy } from './archive/seen-parts.ts'
import type { UrlIndex } from './archive/url-index.ts'
import { accountEndRoutes } from './accounts/account-end-routes.ts'
import { accountRoutes } from './accounts/account-routes.ts'
import type { AccountMail } from './accounts/account-mail.ts'
import type { Accounts } from './accounts/accounts.ts'
import { emailRoutes } from './accounts/email-routes.ts'
import { keyRoutes } from './accounts/key-routes.ts'
import type { PageTokens } from './accounts/page-tokens.ts'
import { oidcRoutes } from './accounts/oidc-routes.ts'
import type { Oidc } from './accounts/oidc.ts'
import { passkeyRoutes } from './accounts/passkey-routes.ts'
import type { Passkeys } from './accounts/passkeys.ts'
import { secondFactorRoutes } from './accounts/second-factor-routes.ts'
import type { SecondFactors } from './accounts/second-factors.ts'
import type { SessionCookie } from './accounts/session-cookie.ts'
import { sessionRoutes } from './accounts/session-routes.ts'
import { signInRoutes } from './accounts/sign-in-routes.ts'
import { ticketRoutes } from './accounts/ticket-routes.ts'
import type { DeviceAuthenticator } from './agents/device-authenticator.ts'
import { joinFactsRoute } from './agents/agent-program.ts'
import { deviceRoutes } from './agents/device-routes.ts'
import { writeArchiveIndex } from './archive/captures/archive-index.ts'
import type { CollectionService } from './collect/collection-service.ts'
import { collectionRoutes } from './collect/collection-routes.ts'
import { auditRoutes } from './operate/audit-log/audit-routes.ts'
import { eventLogRoutes } from './operate/event-log-routes.ts'
import type { EventTail } from './station/event-log/event-tail.ts'
import type { FederationAdmin } from './federation/federation-admin.ts'
import { federationRoutes } from './federation/federation-routes.ts'
import type { Federation } from './federation/federation.ts'
import { filterRoutes } from './collect/filters/filter-routes.ts'
import { sealAnswers } from './http/browser-guard.ts'
import { findPlace, readContent } from './archive/captures/capture-content.ts'
import { importWarc } from './archive/import/import-warc.ts'
import type { LakeServices } from './lake/create-lake.ts'
import { queryRoutes } from './lake/queries/query-routes.ts'
import { savedRoutes } from './lake/queries/saved-routes.ts'
import { sqlRoutes } from './lake/sql/sql-routes.ts'
import { tableRoutes } from './lake/tables/table-routes.ts'
import { taskRoutes } from './lake/workers/task-routes.ts'
import { uploadRoutes } from './lake/uploads/upload-routes.ts'
import { loadTestRoutes } from './site-services/load-tests/load-test-routes.ts'
import type { LoadTests } from './site-services/load-tests/load-tests.ts'
import { liveRoutes, type LiveEvents } from './operate/live-events.ts'
import { monitorRoutes } from './site-services/neutrality/monitor-routes.ts'
import type { Monitors } from './site-services/neutrality/monitors.ts'
import type { Pipeline } from './pipeline/pipeline.ts'
import { graphRoutes } from './placement/graph/graph-routes.ts'
import type { GraphServices } from './placement/graph/create-graph.ts'
import { mapRoutes } from './placement/map/map-routes.ts'
import type { Repartitioner } from './placement/map/repartition.ts'
import { moneyRoutes } from './clients/money-routes.ts'
import { openApiRoute } from './http/openapi-route.ts'
import { repairStep } from './archive/repair/repair.ts'
import { settingRoutes } from './operate/setting-routes.ts'
import { siteOwnerRoutes } from './site-services/site-owner-routes.ts'
import type { SiteOwners } from './site-services/site-owners.ts'
import { trustRoutes } from './agents/trust/trust-routes.ts'
import { requestRoutes } from './clients/request-routes.ts'
import type { Requests } from './clients/requests.ts'
import type { RequestWaiters } from './clients/request-waiters.ts'
import type { StationTokens } from './station/station-file.ts'
import type { TextIndex } from './archive/search/text-index.ts'
import { textRoutes } from './archive/search/text-routes.ts'
import { jobRoutes } from './operate/jobs/job-routes.ts'
import { takedownRoutes } from './archive/takedown/takedown-routes.ts'
import type { Takedowns } from './archive/takedown/takedowns.ts'
import { metricsRoutes } from './watch/metrics/metrics-routes.ts'
import type { WatchMetrics } from './watch/metrics/watch-metrics.ts'
import { requireVisible } from './accounts/visibility/require-visible.ts'
import { sharingRoutes } from './accounts/visibility/sharing-routes.ts'
import { visitRoutes } from './watch/visits/visit-routes.ts'
import type { VisitScheduler } from './watch/visits/visit-scheduler.ts'
import type { ChangeSignals } from './watch/signals/change-signals.ts'
import { signalRoutes } from './watch/signals/signal-routes.ts'
import { noiseRoutes } from './watch/noise-routes.ts'
import { watchRoutes } from './watch/watch-routes.ts'
import type { WatchService } from './watch/watch-service.ts'
import { wikiV1Routes } from './wiki/v1/v1-routes.ts'
import { wikiRoutes } from './wiki/wiki-routes.ts'
import type { WikiService } from './wiki/wiki-service.ts'
import type { Station } from './station/station.ts'

export interface ApiParts extends Station {
  pipeline: Pipeline
  authenticator: DeviceAuthenticator
  tokens: StationTokens
  live: LiveEvents
  collectionService: CollectionService
  eventTail: EventTail
  requests: Requests
  waiters: RequestWaiters
  access: Access
  accounts: Accounts
  accountMail: AccountMail
  secondFactors: SecondFactors
  passkeys: Passkeys
  oidc: Oidc
  cookie: SessionCookie
  pageTokens: PageTokens
  siteOwners: SiteOwners
  loadTests: LoadTests
  monitors: Monitors
  urlIndex: UrlIndex
  texts: TextIndex
  replayOrigin: () => ReplayOrigin
  /** How to reach the operator; null when no contact is configured. */
  contact?: string | null
  watches: WatchService
  takedowns: Takedowns
  wikis: WikiService
  alerts: Alerts
  changeSignals: ChangeSignals
  visitScheduler: VisitScheduler
  watchMetrics: WatchMetrics
  graph: GraphServices
  repartitioner: Repartitioner
  federation: Federation
  federationAdmin: FederationAdmin
  lake: LakeServices
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
const contentQuery = placeQuery.extend({
  form: z.enum(['body', 'raw', 'headers']).default('body'),
})
const repairBody = z.object({
  afterId: z.number().int().min(0).default(0),
  collectionId: z.number().int().min(0).nullable().default(null),
  onlyUnresolved: z.boolean().default(false),
  dryRun: z.boolean().default(false),
})
const importBody = z.object({ file: z.string().min(1) })

export function apiRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { store } = parts
  app.addHook('onRequest', (request) => parts.access.meet(request))
  app.addHook('onRequest', (request) => requireVisible(parts, request))
  sealAnswers(app)

  openApiRoute(app)
  joinFactsRoute(app, parts)
  sessionRoutes(app, parts)
  signInRoutes(app, parts)
  ticketRoutes(app, parts)
  accountRoutes(app, parts)
  accountEndRoutes(app, parts)
  emailRoutes(app, parts)
  secondFactorRoutes(app, parts)
  passkeyRoutes(app, parts)
  oidcRoutes(app, parts)
  keyRoutes(app, parts)
  deviceRoutes(app, parts)
  liveRoutes(app, parts)
  auditRoutes(app, parts)
  eventLogRoutes(app, parts)
  requestRoutes(app, parts)
  moneyRoutes(app, parts)
  settingRoutes(app, parts)
  siteOwnerRoutes(app, parts)
  loadTestRoutes(app, parts)
  monitorRoutes(app, parts)
  watchRoutes(app, parts)
  noiseRoutes(app, parts)
  signalRoutes(app, parts)
  alertRoutes(app, parts)
  visitRoutes(app, parts)
  metricsRoutes(app, parts)
  trustRoutes(app, parts)
  abuseRoutes(app, parts)
  filterRoutes(app, parts)
  graphRoutes(app, parts)
  mapRoutes(app, parts)
  federationRoutes(app, parts)
  wikiRoutes(app, parts)
  wikiV1Routes(app, parts)
  queryRoutes(app, parts)
  uploadRoutes(app, parts)
  tableRoutes(app, parts)
  sqlRoutes(app, parts)
  taskRoutes(app, parts)
  jobRoutes(app, parts)
  attentionRoutes(app, parts)
  savedRoutes(app, parts)
  collectionRoutes(app, parts)
  sharingRoutes(app, parts)
  captureRoutes(app, parts)
  archiveRoutes(app, parts)
  textRoutes(app, parts)
  takedownRoutes(app, parts)
  app.get('/archive/facts', may('captures:read'), () => store.call('archiveFacts', {}))
  app.post('/archive/index', may('archive:index'), () => writeArchiveIndex(store, parts.data))
  app.post('/archive/repair', may('archive:index'), (request) =>
    repairStep(parts, repairBody.parse(request.body)),
  )
  app.get('/archive/superseded', may('captures:read'), (request) =>
    parts.access.storeFor(request).call('supersededRecords', {}),
  )
  app.post('/archive/import', may('archive:import'), (request) =>
    importWarc(parts, importBody.parse(request.body).file),
  )
}

function captureRoutes(app: FastifyInstance, parts: ApiParts): void {
  const READ = mayOrPublic('captures:read')
  app.get('/captures', READ, (request) => {
    const { newest, ...query } = captureQuery.parse(request.query)
    const store = parts.access.storeFor(request)
    return store.call('listCaptures', { ...query, newestFirst: newest ?? false })
  })
  app.get('/captures/content', READ, async (request, reply) => {
    const content = await readContent(seenBy(parts, request), contentQuery.parse(request.query))
    return reply.headers(content.headers).send(content.body)
  })
  app.get('/captures/place', READ, (request) =>
    findPlace(seenBy(parts, request), placeQuery.parse(request.query)),
  )
}
