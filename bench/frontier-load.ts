/** A made-up web of URLs, and agents that fetch nothing but answer for everything they are given. */
import { createHash } from 'node:crypto'
import type { Candidate } from '@minga/frontier'
import {
  collectionSpec,
  type Block,
  type BlockRequest,
  type HostBlock,
  type Result,
} from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { FrontierBenchOperations } from './frontier-operations.ts'

export type Answering = 'failed' | 'captured'

/** A page links mostly to its own host: new URLs come in clumps. */
const URLS_PER_CLUMP = 10
const URLS_PER_CALL = 5_000
const HOSTS_PER_CALL = 5_000
const REQUESTS_PER_BLOCK = 2_000
/** Like an agent with this many lanes; the lease looks at twice as many hosts. */
const HOSTS_PER_BLOCK = 100
/** Uploads of an agent: the results of a block come in several. */
const RESULTS_PER_UPLOAD = 500
/** About what the three records of a tiny answer take; the bytes are appended, not looked at. */
const MEMBER_BYTES = 300
/** Time passes, so that no host's clock ever holds the benchmark back. */
const STEP_MS = 1_000

/** What ingest also takes and nothing here needs: no client waits, no one pays, and no device is audited. */
const UNUSED = {
  refusals: {},
  secret: 'bench',
  prices: { requestMicros: 0, cacheMicros: 0, platformShareBps: 0 },
}

export class FrontierLoad {
  readonly #store: Calls<FrontierBenchOperations>
  readonly #hosts: number
  #collectionId = 0
  #found = 0
  #nowMs = 1_800_000_000_000
  #uploads = 0

  constructor(store: Calls<FrontierBenchOperations>, hosts: number) {
    this.#store = store
    this.#hosts = hosts
  }

  async open(): Promise<void> {
    const spec = collectionSpec.parse({ seeds: ['https://h0.example/'], scope: 'any', delayMs: 0 })
    const opened = {
      identity: 'bench',
      spec,
      allowPrivateAddresses: false,
      now: this.#nowMs,
    }
    this.#collectionId = (await this.#store.call('openCollection', opened)).id
    for (let first = 0; first < this.#hosts; first += HOSTS_PER_CALL) {
      const count = Math.min(HOSTS_PER_CALL, this.#hosts - first)
      const names = Array.from({ length: count }, (_, i) => `h${first + i}.example`)
      await this.#store.call('benchPrepare', { names })
    }
  }

  async discover(count: number): Promise<void> {
    const end = this.#found + count
    while (this.#found < end) {
      const size = Math.min(URLS_PER_CALL, end - this.#found)
      const candidates = Array.from({ length: size }, (_, i) => this.#candidate(this.#found + i))
      this.#found += size
      const args = { collectionId: this.#collectionId, candidates, trapBudget: true }
      await this.#store.call('discover', args)
    }
  }

  #candidate(n: number): Candidate {
    const origin = `https://h${Math.floor(n / URLS_PER_CLUMP) % this.#hosts}.example`
    const via = `${origin}/`
    return { url: `${origin}/articles/${n}`, kind: 'page', depth: 1, hops: 0, via, refusal: null }
  }

  /** Leases and completes until `count` are done or nothing is left; answers how many were. */
  async complete(count: number, how: { answering: Answering; agents: number }): Promise<number> {
    let done = 0
    const agent = async (boot: string): Promise<void> => {
      await this.#store.call('hello', { boot, device: boot, now: this.#nowMs })
      while (done < count) {
        const block = await this.#lease(boot)
        if (block === null) return
        const answered = await this.#answer(boot, block, how.answering)
        done += answered
      }
    }
    await Promise.all(Array.from({ length: how.agents }, (_, i) => agent(`bench-agent-${i}`)))
    return done
  }

  async #lease(boot: string): Promise<Block | null> {
    this.#nowMs += STEP_MS
    const wanted = { requestsMax: REQUESTS_PER_BLOCK, hostsMax: HOSTS_PER_BLOCK }
    const args = { boot, ...wanted, now: this.#nowMs }
    return (await this.#store.call('lease', args)).block
  }

  async #answer(boot: string, block: Block, answering: Answering): Promise<number> {
    const results = block.hosts.flatMap((host) =>
      host.requests.map((request) => this.#result(block.fence, host, { request, answering })),
    )
    for (let at = 0; at < results.length; at += RESULTS_PER_UPLOAD) {
      const part = results.slice(at, at + RESULTS_PER_UPLOAD)
      const bytes = new Uint8Array(part.length * MEMBER_BYTES)
      const memberOf = (i: number): Uint8Array =>
        bytes.subarray(i * MEMBER_BYTES, (i + 1) * MEMBER_BYTES)
      const items = part.map((result, i) => ({
        result,
        members: answering === 'captured' ? [memberOf(i)] : [],
      }))
      const guard = { allowPrivateAddresses: true }
      const args = {
        ...UNUSED,
        id: `upload ${++this.#uploads}`,
        boot,
        items,
        guard,
        now: this.#nowMs,
      }
      const { accepted } = await this.#store.call('ingest', args)
      if (accepted !== part.length)
        throw new Error(`Of ${part.length} results ${accepted} counted.`)
    }
    return results.length
  }

  #result(
    fence: number,
    { hostId, collectionId }: HostBlock,
    { request, answering }: { request: BlockRequest; answering: Answering },
  ): Result {
    const { hash, url } = request
    const common = { fence, collectionId, hostId, hash, url, endedAgoMs: 0, totalMs: 1 }
    if (answering === 'failed') {
      const failure = { code: 'MINGA_CONNECT_REFUSED', message: '', retry: 'never' } as const
      return { type: 'failed', ...common, ...failure }
    }
    return {
      type: 'captured',
      kind: 'page',
      ...common,
      status: 200,
      capturedAt: this.#nowMs,
      firstByteMs: 1,
      record: 'response',
      mime: 'text/html',
      digest: `sha256:${createHash('sha256').update(url).digest('hex')}`,
      payloadBytes: MEMBER_BYTES,
      members: [MEMBER_BYTES],
      retryAfterMs: null,
      location: null,
      etag: null,
      lastModified: null,
      title: null,
      nofollow: false,
      links: [],
      embeds: [],
      sitemaps: [],
      body: null,
    }
  }
}
