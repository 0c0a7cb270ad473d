/** Builds a coordinator from its settings: store, clock, pipeline, server. */
import { hash, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { newSecret, secretHash } from '@minga/fleet'
import { createLocLookup, createResolver, createTxtLookup } from '@minga/net'
import { systemClock, type Clock, type NewEvent } from '@minga/protocol'
import type { Store, StoreThread } from '@minga/store'
import type { FastifyInstance } from 'fastify'
import type { OidcSettings } from './accounts/oidc.ts'
import { newSignIn, signInAddress } from './accounts/sign-in-links.ts'
import { writeArchiveIndex } from './archive/captures/archive-index.ts'
import { assemble, type Assembly, type AssemblyOptions, type Replay } from './assemble.ts'
import { GeoIpDatabase, NO_GEOIP, type GeoLookup } from './station/geoip.ts'
import type { MailSettings } from './accounts/mail/mailer.ts'
import { BadHost, BadListenAddress, PortTaken, type BadGeoip } from './station/errors.ts'
import { noteClosed, noteOpened } from './station/event-log/station-times.ts'
import { FederatedFolder } from './federation/errors.ts'
import { LOCAL_NAME, wildcardUrlOf } from './http/replay-names.ts'
import { publicUrlOf, userAgentOf } from './station/identity.ts'
import { prepareFolder } from './lake/duckdb/share-files.ts'
import { closeLake } from './lake/create-lake.ts'
import { LAKE_FOLDER } from './lake/sql/sql-service.ts'
import { PlaceFiles } from './placement/distance/places-files.ts'
import { openSecrets } from './open-secrets.ts'
import type { StationSecrets } from './station/secrets/station-secrets.ts'
import { givenSettings } from './station/settings/given-settings.ts'
import { LiveSettings } from './station/settings/live-settings.ts'
import type { SettingValues } from './station/settings/registry.ts'
import { readSettingsFile } from './station/settings/settings-file.ts'
import {
  STOPPED_PID,
  stationTokens,
  writeStationFile,
  type StationTokens,
} from './station/station-file.ts'
import { createSteadyClock } from './station/steady-clock.ts'
import { tickUntil } from './station/ticking.ts'
import { loadPolicies } from './watch/plan/live-policies.ts'
import type { Operations } from './station/station-operations.ts'

export interface CoordinatorSettings {
  data: string
  /** Null: nothing listens; the API is reached in this process only. */
  listen: { host: string; port: number } | null
  postgresUrl?: string
  /**
   * Its name, when it runs next to the station's first coordinator on the same database and folder:
   * it serves its callers and maintains the lake if it leads, and leaves everything else to the
   * first.
   */
  beside?: string
  /** It runs until it is stopped: only then can others depend on it (a federation). */
  stays?: boolean
  /** Each change of the placement of hosts is reported on stderr. */
  isVerbose?: boolean
  /** Socket of the DuckDB service; without it DuckDB runs in children of this process, as this user. */
  duckdbSocket?: string
  allowPrivateAddresses: boolean
  contact?: string
  /** Where the world reaches this station, as in `https://minga.example`. */
  publicUrl?: string
  /** Name servers for TXT records, as `address` or `address:port`; the system's if absent. */
  dnsServers?: string[]
  /** Like curl's --resolve: `*.fake.test=127.0.9.1`. */
  resolve?: string[]
  tls?: { certFile: string; keyFile: string }
  /** Addresses of proxies, as in `127.0.0.1` or `10.0.0.0/8`, whose word on where a request comes from is believed. */
  behindProxy?: string[]
  /** By which server alerts are mailed; without it they are not. */
  mail?: MailSettings
  /** By which issuer people log in, besides passwords. */
  oidc?: OidcSettings
  /** Where archived pages are shown; without it they are not. */
  replay?: ReplaySettings
  /** Where the built page lies; without it the station has an API only. */
  pageFolder?: string
  /** A file in the MaxMind DB format; without it no country is known. */
  geoipFile?: string
  /** Where the operator knows hosts and devices to be, one per line. */
  placesFile?: string
  /** Traces of routes, one per line. */
  routeFiles?: string[]
  /** Files of policies besides Minga's own, each the default export of a module. */
  policyFiles?: string[]
  /** What holds instead of the defaults, unless an operator changes it while the station runs. */
  flags?: Partial<SettingValues>
  /** Where a service manager puts credentials (CREDENTIALS_DIRECTORY of systemd). */
  credentials?: string | undefined
  /** Where MINGA_SETTING_… may say the same. */
  environment?: Readonly<Record<string, string | undefined>>
}

export interface ReplaySettings {
  /** Null: the port after the station's own, or any free one. */
  port: number | null
  /** Where the world reaches it, when something stands before it. */
  url?: string
  /** Where the player's files are; null when it is not installed. */
  playerFolder: string | null
}

export interface Coordinator {
  app: FastifyInstance
  url: string | null
  tokens: StationTokens
  /** Signs in the operator's browser, once and soon; null where nothing listens. */
  signIn: string | null
  /** What others saw happen, in the log when this resolves. */
  note: (events: readonly NewEvent[]) => Promise<void>
  close: () => Promise<void>
}

export async function openStation(
  settings: CoordinatorSettings,
  thread: StoreThread<Operations>,
): Promise<Coordinator> {
  const { data } = settings
  const publicUrl = publicUrlIn(settings.publicUrl)
  replayUrlIn(settings.replay?.url)
  // First: a station that cannot be as it was asked to be leaves its folder alone.
  const countries = await openCountries(settings.geoipFile)
  const placeFiles = await openPlaceFiles(settings)
  await loadPolicies(settings.policyFiles ?? [])
  const store = await openStationStore(settings, thread)
  await store.call('loadPoliciesInStore', { files: settings.policyFiles ?? [] })
  const clock = await steadyClock(store)
  const place = placeOf(settings)
  const secrets = await secretsOrClose(store, settings)
  const tokens = await operatorTokens(await stationTokens(data), { store, clock, place })
  const values = await openSettings(settings, { store, clock, place })
  const assembly = await assemble({
    store,
    clock,
    resolver: createResolver({ clock, overrides: settings.resolve ?? [] }),
    data,
    tokens,
    ...facesOf(settings, publicUrl),
    ...lookupsOf(settings, clock),
    placeFiles,
    guard: { allowPrivateAddresses: settings.allowPrivateAddresses },
    hostNames: hostNamesOf(settings, publicUrl),
    readOpenly: place !== 'network',
    isInProcess: place === 'process',
    tls: settings.tls ?? null,
    isShared: settings.postgresUrl !== undefined,
    isVerbose: settings.isVerbose ?? false,
    ...servicesOf(settings),
    settings: values,
    secret: secrets.current,
    secrets,
    random: () => randomInt(2 ** 32) / 2 ** 32,
    ...countries.geo,
  })
  const { station, pipeline, live, app, replay, closing, federation } = assembly
  await ensureJoinToken(tokens, { store, clock, place })
  const isFirst = settings.beside === undefined
  if (isFirst) await assembly.takedowns.resume()
  const url = await listenOrClose({ app, replay, store }, settings)
  if (isFirst && url !== null && settings.stays) federation.listens(url)
  if (isFirst) await pipeline.start()
  if (isFirst) await noteStation(data, url, { pid: process.pid, ...tokens })
  if (isFirst) await noteOpened(store, station.eventLog, { url, now: clock.now() })
  const telling = live.run()
  const own = isFirst ? assembly.ticking : [values, ...besideTicking(assembly)]
  const parts = [...own, ...countries.ticking, placeFiles]
  const server = url === null ? null : app.server
  const ticking = tickUntil({ parts, clock, server, eventLog: station.eventLog }, closing.signal)
  const close = async (): Promise<void> => {
    closing.abort()
    await Promise.all([app.close(), replay.app.close()])
    await Promise.all([ticking, telling])
    await closeSides(assembly)
    if (isFirst) await writeArchiveIndex(store, data)
    if (isFirst) await noteClosed(store, station.eventLog, url)
    await store.close()
    // Last of all: a process that waits for the folder may open it from now on.
    if (isFirst) await noteStation(data, url, { pid: STOPPED_PID, ...tokens })
  }
  const signIn = await signInLink(url, tokens, { store, clock })
  const note: Coordinator['note'] = (events) => store.call('appendEvents', { events })
  return { app, url, tokens, signIn, note, close }
}

async function closeSides(assembly: Assembly): Promise<void> {
  const { federation, graph, pipeline, texts, lake, wikis } = assembly
  await federation.close()
  // Counts that cannot be stored now are lost as by a crash, and do not keep the station from
  // closing.
  await graph.collector.flush().catch(() => {})
  await Promise.all([pipeline.close(), texts.close()])
  await closeLake(lake)
  await wikis.close()
}

async function signInLink(
  url: string | null,
  { apiKey }: StationTokens,
  { store, clock }: { store: Store<Operations>; clock: Clock },
): Promise<string | null> {
  if (url === null) return null
  const { token, ticket } = newSignIn(secretHash(apiKey), clock.now())
  await store.call('keepTicket', ticket)
  return signInAddress(url, token)
}

/** The ticking parts of an additional coordinator. */
function besideTicking({ station, lake }: Assembly): Assembly['ticking'] {
  return [station.eventLog, ...lake.ticking]
}

/** A station that does not listen cannot be called from outside. */
async function noteStation(
  data: string,
  url: string | null,
  facts: StationTokens & { pid: number },
): Promise<void> {
  if (url !== null) await writeStationFile(data, { url, ...facts })
}

/** A station whose secrets are missing must not leave the folder locked. */
async function secretsOrClose(
  store: Store<Operations>,
  { data, credentials }: CoordinatorSettings,
): Promise<StationSecrets> {
  try {
    return await openSecrets(store, { data, credentials }, systemClock.now())
  } catch (error) {
    await store.close()
    throw error
  }
}

/** What a federated station dials, it dials by rights that it has to renew. */
async function requireStaying(
  store: Store<Operations>,
  settings: CoordinatorSettings,
): Promise<void> {
  if (settings.stays || settings.listen === null) return
  if ((await store.call('federationStanding', {})) === null) return
  await store.close()
  throw new FederatedFolder(settings.data)
}

function publicUrlIn(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = publicUrlOf(text)
  if (url === null) throw BadHost.noPublicUrl(text)
  return url
}

function replayUrlIn(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = wildcardUrlOf(text)
  if (url === null) throw BadHost.noWildcard(text)
  return url
}

interface OpenedCountries {
  geo: GeoLookup
  ticking: Assembly['ticking']
}

async function openCountries(file: string | undefined): Promise<OpenedCountries> {
  if (file === undefined) return { geo: NO_GEOIP, ticking: [] }
  const onBroken = ({ message, code }: BadGeoip): void => {
    process.stderr.write(`minga: ${message} (${code}); the former one is used\n`)
  }
  const geoip = await GeoIpDatabase.open({ file, clock: systemClock, onBroken })
  const { countryOf, asnOf, positionOf } = geoip
  return { geo: { countryOf, asnOf, positionOf }, ticking: [geoip] }
}

async function ensureJoinToken(
  { joinToken }: StationTokens,
  { store, clock, place }: { store: Store<Operations>; clock: Clock; place: Place },
): Promise<void> {
  const given = { hash: hash('sha256', joinToken), owner: 'operator', now: clock.now() }
  await store.call('ensureStationToken', { ...given, isUnshown: place === 'process' })
}

async function openStationStore(
  settings: CoordinatorSettings,
  thread: StoreThread<Operations>,
): Promise<Store<Operations>> {
  const { data, postgresUrl } = settings
  const writer = settings.beside ?? 'main'
  const store = await thread.open({ data, writer, ...(postgresUrl ? { postgresUrl } : {}) })
  await requireStaying(store, settings)
  await prepareFolder(data, join(data, LAKE_FOLDER), settings.duckdbSocket !== undefined)
  return store
}

type Face = 'userAgent' | 'contact' | 'publicUrl' | 'playerFolder' | 'pageFolder' | 'trustProxy'

/** What others see of it. */
function facesOf(
  settings: CoordinatorSettings,
  publicUrl: string | null,
): Pick<AssemblyOptions, Face> {
  const contact = settings.contact ?? null
  return {
    userAgent: userAgentOf(contact, publicUrl),
    contact,
    publicUrl,
    playerFolder: settings.replay?.playerFolder ?? null,
    pageFolder: settings.pageFolder ?? null,
    trustProxy: settings.behindProxy ?? [],
  }
}

function lookupsOf(
  { dnsServers }: CoordinatorSettings,
  clock: Clock,
): Required<Pick<AssemblyOptions, 'txt' | 'loc'>> {
  const servers = dnsServers ? { servers: dnsServers } : {}
  return { txt: createTxtLookup(servers), loc: createLocLookup({ clock, ...servers }) }
}

/** Programs next to it that it uses when it knows of them. */
function servicesOf({
  mail,
  oidc,
  duckdbSocket,
}: CoordinatorSettings): Pick<AssemblyOptions, 'mail' | 'oidc' | 'duckdbSocket'> {
  return {
    ...(mail ? { mail } : {}),
    ...(oidc ? { oidc } : {}),
    ...(duckdbSocket ? { duckdbSocket } : {}),
  }
}

function openPlaceFiles({ placesFile, routeFiles }: CoordinatorSettings): Promise<PlaceFiles> {
  return PlaceFiles.open({
    placesFile: placesFile ?? null,
    routeFiles: routeFiles ?? [],
    clock: systemClock,
    warn: (message) => void process.stderr.write(`minga: ${message}\n`),
  })
}

async function steadyClock(store: Store<Operations>): Promise<Clock> {
  const latestSeen = await store.call('readFact', { name: 'latestSeen' })
  return createSteadyClock(systemClock, Number(latestSeen ?? 0))
}

/** From where a station can be called. */
type Place = 'process' | 'loopback' | 'network'

/** A station on loopback that has a public address or a proxy before it is called from anywhere. */
function placeOf({ listen: at, publicUrl, behindProxy = [] }: CoordinatorSettings): Place {
  if (at === null) return 'process'
  if (publicUrl !== undefined || behindProxy.length > 0) return 'network'
  return isLoopback(at.host) ? 'loopback' : 'network'
}

function isLoopback(host: string): boolean {
  return /^(127\.|localhost$|::1$)/.test(host)
}

async function openSettings(
  settings: CoordinatorSettings,
  { store, clock, place }: { store: Store<Operations>; clock: Clock; place: Place },
): Promise<LiveSettings> {
  const given = givenSettings({
    file: await readSettingsFile(settings.data),
    environment: settings.environment ?? {},
    flags: settings.flags ?? {},
  })
  const flags = openedOf(given.values, place)
  return LiveSettings.open({ store, clock, flags, sources: given.sources })
}

/** While only this machine can ask, people make their accounts themselves. */
function openedOf(given: Partial<SettingValues>, place: Place): Partial<SettingValues> {
  return place === 'network' ? { ...given } : { registration: 'open', ...given }
}

/** Names by which a browser may call a station; the first protects against DNS rebinding. */
function hostNamesOf(
  { listen: at, behindProxy = [] }: CoordinatorSettings,
  publicUrl: string | null,
): ReadonlySet<string> {
  const host = at?.host ?? '127.0.0.1'
  const isNamed = publicUrl !== null || behindProxy.length === 0
  if (!isLoopback(host) || !isNamed) return new Set(['*'])
  const own = publicUrl === null ? [] : [new URL(publicUrl).hostname]
  return new Set(['127.0.0.1', 'localhost', LOCAL_NAME, '[::1]', host, ...own])
}

/** Makes the key of station.json the operator's; a new one when the old was revoked. */
async function operatorTokens(
  tokens: StationTokens,
  { store, clock, place }: { store: Store<Operations>; clock: Clock; place: Place },
): Promise<StationTokens> {
  const register = (apiKey: string | null): Promise<{ isKeyUsable: boolean }> =>
    store.call('ensureOperator', { keyHash: apiKey && secretHash(apiKey), now: clock.now() })
  // Within this process the key need not be presented, and no file stores it.
  if ((await register(place === 'process' ? null : tokens.apiKey)).isKeyUsable) return tokens
  const apiKey = newSecret('key')
  await register(apiKey)
  return { ...tokens, apiKey }
}

/** A port that is taken must not leave the folder locked and half a station behind. */
async function listenOrClose(
  { app, replay, store }: Pick<Assembly, 'app' | 'replay'> & { store: Store<Operations> },
  settings: CoordinatorSettings,
): Promise<string | null> {
  try {
    const url = await listen(app, settings)
    await listenForReplay(replay, settings)
    return url
  } catch (error) {
    await Promise.all([app.close(), replay.app.close()])
    await store.close()
    throw error
  }
}

/** No such name, another machine's address, or a port that is not for everyone. */
const UNUSABLE = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EACCES'])

async function listen(app: FastifyInstance, settings: CoordinatorSettings): Promise<string | null> {
  if (settings.listen === null) return null
  const { host, port } = settings.listen
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const { code = '' } = cause as { code?: string }
    if (UNUSABLE.has(code)) throw new BadListenAddress(`${host}:${port}`, { cause })
    if (code !== 'EADDRINUSE') throw cause
    throw new PortTaken(`${host}:${port}`, { cause })
  }
  const address = app.server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${settings.tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${actual}`
}

/** On the port that was asked for, or on the one after the station's own if it is free. */
async function listenForReplay(
  { app, origin }: Replay,
  { listen: at, replay }: CoordinatorSettings,
): Promise<void> {
  if (at === null || replay === undefined) return
  const { host } = at
  const beside = at.port === 0 || at.port === PORT_LAST ? [] : [at.port + 1]
  const tries = replay.port === null ? [...beside, ANY_PORT] : [replay.port]
  for (const [i, port] of tries.entries()) {
    try {
      await app.listen({ host, port })
      break
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'EADDRINUSE') throw cause
      if (i === tries.length - 1) throw PortTaken.forReplay(`${host}:${port}`, { cause })
    }
  }
  const address = app.server.address()
  origin.port = typeof address === 'object' && address !== null ? address.port : null
  origin.url = replayUrlIn(replay.url)
}

const PORT_LAST = 65_535
const ANY_PORT = 0
