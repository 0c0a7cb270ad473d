/** Puts the parts of a coordinator together: pipeline, live events and server over one store. */
import type { PasswordCost } from '@minga/fleet'
import { createTxtLookup, type LocLookup, type TxtLookup } from '@minga/net'
import type { ReplayOrigin } from '@minga/protocol'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import { openRevisions } from '@minga/wiki'
import type { FastifyInstance } from 'fastify'
import type { OidcSettings } from './accounts/oidc.ts'
import type { MailSettings } from './accounts/mail/mailer.ts'
import { EventTail } from './station/event-log/event-tail.ts'
import type { Station } from './station/station.ts'
import type { FederationServices } from './federation/create-federation.ts'
import { DeviceUpkeep } from './agents/seen-devices.ts'
import { CanaryScheduler } from './agents/trust/canaries.ts'
import { AbuseMonitor } from './clients/abuse/abuse-monitor.ts'
import { LoadTests } from './site-services/load-tests/load-tests.ts'
import { Monitors } from './site-services/neutrality/monitors.ts'
import { SiteOwners } from './site-services/site-owners.ts'
import { createLake, type LakeServices } from './lake/create-lake.ts'
import { LiveEvents } from './operate/live-events.ts'
import { Pipeline, type RefusedResults } from './pipeline/pipeline.ts'
import type { GraphServices, OperatorFiles } from './placement/graph/create-graph.ts'
import { createServer, type ServerOptions } from './server.ts'
import type { TextIndex } from './archive/search/text-index.ts'
import { Takedowns } from './archive/takedown/takedowns.ts'
import type { Part } from './station/ticking.ts'
import { WikiService } from './wiki/wiki-service.ts'
import {
  accountServicesOf,
  archiveOf,
  authenticatorOf,
  clientServicesOf,
  eventLogOf,
  federationOf,
  graphOf,
  liveOf,
  repartitionerOf,
  watchServicesOf,
} from './assemble-sides.ts'
import type { UrlIndex } from './archive/url-index.ts'
import { CollectionService } from './collect/collection-service.ts'
import { CollectionMaintenance } from './collect/collection-maintenance.ts'
import { CollectionViews } from './collect/collection-views.ts'
import type { EventLog } from './station/event-log/event-log.ts'
import { StationFilter } from './station/filters/station-filter.ts'
import { takeDownHidden } from './wiki/hidden-revisions.ts'

/** What a station is started with, next to what its parts share. */
interface StationOptions extends Pick<
  ServerOptions,
  'tls' | 'pageFolder' | 'trustProxy' | 'tokens' | 'contact'
> {
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
  /** Nothing listens: the caller runs in this process and is its operator. */
  isInProcess: boolean
  passwordCost?: PasswordCost
}

export type StartedStation = Station & StationOptions
type Made = 'revisions' | 'eventLog' | 'log' | 'work' | 'settled' | 'closing'
export type AssemblyOptions = Omit<StartedStation, Made>

