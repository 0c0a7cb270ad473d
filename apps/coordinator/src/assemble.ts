/** Puts the parts of a coordinator together: pipeline, live events and server over one store. */
import { randomBytes, randomUUID } from 'node:crypto'
import { PASSWORD_COST, type PasswordCost } from '@minga/fleet'
import {
  createLocLookup,
  createTxtLookup,
  type LocLookup,
  type Resolver,
  type TxtLookup,
} from '@minga/net'
import type { BatchView, ReplayOrigin } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { AbuseWatch } from './abuse/abuse-watch.ts'
import { Access, type AccessParts } from './access.ts'
import { Accounts } from './accounts/accounts.ts'
import { UrlIndex } from './archive-access/url-index.ts'
import { RateLimits } from './accounts/rate-limits.ts'
import { sessionCookie } from './accounts/session-cookie.ts'
import { Alerts } from './alerts/alerts.ts'
import { createMailer, type MailSettings } from './alerts/mailer.ts'
import { AgentDoor } from './agents/agent-door.ts'
import { DeviceUpkeep } from './agents/device-upkeep.ts'
import type { Places } from './countries.ts'
import { federationSide, type FederationSide } from './federation/federation-side.ts'
import { LiveEvents } from './live-events.ts'
import { LoadTests } from './load-tests/load-tests.ts'
import { Monitors } from './neutrality/monitors.ts'
import { Pipeline } from './pipeline.ts'
import { Repartitioner } from './place/repartition.ts'
import { graphSide, NO_FILES, type GraphSide, type OperatorFiles } from './place/graph-side.ts'
import { BatchCloser } from './requests/close-batches.ts'
import { Pseudonyms } from './requests/pseudonyms.ts'
import { Requests } from './requests/requests.ts'
import { RequestWaiters } from './requests/request-waiters.ts'
import { certificateOf, createReplayServer, createServer, type ServerOptions } from './server.ts'
import { SiteOwners } from './site-owners/site-owners.ts'
import { CanaryKeeper } from './trust/canaries.ts'
import { freeBytesAt } from './watch-metrics/disk-room.ts'
import { processorUse } from './watch-metrics/processor-use.ts'
import { WatchMetrics } from './watch-metrics/watch-metrics.ts'
import { Watching } from './visits/watching.ts'
import { Listening } from './watches/signals/listening.ts'
import { Watches } from './watches/watches.ts'

type Assembled = 'pipeline' | 'door' | 'live' | 'closing' | 'requests' | 'waiters' | 'clientOf'
type OfAccounts =
  | 'access'
  | 'accounts'
  | 'cookie'
  | 'siteOwners'
  | 'signatureAgent'
  | 'loadTests'
  | 'monitors'
  | 'urlIndex'
  | 'publicUrl'
  | 'replayOrigin'
  | 'watches'
  | 'listening'
  | 'watching'
  | 'watchMetrics'
  | 'alerts'
  | 'graph'
  | 'repartitioner'
  | 'federation'
  | 'federationActs'

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
  /** Where the player of archived pages is; null when it is not installed. */
  playerFolder?: string | null
  /** Known to this station only; it keeps volunteers from being followed. */
  secret: string
  readOpenly: AccessParts['readOpenly']
  isInProcess: AccessParts['isInProcess']
  passwordCost?: PasswordCost
  fleet: FleetSettings
}

/** Its places are as the operator's GeoIP file says. */
export interface FleetSettings extends Places {
  /** A number from 0 up to, not including, 1. */
  random: () => number
}

export interface Assembly {
  pipeline: Pipeline
  /** Each to be called about once a second. */
  ticking: { tick(): Promise<void> }[]
  live: LiveEvents
  app: FastifyInstance
  replay: Replay
  /** To be aborted first when the station closes: long polls and streams end at once. */
  closing: AbortController
  /** What it gathered is to be flushed before the store closes. */
  graph: GraphSide
  federation: FederationSide['federation']
}

/** The origin of archived pages: a server of its own, and where it is once it listens. */
export interface Replay {
  app: FastifyInstance
  origin: ReplayOrigin
}

/** Ids of batches: nobody guesses 80 bits. */
const ID_BYTES = 10

