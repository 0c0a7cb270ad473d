/** The parts of a coordinator that work next to its pipeline, each made of what all of them share. */
import { randomBytes, randomUUID } from 'node:crypto'
import { PASSWORD_COST } from '@minga/fleet'
import type { ForeignLimits } from '@minga/frontier'
import { createLocLookup, createTxtLookup } from '@minga/net'
import type { BatchView, ReplayOrigin } from '@minga/protocol'
import { AbuseMonitor } from './clients/abuse/abuse-monitor.ts'
import { Access } from './accounts/access.ts'
import { AccountMail } from './accounts/account-mail.ts'
import { Accounts } from './accounts/accounts.ts'
import { UrlIndex } from './archive/url-index.ts'
import { PasswordTries } from './accounts/password-tries.ts'
import { RateLimits } from './http/request-limits/rate-limits.ts'
import { PageTokens } from './accounts/page-tokens.ts'
import { Oidc } from './accounts/oidc.ts'
import { Passkeys } from './accounts/passkeys.ts'
import { SecondFactors } from './accounts/second-factors.ts'
import { sessionCookie } from './accounts/session-cookie.ts'
import { sessionIdleMs } from './accounts/session-times.ts'
import { Alerts } from './watch/alerts/alerts.ts'
import { createMailer } from './accounts/mail/mailer.ts'
import { DeviceAuthenticator } from './agents/device-authenticator.ts'
import { DeviceUpkeep } from './agents/device-upkeep.ts'
import type { CollectionViews } from './collect/collection-views.ts'
import { DiskWatch } from './station/event-log/disk-watch.ts'
import { EventLog } from './station/event-log/event-log.ts'
import { EventTail } from './station/event-log/event-tail.ts'
import { createFederation, type FederationServices } from './federation/create-federation.ts'
import type { SettingValues } from './station/settings/registry.ts'
import { LiveEvents } from './operate/live-events.ts'
import { LoadTests } from './site-services/load-tests/load-tests.ts'
import { Monitors } from './site-services/neutrality/monitors.ts'
import { Repartitioner } from './placement/map/repartition.ts'
import { createGraph, NO_FILES, type GraphServices } from './placement/graph/create-graph.ts'
import { BatchCloser } from './clients/close-batches.ts'
import { Pseudonyms } from './clients/pseudonyms.ts'
import { Requests } from './clients/requests.ts'
import { RequestWaiters } from './clients/request-waiters.ts'
import { SharedRates } from './http/request-limits/shared-rates.ts'
import { certificateOf, createReplayServer, type ServerOptions } from './server.ts'
import { SiteOwners } from './site-services/site-owners.ts'
import { TextIndex } from './archive/search/text-index.ts'
import { CanaryScheduler } from './agents/trust/canaries.ts'
import { freeBytesAt } from './station/disk-room.ts'
import { processorUse } from './watch/metrics/processor-use.ts'
import { WatchMetrics } from './watch/metrics/watch-metrics.ts'
import { VisitScheduler } from './watch/visits/visit-scheduler.ts'
import { ChangeSignals } from './watch/signals/change-signals.ts'
import { ViewedStore } from './accounts/visibility/read-as.ts'
import { WatchService } from './watch/watch-service.ts'

import type { AssemblyParts, Replay } from './assemble.ts'
import type { Wake } from './assemble-pipeline.ts'

/** Ids of batches: nobody guesses 80 bits. */
const ID_BYTES = 10

/** Where everything is noted, and who notes that the disk is full. */
export function eventLogOf({ store, clock, settings, data }: AssemblyParts): {
  eventLog: EventLog
  eventTail: EventTail
  noting: { tick(): Promise<void> }[]
} {
  const limits = (): { keptMs: number; most: number } => {
    const { eventsKeptMs: keptMs, eventsMost: most } = settings.current()
    return { keptMs, most }
  }
  const eventLog = new EventLog({ store, clock, limits })
  const diskWatch = new DiskWatch({ clock, eventLog, freeBytes: () => freeBytesAt(data) })
  return { eventLog, eventTail: new EventTail({ store, clock }), noting: [eventLog, diskWatch] }
}

/** What is looked after of devices: what is kept of them, and pages that try their honesty. */
export function deviceMaintenance(
  { store, clock, settings, secret }: AssemblyParts,
  { work }: Wake,
): { tick(): Promise<void> }[] {
  return [
    new DeviceUpkeep({ store, clock, settings }),
    new CanaryScheduler({ store, clock, secret, ring: () => work.notifyAll() }),
  ]
}

export async function federationOf(
  parts: AssemblyParts,
  { work, views, eventLog }: Pick<Wake, 'work'> & { views: CollectionViews; eventLog: EventLog },
): Promise<FederationServices> {
  const { store, clock, resolver, fleet, allowPrivateAddresses, publicUrl = null } = parts
  return createFederation({
    store,
    clock,
    secrets: parts.secrets,
    resolver,
    guard: { allowPrivateAddresses },
    foreignLimits: () => foreignLimits(parts.settings.current()),
    ...fleet,
    publicUrl,
    certificate: await certificateOf(parts.tls),
    ring: () => work.notifyAll(),
    changed: (id) => views.forget(id),
    log: (line) => {
      process.stderr.write(`${line}\n`)
      const message = withoutName(line)
      const noted = { subject: '', sentence: message, details: { message } }
      eventLog.note({ code: 'federation:trouble', ...noted })
    },
  })
}

