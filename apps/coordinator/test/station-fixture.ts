/**
 * A whole station in a temporary folder: the real store, pipeline and server on virtual time, and
 * an agent that records with the real agent's code what a synthetic web answers.
 */
import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import { after } from 'node:test'
import { secretHash } from '@minga/fleet'
import { createLocLookup, createTxtLookup, type FetchAnswer } from '@minga/net'
import {
  systemClock,
  type LeaseResponse,
  type Block,
  type CaptureRow,
  type CollectionRequest,
  type CollectionStart,
  type CollectionStatus,
  type RequestKind,
} from '@minga/protocol'
import type { Store } from '@minga/store'
import { StationSecrets } from '../src/station/secrets/station-secrets.ts'
import { createVirtualClock, type VirtualClock } from '@minga/testkit'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { LeasedRequest } from '../../agent/src/fetch/leased-request.ts'
import { Outbox, type Parcel } from '../../agent/src/record/outbox.ts'
import { AT_EASE, recordFinding } from '../../agent/src/record/record.ts'
import { ENGINES, type TestEngine } from '../../../packages/store/test/contract-engines.ts'
import { TestDevice } from './agents/device-fixture.ts'
import { assemble, type Assembly, type AssemblyOptions } from '../src/assemble.ts'
import { holdToDocument } from './documented-answers-fixture.ts'
import { LiveSettings } from '../src/station/settings/live-settings.ts'
import type { SettingValues } from '../src/station/settings/registry.ts'
import type { ContractOperations } from './contract-operations.ts'

/** Any day will do. */
export const START = Date.UTC(2026, 4, 6)
export const TOKENS = {
  apiKey: 'the key of writers',
  joinToken: 'the token of agents',
  workerToken: 'the token of workers',
}
export const BOOT = 'boot-of-the-test'
export const UPLOAD_TYPE = 'application/vnd.minga.upload'

/** What the synthetic web answers to a request. */
export interface Page {
  status?: number
  body?: string | Buffer
  type?: string
  headers?: [name: string, value: string][]
  /** Why the body ends early. */
  truncated?: FetchAnswer['truncated']
}

/** By address; what is missing is a 404. */
export type Web = Record<string, Page>

/** An answer of the station. */
export interface Said {
  status: number
  body: unknown
}

export interface Content {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
}

/** The station says no in its one form: a stable code and a sentence. */
export function assertRefused(said: Said, statusAndCode: string, sentence: RegExp): void {
  const { error } = said.body as { error: { code: string; message: string } }
  assert.deepEqual(said.body, { error: { code: error.code, message: error.message } })
  assert.equal(`${said.status} ${error.code}`, statusAndCode)
  assert.match(error.message, sentence)
}

export class TestStation {
  readonly app: FastifyInstance
  /** The origin of archived pages. */
  readonly replay: FastifyInstance
  readonly store: Store<ContractOperations>
  readonly data: string
  readonly clock: VirtualClock
  readonly device: TestDevice
  readonly federation: Assembly['federation']
  readonly lake: Assembly['lake']
  readonly texts: Assembly['texts']
  readonly #ticking: Assembly['ticking']
  /** Agents whose long polls found nothing yet. */
  #waiting = 0
  #made = 0

  constructor(
    parts: Pick<
      TestStation,
      'app' | 'replay' | 'store' | 'data' | 'clock' | 'federation' | 'lake' | 'texts'
    > &
      Pick<Assembly, 'ticking' | 'station'>,
  ) {
    this.app = parts.app
    this.replay = parts.replay
    this.store = parts.store
    this.data = parts.data
    this.clock = parts.clock
    this.federation = parts.federation
    this.lake = parts.lake
    this.texts = parts.texts
    this.#ticking = parts.ticking
    this.#countWaiting(parts.station)
    this.device = new TestDevice(this)
  }