export async function assemble(parts: AssemblyParts): Promise<Assembly> {
  const { store, clock, resolver, allowPrivateAddresses } = parts
  const { secret, settings, fleet } = parts
  const guard = { allowPrivateAddresses }
  const { data } = parts
  const pipeline = new Pipeline({ store, clock, resolver, guard, settings, data, secret, ...fleet })
  const signatureAgent = (): string | null =>
    settings.current().webBotAuth === 'on' ? (parts.publicUrl ?? null) : null
  const graph = graphSideOf(parts, pipeline)
  const door = doorOf(parts, graph, signatureAgent)
  const upkeep = new DeviceUpkeep({ store, clock, settings })
  const canaries = new CanaryKeeper({ store, clock, secret, ring: () => pipeline.work.ring() })
  const closing = new AbortController()
  const live = liveOf(parts, pipeline, closing.signal)
  const { requests, closer, waiters } = clientsSide(parts, pipeline, closing.signal)
  const people = accountParts(parts)
  const siteOwners = siteOwnersOf(parts, pipeline)
  const watch = abuseWatch(parts, live)
  const loadTests = loadTestsOf(parts, pipeline, siteOwners)
  const monitors = monitorsOf(parts, pipeline)
  const { replay, ...archive } = await archiveOf(parts, people.access)
  const watchSide = watchSideOf(parts, pipeline, closing.signal)
  const repartitioner = repartitionerOf(parts, { graph, live, closing: closing.signal })
  const side = await federationOf(parts, pipeline)
  graph.gatherer.subscribe((batch) => side.federation.tellGraph(batch))
  const app = await createServer({
    ...parts,
    ...people,
    siteOwners,
    loadTests,
    monitors,
    ...archive,
    ...watchSide,
    signatureAgent,
    graph,
    repartitioner,
    ...side,
    pipeline,
    door,
    requests,
    waiters,
    clientOf: (request) => people.access.clientOf(request),
    live,
    closing: closing.signal,
  })
  const { watching, listening, alerts } = watchSide
  const keepers = [upkeep, canaries, siteOwners, watch, loadTests, monitors]
  const watchers = [watching, listening, alerts, archive.urlIndex]
  return {
    ticking: [
      settings,
      side.federation,
      pipeline,
      requests,
      closer,
      ...keepers,
      ...watchers,
      ...graph.ticking,
      repartitioner,
    ],
    pipeline,
    live,
    app,
    replay,
    closing,
    graph,
    federation: side.federation,
  }
}

async function federationOf(parts: AssemblyParts, pipeline: Pipeline): Promise<FederationSide> {
  const { store, clock, resolver, fleet, allowPrivateAddresses, publicUrl = null } = parts
  const side = await federationSide({
    store,
    clock,
    resolver,
    guard: { allowPrivateAddresses },
    ...fleet,
    publicUrl,
    certificate: await certificateOf(parts.tls),
    ring: () => pipeline.work.ring(),
    changed: (id) => pipeline.forgetScope(id),
  })
  pipeline.right = side.federation
  return side
}

function repartitionerOf(
  { store, clock, settings }: AssemblyParts,
  { graph, live, closing }: { graph: GraphSide; live: LiveEvents; closing: AbortSignal },
): Repartitioner {
  const repartitioner = new Repartitioner({
    store,
    clock,
    settings,
    distances: graph.distances,
    writer: randomUUID(),
    closing,
    log: (line) => void process.stderr.write(`${line}\n`),
    tell: (event, data) => live.tell(event, data),
  })
  graph.gatherer.subscribe((batch) => repartitioner.hear(batch))
  return repartitioner
}

function doorOf(
  { store, clock, secret, fleet }: AssemblyParts,
  { devices }: GraphSide,
  signatureAgent: () => string | null,
): AgentDoor {
  const onWelcome = (device: string, address: string): void =>
    devices.note(device, fleet.positionOf(address))
  return new AgentDoor({ store, clock, secret, places: fleet, signatureAgent, onWelcome })
}

function liveOf(
  { store, clock }: AssemblyParts,
  pipeline: Pipeline,
  closing: AbortSignal,
): LiveEvents {
  return new LiveEvents({
    clock,
    readCollections: () => pipeline.statuses(),
    readCaptures: (limit) => store.call('listCaptures', { newestFirst: true, limit }),
    closing,
  })
}

function graphSideOf(parts: AssemblyParts, pipeline: Pipeline): GraphSide {
  const { store, clock, settings, fleet, placeFiles: files = NO_FILES } = parts
  const { positionOf } = fleet
  const loc = parts.loc ?? createLocLookup({ clock })
  const side = graphSide({ store, clock, settings, source: randomUUID(), positionOf, files, loc })
  pipeline.onTaken = (taken) => side.gatherer.hear(taken)
  return side
}

type WatchSide = Pick<
  ServerOptions,
  'watches' | 'watching' | 'listening' | 'watchMetrics' | 'alerts'
>

function watchSideOf(parts: AssemblyParts, pipeline: Pipeline, closing: AbortSignal): WatchSide {
  const { store, clock, settings, allowPrivateAddresses, publicUrl = null } = parts
  const guard = { allowPrivateAddresses }
  const ring = (): void => pipeline.work.ring()
  const watching = new Watching({ store, clock, guard, settings, ring })
  const changed = (id: number): void => {
    pipeline.forgetScope(id)
    watching.replanSoon()
  }
  const watches = new Watches({ store, clock, guard, changed })
  return {
    watching,
    watches,
    listening: new Listening({ ...parts, guard, publicUrl }),
    watchMetrics: new WatchMetrics({
      store,
      clock,
      freeBytes: () => freeBytesAt(parts.data),
      capacity: processorUse,
    }),
    alerts: alertsOf(parts, watches, closing),
  }
}

