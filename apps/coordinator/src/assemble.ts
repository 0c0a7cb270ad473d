/** Puts the parts of a coordinator together: pipeline, live events and server over one store. */
import type { PasswordCost } from '@minga/fleet'
import type { LocLookup, Resolver, TxtLookup } from '@minga/net'
import type { ReplayOrigin } from '@minga/protocol'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import { openRevisions } from '@minga/wiki'
import type { FastifyInstance } from 'fastify'
import type { AccessParts } from './accounts/access.ts'
import type { OidcSettings } from './accounts/oidc.ts'
import type { MailSettings } from './accounts/mail/mailer.ts'
import type { GeoLookup } from './station/geoip.ts'
import type { EventLog } from './station/event-log/event-log.ts'
import type { FederationServices } from './federation/create-federation.ts'
import { createLake, type LakeServices } from './lake/create-lake.ts'
import { LiveEvents } from './operate/live-events.ts'
import type { Pipeline } from './pipeline/pipeline.ts'
import type { GraphServices, OperatorFiles } from './placement/graph/create-graph.ts'
import type { StationSecrets } from './station/secrets/station-secrets.ts'
import { createServer, type ServerOptions } from './server.ts'
import type { TextIndex } from './archive/search/text-index.ts'
import type { Takedowns } from './archive/takedown/takedowns.ts'
import type { Part } from './station/ticking.ts'
import type { WikiService } from './wiki/wiki-service.ts'

import { collectionsOf, createPipeline, createWikis } from './assemble-pipeline.ts'
import {
  deviceMaintenance,
  eventLogOf,
  federationOf,
  repartitionerOf,
  authenticatorOf,
  liveOf,
  graphOf,
  watchServicesOf,
  archiveOf,
  clientServicesOf,
  siteOwnersOf,
  loadTestsOf,
  monitorsOf,
  abuseMonitorOf,
  accountParts,
} from './assemble-sides.ts'

type Assembled =
  | 'eventLog'
  | 'eventTail'
  | 'pipeline'
  | 'authenticator'
  | 'live'
  | 'closing'
  | 'requests'
  | 'waiters'
  | 'clientOf'
  | 'rates'
type OfAccounts =
  | 'collectionService'
  | 'access'
  | 'accounts'
  | 'accountMail'
  | 'secondFactors'
  | 'passkeys'
  | 'oidc'
  | 'cookie'
  | 'pageTokens'
  | 'siteOwners'
  | 'signatureAgent'
  | 'loadTests'
  | 'monitors'
  | 'urlIndex'
  | 'texts'
  | 'publicUrl'
  | 'replayOrigin'
  | 'watches'
  | 'takedowns'
  | 'wikis'
  | 'changeSignals'
  | 'visitScheduler'
  | 'watchMetrics'
  | 'alerts'
  | 'graph'
  | 'repartitioner'
  | 'federation'
  | 'federationAdmin'
  | 'lake'

export interface AssemblyParts extends Omit<ServerOptions, Assembled | OfAccounts> {
  resolver: Resolver
  /** Where the world reaches this station, as in `https://minga.example`; null when it cannot. */
  publicUrl?: string | null
  /** How TXT records are looked up, if not by the system's servers. */
  txt?: TxtLookup
  /** How LOC records are, likewise. */
  loc?: LocLookup
  /** What the operator's files say of places and routes. */
  placeFiles?: OperatorFiles
  /** By which server alerts are mailed; without it they are not. */
  mail?: MailSettings
  /** By which issuer people log in, besides passwords. */
  oidc?: OidcSettings
  /** Where the player of archived pages is; null when it is not installed. */
  playerFolder?: string | null
  /** Each change of the placement of hosts is reported on stderr. */
  isVerbose?: boolean
  /** Of the DuckDB service; without it DuckDB runs in children of this process. */
  duckdbSocket?: string
  /** Whether other coordinators may have the same store. */
  isShared?: boolean
  /** Known to this station only; it keeps volunteers from being followed. */
  secret: string
  /** Opens what the database holds encrypted, and accepts what former secrets made. */
  secrets: StationSecrets
  isInProcess: AccessParts['isInProcess']
  passwordCost?: PasswordCost
  fleet: FleetSettings
}