  #countWaiting({ work }: Pick<Assembly['station'], 'work'>): void {
    const waitFor = work.waitFor.bind(work)
    work.waitFor = async (...args) => {
      this.#waiting++
      await waitFor(...args)
      this.#waiting--
    }
  }

  /** What a running station does at the station's pulse. */
  async tick(): Promise<void> {
    for (const part of this.#ticking) await part.tick()
  }

  async inject(options: InjectOptions): Promise<Said> {
    const headers = { host: 'localhost', ...options.headers }
    const response = await this.app.inject({ ...options, headers })
    return { status: response.statusCode, body: response.json() }
  }

  get(url: string): Promise<Said> {
    return this.inject({ url: `/api${url}` })
  }

  post(url: string, payload?: object): Promise<Said> {
    const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
    const body = payload === undefined ? {} : { payload }
    return this.inject({ method: 'POST', url: `/api${url}`, headers, ...body })
  }

  /** A call of the station's own agent, which `hello` has let in. */
  agent(call: string, payload: object | Buffer, type?: string): Promise<Said> {
    return this.device.call(call, payload, type ? { 'content-type': type } : {})
  }

  upload(body: Buffer): Promise<Said> {
    return this.device.upload(body)
  }

  async collect(request: CollectionStart): Promise<CollectionStatus> {
    return (await this.post('/collections', request)).body as CollectionStatus
  }

  async hello(boot = BOOT): Promise<void> {
    if (this.device.id === '') await this.device.enrol()
    await this.device.hello(boot)
  }

  /**
   * The next block of a collection that has one: time passes until its hosts' clocks allow it, and only while
   * the station sleeps. A busy machine or a slow database costs no virtual time.
   */
  async lease(): Promise<Block> {
    for (let tries = 0; tries < 20; tries++) {
      await this.agent('beat', { progress: this.clock.now(), fences: [] })
      const asked = this.agent('ask', { requestsMax: 100, hostsMax: 10 })
      const isOver = asked.then(() => true)
      while (!(await Promise.race([isOver, turn()]))) {
        if (this.#waiting > 0) await this.clock.advance(250)
      }
      const { block } = (await asked).body as LeaseResponse
      if (block !== null) return block
    }
    throw new Error('the station has nothing to fetch')
  }

  /** Records the answers of a web to all requests of a block. */
  fetch(block: Block, web: Web): Parcel[] {
    return leasedRequestsOf(block).map((leased) => this.record(leased, web[leased.request.url]))
  }

  record(leased: LeasedRequest, page: Page = { status: 404 }): Parcel {
    const newId = (): string => `00000000-0000-4000-8000-${String(++this.#made).padStart(12, '0')}`
    const tools = { clock: this.clock, newId, effort: AT_EASE }
    return recordFinding(tools, { leased, outcome: answerOf(page, this.clock.now()), endedAtMs: 0 })
  }

  send(parcels: readonly Parcel[]): Promise<Said> {
    return this.upload(uploadOf(parcels))
  }

  /** Requests of a new collection that are out with the agent, and what the web answers to them. */
  async leased(seeds: string[], web: Web): Promise<Parcel[]> {
    await this.hello()
    for (const { id } of (await this.get('/collections')).body as CollectionStatus[]) {
      await this.post(`/collections/${id}/cancel`)
    }
    await this.collect({ seeds, delayMs: 0 })
    // The first block asks for robots.txt.
    await this.send(this.fetch(await this.lease(), web))
    return this.fetch(await this.lease(), web)
  }

  /** Crawls until nothing is queued. */
  async crawl(request: CollectionRequest, web: Web): Promise<CollectionStatus> {
    await this.hello()
    const { id } = await this.collect({ delayMs: 0, ...request })
    for (let rounds = 0; rounds < 50; rounds++) {
      const [status] = await this.store.call('collectionStatus', { id })
      if (status!.queued === 0) return status!
      await this.send(this.fetch(await this.lease(), web))
    }
    throw new Error('the crawl does not end')
  }

  async content(url: string, query = ''): Promise<Content> {
    const address = `/api/captures/content?url=${encodeURIComponent(url)}${query}`
    const headers = { host: 'localhost', authorization: `Bearer ${TOKENS.apiKey}` }
    const response = await this.app.inject({ url: address, headers })
    return { status: response.statusCode, headers: response.headers, body: response.rawPayload }
  }

  /** As the operator sees them: those of clients' requests, too. */
  async captures(query = ''): Promise<CaptureRow[]> {
    const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
    return (await this.inject({ url: `/api/captures${query}`, headers })).body as CaptureRow[]
  }
}

const SECRET = 'the secret of the test'

function turn(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), 1))
}

export function leasedRequestsOf({ fence, hosts }: Block): LeasedRequest[] {
  return hosts.flatMap(({ collectionId, hostId, requests }) =>
    requests.map((request) => ({ fence, collectionId, hostId, request })),
  )
}

/** What the agent makes of one answer, without a station around it. */
export function recordedCapture(
  { url, kind }: { url: string; kind: RequestKind },
  page: Page,
): Pick<Parcel, 'result' | 'members'> {
  const request = { hash: 1, url, kind, hops: 0, depth: 0, via: null, previous: null }
  const leased = { fence: 1, collectionId: 1, hostId: 1, request }
  const tools = { clock: createVirtualClock(START), newId: () => BOOT, effort: AT_EASE }
  return recordFinding(tools, { leased, outcome: answerOf(page, START), endedAtMs: 0 })
}

export function uploadOf(parcels: readonly Parcel[], boot = BOOT): Buffer {
  const outbox = new Outbox()
  for (const parcel of parcels) outbox.put(parcel)
  return Buffer.from(outbox.take({ boot, bytesMax: Infinity, nowMs: 0 })!.body)
}

/** What a device hands to its recorder when the synthetic web has answered. */
export function answerOf(page: Page, now: number): FetchAnswer {
  const { status = 200, body = '', type = 'text/html', headers = [], truncated = null } = page
  return {
    ok: true,
    status,
    statusText: '',
    httpVersion: '1.1',
    requestHeaders: [],
    rawHeaders: [['Content-Type', type], ...headers],
    body: Buffer.from(body),
    truncated,
    contentLengthMismatch: false,
    address: '93.184.216.34',
    startedAt: now,
    firstByteMs: 1,
    totalMs: 2,
  }
}