function alertsOf(parts: AssemblyParts, watches: Watches, closing: AbortSignal): Alerts {
  const { store, clock, resolver, data, secret, settings, publicUrl = null, mail } = parts
  return new Alerts({
    store,
    clock,
    resolver,
    data,
    secret,
    publicUrl,
    closing,
    guard: { allowPrivateAddresses: parts.allowPrivateAddresses },
    limits: new RateLimits(clock),
    sendMail: mail === undefined ? null : createMailer(mail),
    language: () => settings.current().messageLanguage,
    requireChanger: (by, id) => watches.requireChanger(by, id),
  })
}

type ArchiveSide = Pick<ServerOptions, 'urlIndex' | 'publicUrl' | 'replayOrigin'>

async function archiveOf(
  parts: AssemblyParts,
  access: Access,
): Promise<ArchiveSide & { replay: Replay }> {
  const { publicUrl = null, playerFolder = null } = parts
  const urlIndex = new UrlIndex(parts)
  const origin: ReplayOrigin = { url: null, port: null }
  const side = { urlIndex, publicUrl, replayOrigin: () => origin }
  const app = await createReplayServer({ ...parts, ...side, access, playerFolder })
  return { ...side, replay: { app, origin } }
}

interface ClientsSide {
  requests: Requests
  closer: BatchCloser
  waiters: RequestWaiters
}

function clientsSide(
  parts: AssemblyParts,
  { work, settled }: Pipeline,
  closing: AbortSignal,
): ClientsSide {
  const { store, clock, resolver, secret, settings, allowPrivateAddresses } = parts
  const guard = { allowPrivateAddresses }
  const requests = new Requests({
    store,
    clock,
    guard,
    settings,
    pseudonyms: new Pseudonyms(secret),
    secret,
    newId: () => randomBytes(ID_BYTES).toString('hex'),
    work,
  })
  const viewOf = (id: string): Promise<BatchView> => requests.status(null, id)
  return {
    requests,
    closer: new BatchCloser({ store, clock, resolver, guard, secret, viewOf }),
    waiters: new RequestWaiters({ store, clock, settled, closing }),
  }
}

function siteOwnersOf(parts: AssemblyParts, { work, settled }: Pipeline): SiteOwners {
  const { store, clock, settings, allowPrivateAddresses } = parts
  const txt = parts.txt ?? createTxtLookup({})
  const limits = new RateLimits(clock)
  const guard = { allowPrivateAddresses }
  return new SiteOwners({ store, clock, guard, settings, work, settled, txt, limits })
}

function loadTestsOf(parts: AssemblyParts, pipeline: Pipeline, siteOwners: SiteOwners): LoadTests {
  const { store, clock, resolver, secret, settings, allowPrivateAddresses, fleet } = parts
  const loadTests = new LoadTests({
    store,
    clock,
    resolver,
    guard: { allowPrivateAddresses },
    countryOf: fleet.countryOf,
    positionOf: fleet.positionOf,
    secret,
    limits: new RateLimits(clock),
    siteOwners,
    delayMs: () => settings.current().delayMs,
    ring: () => pipeline.work.ring(),
  })
  pipeline.loadPartFor = (device) => loadTests.partFor(device)
  return loadTests
}

function monitorsOf(parts: AssemblyParts, { work }: Pipeline): Monitors {
  const { store, clock, secret, allowPrivateAddresses } = parts
  return new Monitors({
    store,
    clock,
    guard: { allowPrivateAddresses },
    limits: new RateLimits(clock),
    pseudonyms: new Pseudonyms(secret),
    ring: () => work.ring(),
  })
}

function abuseWatch(parts: AssemblyParts, live: LiveEvents): AbuseWatch {
  const { store, clock, settings, resolver, secret, allowPrivateAddresses } = parts
  return new AbuseWatch({
    store,
    clock,
    settings,
    resolver,
    guard: { allowPrivateAddresses },
    secret,
    log: (line) => void process.stderr.write(`${line}\n`),
    tell: (event, data) => live.tell(event, data),
  })
}

function accountParts(parts: AssemblyParts): Pick<ServerOptions, 'access' | 'accounts' | 'cookie'> {
  const { store, clock, readOpenly, isInProcess, passwordCost = PASSWORD_COST } = parts
  const cookie = sessionCookie(parts.secret, parts.tls !== null)
  return {
    cookie,
    access: new Access({ store, clock, cookie, readOpenly, isInProcess }),
    accounts: new Accounts({ store, clock, limits: new RateLimits(clock), passwordCost }),
  }
}