/** Its places are as the operator's GeoIP file says. */
export interface FleetSettings extends GeoLookup {
  /** A number from 0 up to, not including, 1. */
  random: () => number
}

export interface Assembly {
  /** What it holds is to be flushed before the store closes. */
  eventLog: EventLog
  pipeline: Pipeline
  ticking: Part[]
  live: LiveEvents
  app: FastifyInstance
  replay: Replay
  /** To be aborted first when the station closes: long polls and streams end at once. */
  closing: AbortController
  /** What it gathered is to be flushed before the store closes. */
  graph: GraphServices
  federation: FederationServices['federation']
  /** What arrived of wikis is to be written to files before the store closes. */
  wikis: WikiService
  /** What was asked for and not finished when the station died is to be finished before it serves. */
  takedowns: Takedowns
  /** What it has under way is to be finished before the store closes. */
  texts: TextIndex
  lake: LakeServices
}

/** The origin of archived pages: a server of its own, and where it is once it listens. */
export interface Replay {
  app: FastifyInstance
  origin: ReplayOrigin
}

export async function assemble(parts: AssemblyParts): Promise<Assembly> {
  const { noting, ...log } = eventLogOf(parts)
  const wake = { work: new ConditionVariable(), settled: new ConditionVariable() }
  const abort = new AbortController()
  const closing = abort.signal
  const signatureAgent = (): string | null => signatureAgentOf(parts)
  const revisions = openRevisions(parts)
  const lake = createLake({ ...parts, revisions, closing })
  const { maintenance, collectionService, views, filter } = collectionsOf(parts, { wake, lake })
  const graph = graphOf(parts)
  const authenticator = authenticatorOf(parts, graph, signatureAgent)
  const live = liveOf(parts, closing)
  const { closer, ...clients } = clientServicesOf(parts, wake, closing)
  const people = accountParts(parts, log.eventLog)
  const siteOwners = siteOwnersOf(parts, wake)
  const abuseMonitor = abuseMonitorOf(parts, live, log.eventLog)
  const loadTests = loadTestsOf(parts, wake, { siteOwners, closing })
  const monitors = monitorsOf(parts, wake)
  const { replay, ...archive } = await archiveOf({ ...parts, ...log }, people)
  const wikiParts = createWikis(parts, { ...wake, ...archive, revisions, lake })
  const watchServices = watchServicesOf(parts, { ...wake, views, closing })
  const repartitioner = repartitionerOf(parts, { graph, live, closing })
  const federationServices = await federationOf(parts, { ...wake, ...log, views })
  graph.collector.subscribe((batch) => federationServices.federation.tellGraph(batch))
  const shared = { ...wake, ...log, ...federationServices, lake, graph, loadTests }
  const pipeline = createPipeline(parts, { ...shared, views, filter, revisions })
  const app = await createServer({
    ...parts,
    ...people,
    ...shared,
    ...archive,
    ...watchServices,
    ...wikiParts,
    ...clients,
    siteOwners,
    monitors,
    signatureAgent,
    repartitioner,
    pipeline,
    authenticator,
    clientOf: (request) => people.access.clientOf(request),
    live,
    collectionService,
    closing,
  })
  const { visitScheduler, changeSignals, alerts } = watchServices
  const core = [parts.settings, federationServices.federation, pipeline, clients.requests, closer]
  const upkeep = [maintenance, ...noting, ...deviceMaintenance(parts, wake)]
  const services = [siteOwners, abuseMonitor, loadTests, monitors]
  const watchers = [visitScheduler, changeSignals, alerts, wikiParts.wikis, repartitioner]
  const indexes = [archive.urlIndex, archive.texts, ...lake.ticking]
  return {
    ticking: [...core, ...upkeep, ...services, ...watchers, ...graph.ticking, ...indexes],
    ...log,
    pipeline,
    live,
    app,
    replay,
    closing: abort,
    graph,
    federation: federationServices.federation,
    ...wikiParts,
    texts: archive.texts,
    lake,
  }
}

/** Where the keys of signed requests are published; null when none are signed. */
function signatureAgentOf({ settings, publicUrl = null }: AssemblyParts): string | null {
  return settings.current().webBotAuth === 'on' ? publicUrl : null
}