export interface Assembly {
  /** What its event log holds is to be flushed before the store closes. */
  station: Station
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

export async function assemble(parts: AssemblyOptions): Promise<Assembly> {
  const { eventLog, noting } = eventLogOf(parts)
  const abort = new AbortController()
  const station: StartedStation = {
    ...parts,
    revisions: openRevisions(parts),
    eventLog,
    log: (line) => void process.stderr.write(`${line}\n`),
    work: new ConditionVariable(),
    settled: new ConditionVariable(),
    closing: abort.signal,
  }
  const eventTail = new EventTail(station)
  const lake = createLake(station)
  const { maintenance, collectionService, views, filter } = collectionsOf(station, lake)
  const graph = graphOf(station)
  const live = liveOf(station)
  const { closer, ...clients } = clientServicesOf(station)
  const people = accountServicesOf(station)
  const siteOwners = new SiteOwners(station, station.txt ?? createTxtLookup({}))
  const abuseMonitor = new AbuseMonitor(station, (event, data) => live.tell(event, data))
  const loadTests = new LoadTests(station, siteOwners)
  const monitors = new Monitors(station)
  const { replay, ...archive } = await archiveOf(station, people)
  const wikiParts = createWikis(station, { ...archive, lake })
  const watchServices = watchServicesOf(station, views)
  const repartitioner = repartitionerOf(station, { graph, live })
  const federationServices = await federationOf(station, views)
  graph.collector.subscribe((batch) => federationServices.federation.tellGraph(batch))
  const shared = { ...federationServices, lake, graph, loadTests }
  const pipeline = createPipeline(station, { ...shared, views, filter })
  const app = await createServer({
    ...station,
    ...people,
    ...shared,
    ...archive,
    ...watchServices,
    ...wikiParts,
    ...clients,
    eventTail,
    siteOwners,
    monitors,
    repartitioner,
    pipeline,
    authenticator: authenticatorOf(station, graph),
    live,
    collectionService,
  })
  const { visitScheduler, changeSignals, alerts } = watchServices
  const core = [parts.settings, federationServices.federation, pipeline, clients.requests, closer]
  const upkeep = [maintenance, ...noting, new DeviceUpkeep(station), new CanaryScheduler(station)]
  const services = [siteOwners, abuseMonitor, loadTests, monitors]
  const watchers = [visitScheduler, changeSignals, alerts, wikiParts.wikis, repartitioner]
  const indexes = [archive.urlIndex, archive.texts, ...lake.ticking]
  return {
    ticking: [...core, ...upkeep, ...services, ...watchers, ...graph.ticking, ...indexes],
    station,
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

interface CollectionServices {
  maintenance: CollectionMaintenance
  collectionService: CollectionService
  views: CollectionViews
  filter: StationFilter
}

/** The pipeline of a coordinator, and the parts that it and the lake have to know of. */
function collectionsOf(station: Station, lake: LakeServices): CollectionServices {
  const maintenance = new CollectionMaintenance(station)
  const views = new CollectionViews(station.store)
  const filter = new StationFilter(station.settings)
  const collectionService = new CollectionService(station, {
    views,
    filter,
    checkExtract: (spec, owner) => lake.extracts.check(spec, owner),
    maintenance,
  })
  return { maintenance, collectionService, views, filter }
}

interface PipelineOptions extends Pick<CollectionServices, 'views' | 'filter'> {
  federation: FederationServices['federation']
  loadTests: LoadTests
  lake: LakeServices
  graph: GraphServices
}

/** What requests and their answers travel, with all that has to do with it. */
function createPipeline(station: Station, options: PipelineOptions): Pipeline {
  const { federation, loadTests, lake, graph, ...deps } = options
  return new Pipeline(station, {
    ...deps,
    right: federation,
    loadPartFor: (device) => loadTests.partFor(device),
    notedFeeds: (results) => lake.feeds.noted(results),
    onCommitted: (upload) => graph.collector.hear(upload),
    onRefused: (refused) => noteRefused(station.eventLog, refused),
  })
}

function noteRefused(eventLog: EventLog, { device, dropped, refused }: RefusedResults): void {
  if (dropped + refused === 0) return
  const sentence = `Of an upload, ${dropped} results were dropped because they are not leased to the device, and ${refused} because their records do not hold.`
  const details = { dropped, refused }
  eventLog.note({ code: 'agent:refused', subject: device, device, sentence, details })
}

/** What wikis hide is taken down, and what is taken down leaves the lake. */
function createWikis(
  station: Station,
  { urlIndex, lake }: { urlIndex: UrlIndex; lake: LakeServices },
): { takedowns: Takedowns; wikis: WikiService } {
  const forgetRows = (): Promise<void> => lake.feeds.purge()
  const takedowns = new Takedowns(station, { urlIndex, forgetRows })
  const wikis = new WikiService(station, () => takeDownHidden(station, takedowns))
  return { takedowns, wikis }
}
