/** The parts of a coordinator that work next to its pipeline, each made of what all of them share. */
import { randomUUID } from 'node:crypto'
import { PASSWORD_COST } from '@minga/fleet'
import { createLocLookup } from '@minga/net'
import type { BatchView, ReplayOrigin } from '@minga/protocol'
import { Access } from './accounts/access.ts'
import type { AccountServices } from './accounts/account-context.ts'
import type { ArchiveServices } from './archive/archive-context.ts'
import type { WatchServices } from './watch/watch-context.ts'
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
import { Alerts } from './watch/alerts/alerts.ts'
import { createMailer } from './accounts/mail/mailer.ts'
import { DeviceAuthenticator } from './agents/device-authenticator.ts'
import type { CollectionViews } from './collect/collection-views.ts'
import { DiskWatch } from './station/event-log/disk-watch.ts'
import { EventLog } from './station/event-log/event-log.ts'
import { createFederation, type FederationServices } from './federation/create-federation.ts'
import { LiveEvents } from './operate/live-events.ts'
import { Repartitioner } from './placement/map/repartition.ts'
import { createGraph, NO_FILES, type GraphServices } from './placement/graph/create-graph.ts'
import { BatchCloser } from './clients/close-batches.ts'
import { Requests } from './clients/requests.ts'
import { RequestWaiters } from './clients/request-waiters.ts'
import { SharedRates } from './http/request-limits/shared-rates.ts'
import { certificateOf, createReplayServer, type ServerOptions } from './server.ts'
import { TextIndex } from './archive/search/text-index.ts'
import { freeBytesAt } from './station/disk-room.ts'
import { WatchMetrics, processorUse } from './watch/metrics/watch-metrics.ts'
import { VisitScheduler } from './watch/visits/visit-scheduler.ts'
import { ChangeSignals } from './watch/signals/change-signals.ts'
import { ViewedStore } from './accounts/visibility/read-as.ts'
import { WatchService } from './watch/watch-service.ts'

import type { AssemblyOptions, Replay, StartedStation } from './assemble.ts'
import type { Station } from './station/station.ts'

/** Where everything is noted, and who notes that the disk is full. */
export function eventLogOf({ store, clock, settings, data }: AssemblyOptions): {
  eventLog: EventLog
  noting: { tick(): Promise<void> }[]
} {
  const limits = (): { keptMs: number; most: number } => {
    const { eventsKeptMs: keptMs, eventsMost: most } = settings.current()
    return { keptMs, most }
  }
  const eventLog = new EventLog({ store, clock, limits })
  const diskWatch = new DiskWatch({ clock, eventLog, freeBytes: () => freeBytesAt(data) })
  return { eventLog, noting: [eventLog, diskWatch] }
}

export async function federationOf(
  station: StartedStation,
  views: CollectionViews,
): Promise<FederationServices> {
  const certificate = await certificateOf(station.tls)
  return createFederation(station, certificate, (id) => views.forget(id))
}

export function repartitionerOf(
  station: StartedStation,
  { graph, live }: { graph: GraphServices; live: LiveEvents },
): Repartitioner {
  const repartitioner = new Repartitioner(station, {
    distances: graph.distances,
    writer: randomUUID(),
    log: (line) => void (station.isVerbose && station.log(line)),
    tell: (event, data) => live.tell(event, data),
  })
  graph.collector.subscribe((batch) => repartitioner.hear(batch))
  return repartitioner
}

export function authenticatorOf(station: Station, { devices }: GraphServices): DeviceAuthenticator {
  return new DeviceAuthenticator(station, (device, address) =>
    devices.note(device, station.positionOf(address)),
  )
}

export function liveOf({ store, clock, closing }: Station): LiveEvents {
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

export function graphOf(station: StartedStation): GraphServices {
  const { placeFiles: files = NO_FILES, loc = createLocLookup(station) } = station
  return createGraph(station, { files, loc })
}

export function watchServicesOf(station: StartedStation, views: CollectionViews): WatchServices {
  const { data, settings, mail } = station
  const visitScheduler = new VisitScheduler(station)
  const changed = (id: number): void => {
    views.forget(id)
    visitScheduler.replanSoon()
  }
  const watches = new WatchService(station, changed)
  return {
    visitScheduler,
    watches,
    changeSignals: new ChangeSignals(station),
    watchMetrics: new WatchMetrics({
      ...station,
      freeBytes: () => freeBytesAt(data),
      capacity: processorUse,
      budget: () => settings.current(),
    }),
    alerts: new Alerts(station, {
      sendMail: mail === undefined ? null : createMailer(mail),
      requireChanger: (by, id) => watches.requireChanger(by, id),
    }),
  }
}

export async function archiveOf(
  station: StartedStation,
  { access, rates }: Pick<ServerOptions, 'access' | 'rates'>,
): Promise<ArchiveServices & { replay: Replay }> {
  const { playerFolder = null } = station
  const urlIndex = new UrlIndex(station)
  const origin: ReplayOrigin = { url: null, port: null }
  const charactersMost = (): number => station.settings.current().textCharacters
  const texts = new TextIndex({ ...station, charactersMost })
  const services = { urlIndex, texts, replayOrigin: () => origin }
  const app = await createReplayServer({ ...station, ...services, access, rates, playerFolder })
  return { ...services, replay: { app, origin } }
}

export function clientServicesOf(station: Station) {
  const requests = new Requests(station)
  const viewOf = (id: string): Promise<BatchView> => requests.status(null, id)
  return {
    requests,
    closer: new BatchCloser(station, viewOf),
    waiters: new RequestWaiters(station),
  }
}

export function accountServicesOf(
  station: StartedStation,
): AccountServices & Pick<ServerOptions, 'rates'> {
  const { mail, passwordCost = PASSWORD_COST, isInProcess } = station
  const limits = new RateLimits(station.clock)
  const secondFactors = new SecondFactors(station, limits)
  const tries = new PasswordTries(station, limits)
  const accounts = new Accounts(station, { limits, tries, passwordCost, secondFactors })
  const cookie = sessionCookie(station.secrets.cookieTag, station.tls !== null)
  const pageTokens = new PageTokens(station)
  const sendMail = mail === undefined ? null : createMailer(mail)
  return {
    cookie,
    pageTokens,
    rates: new SharedRates(station),
    access: new Access(station, { cookie, pageTokens, isInProcess }),
    accounts,
    secondFactors,
    oidc: new Oidc(station, { limits, oidc: station.oidc ?? null }),
    passkeys: new Passkeys(station, limits),
    accountMail: new AccountMail(station, { limits, accounts, sendMail }),
  }
}