function foreignLimits(values: SettingValues): ForeignLimits {
  const { foreignDelayMs: delayMs, foreignPagesMax: pagesMax, foreignBytesMax: bytesMax } = values
  return { delayMs, pagesMax, bytesMax }
}

/** What stands before a line on stderr says nothing in the log. */
function withoutName(line: string): string {
  return line.replace(/^minga: /, '')
}

export function repartitionerOf(
  { store, clock, settings, isVerbose = false }: AssemblyParts,
  { graph, live, closing }: { graph: GraphServices; live: LiveEvents; closing: AbortSignal },
): Repartitioner {
  const repartitioner = new Repartitioner({
    store,
    clock,
    settings,
    distances: graph.distances,
    writer: randomUUID(),
    closing,
    log: (line) => void (isVerbose && process.stderr.write(`${line}\n`)),
    tell: (event, data) => live.tell(event, data),
  })
  graph.collector.subscribe((batch) => repartitioner.hear(batch))
  return repartitioner
}

export function authenticatorOf(
  { store, clock, secret, settings, fleet }: AssemblyParts,
  { devices }: GraphServices,
  signatureAgent: () => string | null,
): DeviceAuthenticator {
  const onWelcome = (device: string, address: string): void =>
    devices.note(device, fleet.positionOf(address))
  const devicesMax = (): number => settings.current().devicesPerOwnerMax
  const own = { store, clock, secret, devicesMax }
  return new DeviceAuthenticator({ ...own, geo: fleet, signatureAgent, onWelcome })
}

export function liveOf({ store, clock }: AssemblyParts, closing: AbortSignal): LiveEvents {
  return new LiveEvents({
    clock,
    readPicture: (capturesMost, viewer) => {
      const seen = viewer === null ? store : new ViewedStore(store, viewer)
      return seen.call('livePicture', { capturesMost, now: clock.now() })
    },
    listHidden: (viewer) => new ViewedStore(store, viewer).call('hiddenCollections', {}),
    readSample: () => store.call('runningSample', { now: clock.now() }),
    closing,
  })
}

export function graphOf(parts: AssemblyParts): GraphServices {
  const { store, clock, settings, fleet, placeFiles: files = NO_FILES } = parts
  const { positionOf } = fleet
  const loc = parts.loc ?? createLocLookup({ clock })
  return createGraph({ store, clock, settings, source: randomUUID(), positionOf, files, loc })
}

type WatchServices = Pick<
  ServerOptions,
  'watches' | 'visitScheduler' | 'changeSignals' | 'watchMetrics' | 'alerts'
>

export function watchServicesOf(
  parts: AssemblyParts,
  { work, views, closing }: Pick<Wake, 'work'> & { views: CollectionViews; closing: AbortSignal },
): WatchServices {
  const { store, clock, settings, allowPrivateAddresses, publicUrl = null } = parts
  const guard = { allowPrivateAddresses }
  const ring = (): void => work.notifyAll()
  const visitScheduler = new VisitScheduler({ store, clock, guard, settings, ring })
  const changed = (id: number): void => {
    views.forget(id)
    visitScheduler.replanSoon()
  }
  const watches = new WatchService({ store, clock, guard, changed })
  return {
    visitScheduler,
    watches,
    changeSignals: new ChangeSignals({ ...parts, guard, publicUrl }),
    watchMetrics: new WatchMetrics({
      store,
      clock,
      freeBytes: () => freeBytesAt(parts.data),
      capacity: processorUse,
      budget: () => parts.settings.current(),
    }),
    alerts: alertsOf(parts, watches, closing),
  }
}

function alertsOf(parts: AssemblyParts, watches: WatchService, closing: AbortSignal): Alerts {
  const { store, clock, resolver, data, secret, settings, publicUrl = null, mail } = parts
  return new Alerts({
    store,
    clock,
    resolver,
    data,
    secret,
    secrets: parts.secrets,
    publicUrl,
    closing,
    guard: { allowPrivateAddresses: parts.allowPrivateAddresses },
    limits: new RateLimits(clock),
    sendMail: mail === undefined ? null : createMailer(mail),
    language: () => settings.current().messageLanguage,
    mailsPerHour: () => settings.current().mailsPerHour,
    requireChanger: (by, id) => watches.requireChanger(by, id),
  })
}

type ArchiveServices = Pick<ServerOptions, 'urlIndex' | 'texts' | 'publicUrl' | 'replayOrigin'>

