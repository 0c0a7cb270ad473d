/** A station without a network: the real store and operations, virtual time, hand-made results. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import {
  collectionSpec,
  type Block,
  type BlockRequest,
  type CapturedResult,
  type CollectionRequest,
  type CollectionSpec,
  type CollectionStatus,
  type HostBlock,
  type Result,
} from '@minga/protocol'
import type { Row, Store } from '@minga/store'
import type { TestEngine } from '../../store/test/contract-engines.ts'
import type { Verdict } from '../src/settle/accept.ts'
import type { Candidate } from '../src/queue/discover.ts'
import type { LeaseAnswer, LeaseArgs } from '../src/lease/lease.ts'
import type { ContractOperations, TestUploadItem } from './contract-operations.ts'
import { queryRows } from '../../store/test/raw-sql-fixture.ts'

/** Where a request of a block came from: what a result must name. */
export interface LeasedRequest {
  fence: number
  host: HostBlock
  request: BlockRequest
}

export interface Answered {
  status?: number
  links?: string[]
  location?: string | null
  body?: string
  bytes?: number
  endedAgoMs?: number
  firstByteMs?: number
  totalMs?: number
  retryAfterMs?: number | null
  mime?: string
  etag?: string | null
}

let digests = 0
let uploads = 0

export function captured(
  { fence, host, request }: LeasedRequest,
  answer: Answered = {},
): CapturedResult {
  const { status = 200, bytes = 100 } = answer
  return {
    type: 'captured',
    kind: request.kind,
    fence,
    collectionId: host.collectionId,
    hostId: host.hostId,
    hash: request.hash,
    url: request.url,
    status,
    capturedAt: 1_000,
    endedAgoMs: answer.endedAgoMs ?? 0,
    firstByteMs: answer.firstByteMs ?? 1,
    totalMs: answer.totalMs ?? 2,
    record: 'response',
    mime: answer.mime ?? 'text/html',
    digest: `sha256:${(++digests).toString(16).padStart(64, '0')}`,
    payloadBytes: bytes,
    members: [MEMBER_BYTES],
    retryAfterMs: answer.retryAfterMs ?? null,
    location: answer.location ?? null,
    etag: answer.etag ?? null,
    lastModified: null,
    title: null,
    nofollow: false,
    links: answer.links ?? [],
    embeds: [],
    sitemaps: [],
    body: answer.body === undefined ? null : Buffer.from(answer.body).toString('base64'),
  }
}

export function failed(
  { fence, host, request }: LeasedRequest,
  failure: { code?: string; retry?: 'now' | 'later' | 'never'; endedAgoMs?: number } = {},
): Result {
  return {
    type: 'failed',
    fence,
    collectionId: host.collectionId,
    hostId: host.hostId,
    hash: request.hash,
    url: request.url,
    code: failure.code ?? 'MINGA_CONNECTION_LOST',
    message: 'It was lost.',
    retry: failure.retry ?? 'later',
    endedAgoMs: failure.endedAgoMs ?? 0,
    totalMs: 2,
  }
}

export function returned({ fence, host, request }: LeasedRequest): Result {
  const { collectionId, hostId } = host
  return { type: 'returned', fence, collectionId, hostId, hash: request.hash }
}

export function leasedRequestsOf(block: Block | null): LeasedRequest[] {
  if (block === null) return []
  const { fence } = block
  return block.hosts.flatMap((host) => host.requests.map((request) => ({ fence, host, request })))
}

/** The bytes of a record play no part here; only their number does. */
const MEMBER_BYTES = 10
/** A result as the coordinator sends it to its store: with its records and the links of its page. */
function itemOf(result: Result): TestUploadItem {
  if (result.type !== 'captured') return { result, members: [] }
  const { links, location } = result
  const redirect = location === null ? null : { url: location, isInScope: true }
  const found = { links, embeds: [], sitemaps: [], redirect }
  return { result, members: [new Uint8Array(MEMBER_BYTES)], found }
}

/** Any day will do, as long as it is far from zero: clocks start at zero. */
const START = 1_700_000_000_000

export class TestStation {
  readonly store: Store<ContractOperations>
  now = START

  constructor(store: Store<ContractOperations>) {
    this.store = store
  }

  query<R>(text: string, params: Row = []): Promise<R[]> {
    return queryRows(this.store, text, params)
  }

  change(text: string, params: Row = []): Promise<number> {
    return this.store.call('change', { text, params })
  }

  async hello(boot: string, device = boot, endedBoot: string | null = null): Promise<void> {
    await this.store.call('hello', { boot, device, endedBoot, now: this.now })
  }