let addresses = 0
/**
 * It is never dialled, but the guard must accept it, and hosts that share one wait for each other.
 */
function newAddress(): string {
  addresses++
  return `93.184.${addresses >> 8}.${addresses & 255}`
}

export type PartClass = abstract new (...parts: never[]) => object

export interface StationChanges {
  engine?: TestEngine
  /** The station's operations and more. */
  operations?: URL
  pageFolder?: string
  playerFolder?: string
  waitingMax?: number
  /** Name servers for TXT and LOC records. */
  dnsServers?: string[]
  placeFiles?: AssemblyOptions['placeFiles']
  publicUrl?: string
  readOpenly?: boolean
  allowPrivateAddresses?: boolean
  /** What a name resolves to, instead of an address of its own. */
  addressesOf?: (name: string) => string[] | undefined
  /** By which names it may be called. */
  hostNames?: ReadonlySet<string>
  /** Where an address is, instead of Peru. */
  countryOf?: AssemblyOptions['countryOf']
  positionOf?: AssemblyOptions['positionOf']
  registration?: 'open' | 'operator'
  mail?: AssemblyOptions['mail']
  oidc?: AssemblyOptions['oidc']
  secrets?: StationSecrets
  flags?: Partial<SettingValues>
  /** Ticks tend the lake, too. Tests of many days would do little else. */
  hasLake?: boolean
  /** Parts that do not tick, because a test of long times never gives them work. */
  idleParts?: readonly PartClass[]
}

/** Of the operator, elsewhere. */
function serversOf({ mail, oidc }: StationChanges): Pick<AssemblyOptions, 'mail' | 'oidc'> {
  return { ...(mail ? { mail } : {}), ...(oidc ? { oidc } : {}) }
}

export async function openStation(changes: StationChanges = {}): Promise<TestStation> {
  const home = await (changes.engine ?? ENGINES[0]!).home()
  const { data } = home.options
  const operations = changes.operations ?? new URL('./contract-operations.ts', import.meta.url)
  const store = await home.openHere<ContractOperations>({ operations: operations.href })
  const clock = createVirtualClock(START)
  await store.call('ensureOperator', { keyHash: secretHash(TOKENS.apiKey), now: START })
  const hash = secretHash(TOKENS.joinToken)
  await store.call('ensureStationToken', { hash, owner: 'operator', now: START })
  const assembly = await assemble({
    store,
    clock,
    resolver: {
      resolve: async (name) => ({
        ok: true,
        addresses: changes.addressesOf?.(name) ?? [newAddress()],
      }),
    },
    txt: createTxtLookup({ servers: changes.dnsServers ?? ['127.0.0.1:9'], timeoutMs: 1_000 }),
    loc: createLocLookup({ clock: systemClock, servers: changes.dnsServers ?? ['127.0.0.1:9'] }),
    ...(changes.placeFiles ? { placeFiles: changes.placeFiles } : {}),
    publicUrl: changes.publicUrl ?? null,
    data,
    tokens: TOKENS,
    userAgent: 'MingaBot/0.1 (+test)',
    guard: { allowPrivateAddresses: changes.allowPrivateAddresses ?? false },
    hostNames: changes.hostNames ?? new Set(['localhost', '[::1]']),
    readOpenly: changes.readOpenly ?? true,
    isInProcess: false,
    passwordCost: { logN: 4, r: 8, p: 1 },
    tls: null,
    ...serversOf(changes),
    pageFolder: changes.pageFolder ?? null,
    playerFolder: changes.playerFolder ?? null,
    settings: await LiveSettings.open({
      store,
      clock,
      flags: {
        cacheMs: 0,
        registration: changes.registration ?? 'open',
        waitingMax: changes.waitingMax ?? 100,
        ...changes.flags,
      },
    }),
    secret: SECRET,
    secrets: changes.secrets ?? StationSecrets.of(SECRET),
    countryOf: changes.countryOf ?? (() => 'PE'),
    asnOf: () => null,
    positionOf: changes.positionOf ?? (() => null),
    random: () => 0.5,
  })
  const { app, replay, closing, federation, wikis, lake, texts, pipeline } = assembly
  holdToDocument(app)
  open.push(async () => {
    closing.abort()
    await Promise.all([app.close(), replay.app.close(), federation.close()])
    await pipeline.close()
    await texts.close()
    await lake.feeds.close()
    await lake.extracts.close()
    await wikis.close()
    await store.close()
  })
  const served = { ...assembly, replay: replay.app, store, data, clock }
  return new TestStation({ ...served, ticking: busyParts(assembly, changes) })
}

function busyParts(
  { ticking, lake, texts }: Pick<Assembly, 'ticking' | 'lake' | 'texts'>,
  { hasLake = false, idleParts = [] }: StationChanges,
): Assembly['ticking'] {
  const ofLake: Assembly['ticking'] = [...lake.ticking, texts]
  const tended = hasLake ? ticking : ticking.filter((part) => !ofLake.includes(part))
  return tended.filter((part) => !idleParts.some((kind) => part instanceof kind))
}

const open: (() => Promise<void>)[] = []
after(() => Promise.all(open.map((close) => close())))