export async function archiveOf(
  parts: AssemblyParts & { eventLog: EventLog },
  { access, rates }: Pick<ServerOptions, 'access' | 'rates'>,
): Promise<ArchiveServices & { replay: Replay }> {
  const { publicUrl = null, playerFolder = null } = parts
  const urlIndex = new UrlIndex(parts)
  const origin: ReplayOrigin = { url: null, port: null }
  const charactersMost = (): number => parts.settings.current().textCharacters
  const log = (line: string): void => void process.stderr.write(`${line}\n`)
  const texts = new TextIndex({ ...parts, charactersMost, log })
  const services = { urlIndex, texts, publicUrl, replayOrigin: () => origin }
  const app = await createReplayServer({ ...parts, ...services, access, rates, playerFolder })
  return { ...services, replay: { app, origin } }
}

interface ClientServices {
  requests: Requests
  closer: BatchCloser
  waiters: RequestWaiters
}

export function clientServicesOf(
  parts: AssemblyParts,
  { work, settled }: Wake,
  closing: AbortSignal,
): ClientServices {
  const { store, clock, resolver, secret, secrets, settings, allowPrivateAddresses } = parts
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
    closer: new BatchCloser({ store, clock, resolver, guard, secrets, viewOf }),
    waiters: new RequestWaiters({ store, clock, settled, closing }),
  }
}

export function siteOwnersOf(parts: AssemblyParts, { work, settled }: Wake): SiteOwners {
  const { store, clock, settings, allowPrivateAddresses } = parts
  const txt = parts.txt ?? createTxtLookup({})
  const limits = new RateLimits(clock)
  const guard = { allowPrivateAddresses }
  return new SiteOwners({ store, clock, guard, settings, work, settled, txt, limits })
}

export function loadTestsOf(
  parts: AssemblyParts,
  { work }: Wake,
  { siteOwners, closing }: { siteOwners: SiteOwners; closing: AbortSignal },
): LoadTests {
  const { store, clock, resolver, secret, settings, allowPrivateAddresses, fleet } = parts
  return new LoadTests({
    store,
    clock,
    resolver,
    userAgent: parts.userAgent,
    closing,
    guard: { allowPrivateAddresses },
    countryOf: fleet.countryOf,
    positionOf: fleet.positionOf,
    secret,
    limits: new RateLimits(clock),
    siteOwners,
    delayMs: () => settings.current().delayMs,
    ring: () => work.notifyAll(),
  })
}

export function monitorsOf(parts: AssemblyParts, { work }: Wake): Monitors {
  const { store, clock, secret, allowPrivateAddresses } = parts
  return new Monitors({
    store,
    clock,
    guard: { allowPrivateAddresses },
    limits: new RateLimits(clock),
    pseudonyms: new Pseudonyms(secret),
    ring: () => work.notifyAll(),
  })
}

export function abuseMonitorOf(
  parts: AssemblyParts,
  live: LiveEvents,
  eventLog: EventLog,
): AbuseMonitor {
  const { store, clock, settings, resolver, secret, allowPrivateAddresses } = parts
  return new AbuseMonitor({
    store,
    clock,
    settings,
    resolver,
    guard: { allowPrivateAddresses },
    secret,
    log: (line) => void process.stderr.write(`${line}\n`),
    eventLog,
    tell: (event, data) => live.tell(event, data),
  })
}

type PeopleParts =
  | 'access'
  | 'accounts'
  | 'accountMail'
  | 'cookie'
  | 'oidc'
  | 'pageTokens'
  | 'passkeys'
  | 'rates'
  | 'secondFactors'

export function accountParts(
  parts: AssemblyParts,
  eventLog: EventLog,
): Pick<ServerOptions, PeopleParts> {
  const { store, clock, readOpenly, isInProcess, passwordCost = PASSWORD_COST } = parts
  const shared = { store, clock, eventLog, limits: new RateLimits(clock) }
  const secondFactors = new SecondFactors({ ...shared, secrets: parts.secrets })
  const tries = new PasswordTries({ ...shared, secrets: parts.secrets })
  const accounts = new Accounts({ ...shared, tries, passwordCost, secondFactors })
  const { mail, settings } = parts
  const cookie = sessionCookie(parts.secrets.cookieTag, parts.tls !== null)
  const pageTokens = new PageTokens(parts)
  return {
    cookie,
    pageTokens,
    rates: new SharedRates(parts),
    access: new Access({
      store,
      clock,
      cookie,
      pageTokens,
      readOpenly,
      isInProcess,
      sessionIdleMs: () => sessionIdleMs(parts.settings),
    }),
    accounts,
    secondFactors,
    oidc: new Oidc({
      ...shared,
      secrets: parts.secrets,
      resolver: parts.resolver,
      guard: { allowPrivateAddresses: parts.allowPrivateAddresses },
      oidc: parts.oidc ?? null,
      mayRegister: () => settings.current().oidcRegistration === 'on',
    }),
    passkeys: new Passkeys({ ...shared, secrets: parts.secrets }),
    accountMail: new AccountMail({
      ...shared,
      accounts,
      sendMail: mail === undefined ? null : createMailer(mail),
      language: () => settings.current().messageLanguage,
    }),
  }
}