  beat(
    boot: string,
    fences: number[] = [],
    { rests = false }: { rests?: boolean } = {},
  ): Promise<{ ended: number[] }> {
    return this.store.call('beat', { boot, progress: this.now, fences, rests, now: this.now })
  }

  /** As an operator changes it. */
  async set(name: string, value: unknown): Promise<void> {
    const changes = [{ name, value: JSON.stringify(value), otherwise: 'null' }]
    await this.store.call('changeSettings', { changes, by: 'test', note: null, now: this.now })
  }

  sweep(slowFactor?: number): Promise<void> {
    return this.store.call('sweep', {
      now: this.now,
      ...(slowFactor === undefined ? {} : { slowFactor }),
    })
  }

  finish(elapsedMs = 0): Promise<number[]> {
    return this.store.call('finishCollections', { now: this.now, elapsedMs })
  }

  async open(
    request: CollectionRequest | CollectionSpec,
    identity = randomBytes(8).toString('hex'),
  ): Promise<number> {
    const spec = collectionSpec.parse(request)
    const { id } = await this.store.call('openCollection', {
      identity,
      spec,
      allowPrivateAddresses: false,
      now: this.now,
    })
    await this.discover(id, spec.seeds)
    return id
  }

  discover(collectionId: number, urls: string[], more: Partial<Candidate> = {}): Promise<number> {
    const candidates = urls.map((url) => ({
      url,
      kind: 'page' as const,
      depth: 0,
      hops: 0,
      via: null,
      refusal: null,
      ...more,
    }))
    return this.store.call('discover', { collectionId, candidates, trapBudget: true })
  }

  /** Names without an address get one of their own, or that of `addresses`. */
  async lease(
    boot: string,
    more: Partial<LeaseArgs> & { addresses?: Record<string, string> } = {},
  ): Promise<LeaseAnswer> {
    const { addresses = {}, ...asked } = more
    const args = { boot, requestsMax: 100, hostsMax: 100, now: this.now, ...asked }
    const answer = await this.store.call('lease', args)
    if (answer.unresolved.length === 0) return answer
    await this.resolve(answer.unresolved, addresses)
    if (answer.block !== null) return answer
    return this.store.call('lease', args)
  }

  async resolve(
    unresolved: LeaseAnswer['unresolved'],
    addresses: Record<string, string>,
  ): Promise<void> {
    const resolutions = unresolved.map(({ hostId, name }) => {
      const own = `10.${hostId >> 16}.${(hostId >> 8) & 255}.${hostId & 255}`
      return { hostId, name, address: addresses[name] ?? own, until: this.now + 300_000 }
    })
    await this.store.call('noteResolutions', { resolutions, now: this.now })
  }

  /** As the coordinator's `take` calls it, with links in addition to the results. */
  ingest(
    results: Result[],
    boot: string | null = null,
    verdicts: [number, Verdict][] = [],
  ): Promise<{ accepted: number; stale: number }> {
    const given = new Map(verdicts)
    const items = results.map((result, i) => {
      const verdict = given.get(i)
      return { ...itemOf(result), ...(verdict === undefined ? {} : { verdict }) }
    })
    const guard = { allowPrivateAddresses: true }
    return this.store.call('ingest', {
      id: `upload ${++uploads}`,
      boot,
      items,
      refusals: {},
      secret: 'test',
      prices: { requestMicros: 1_000, cacheMicros: 200, platformShareBps: 3_000 },
      guard,
      now: this.now,
    })
  }

  async status(id: number): Promise<CollectionStatus> {
    const [status] = await this.store.call('collectionStatus', { id })
    return status!
  }

  /** Answers a new host's robots.txt so that its pages can be leased. */
  async openHosts(boot: string, robots: Answered = { status: 404 }): Promise<void> {
    for (;;) {
      const { block } = await this.lease(boot)
      const leasedRequests = leasedRequestsOf(block)
      const own = leasedRequests.filter(({ request }) => request.hash === 0)
      const others = leasedRequests.filter(({ request }) => request.hash !== 0)
      if (leasedRequests.length === 0) return
      await this.ingest([
        ...own.map((leased) => captured(leased, robots)),
        ...others.map((leased) => returned(leased)),
      ])
      this.now += 100_000
      await this.beat(boot)
      if (own.length === 0) return
    }
  }
}

/** A new, empty station; the test's end removes it. */
export async function openStation(engine: TestEngine): Promise<TestStation> {
  const home = await engine.home()
  const store = await home.openHere<ContractOperations>({
    operations: new URL('./contract-operations.ts', import.meta.url).href,
  })
  opened.push(store)
  return new TestStation(store)
}

const opened: Store<ContractOperations>[] = []
after(() => Promise.all(opened.map((store) => store.close())))
