/**
 * The life of a capture on the coordinator's side, top to bottom. The store's operations hold the
 * transactions; this file shows their order.
 *
 *   1 frontier   collect()   seeds: canonical, guarded, queued
 *   2 placement  –           one strategy so far: whoever asks gets what is due (democratic)
 *   3 lease      ask()       resolve names, then take clocks and a block in one transaction
 *     ── the agent fetches and records (apps/agent/src/pipeline.ts) ──
 *   6 ingest     take()      check, append, index, settle: one transaction, then acknowledge
 *   7 extract    take()      links, redirects, sitemaps → 1, in that same transaction
 *     tick()                 silent agents lose their leases, finished collections end
 */
import { createHash } from 'node:crypto'
import { canonicalUrl, compileScope, guardUrl, type GuardPolicy, type Resolver } from '@minga/net'
import {
  collectionSpec,
  decodeUpload,
  faultPoint,
  SILENCE_MS,
  type Answer,
  type Ask,
  type Beat,
  type BeatAnswer,
  type Clock,
  type CollectionRequest,
  type CollectionSpec,
  type CollectionState,
  type CollectionStatus,
  type Hello,
  type UploadAnswer,
} from '@minga/protocol'
import type { Candidate, LeaseAnswer } from '@minga/frontier'
import type { Store } from '@minga/store'
import { CollectionViews } from './collection-views.ts'
import { NoSeeds } from './errors.ts'
import { findLinks } from './found-links.ts'
import type { IngestAnswer } from './ingest.ts'
import { Doorbell } from './doorbell.ts'
import { resolveHosts } from './resolve-hosts.ts'

export interface CoordinatorParts {
  store: Store
  clock: Clock
  resolver: Resolver
  guard: GuardPolicy
}

/** An idle agent's question stays open this long before it is told to come back. */
const LONG_POLL_MS = 5_000
/** Names resolved per ask: enough for a block, few enough to answer soon. */
const RESOLVE_ROUNDS_MAX = 4

export class Pipeline {
  readonly #parts: CoordinatorParts
  readonly #views: CollectionViews
  /** Rings when there may be new work for agents that wait. */
  readonly #work = new Doorbell()
  #lastTickMs: number

  constructor(parts: CoordinatorParts) {
    this.#parts = parts
    this.#views = new CollectionViews(parts.store)
    this.#lastTickMs = parts.clock.monotonicMs()
  }

  // ── 1 frontier ──────────────────────────────────────────────────────────────────────────

  /** Opens a collection, or continues the one with the same seeds and scope. */
  async collect(request: CollectionRequest): Promise<CollectionStatus> {
    const { store, clock, guard } = this.#parts
    const spec = collectionSpec.parse(request)
    const seeds = canonicalSeeds(spec)
    compileScope({ ...spec, kind: spec.scope })
    const { id } = await store.call<{ id: number }>('openCollection', {
      identity: identityOf(seeds, spec),
      spec: { ...spec, seeds },
      now: clock.now(),
      allowPrivateAddresses: guard.allowPrivateAddresses,
    })
    const candidates = seeds.map((seed) => this.#seedCandidate(seed))
    await store.call('discover', { collectionId: id, candidates, trapBudget: false })
    this.#views.forget(id)
    this.#work.ring()
    return this.status(id)
  }

  #seedCandidate(url: string): Candidate {
    const refusal = guardUrl(url, this.#parts.guard)
    return { url, kind: 'page', depth: 0, hops: 0, via: null, refusal: refusal?.code ?? null }
  }

  // ── 3 lease ─────────────────────────────────────────────────────────────────────────────

  /** A block for an agent, now or as soon as a host's clock allows. */
  async ask(ask: Ask, signal: AbortSignal): Promise<Answer> {
    const { store, clock } = this.#parts
    const patience = clock.monotonicMs() + LONG_POLL_MS
    for (let resolved = 0; ;) {
      const answer = await store.call<LeaseAnswer>('lease', { ...ask, now: clock.now() })
      faultPoint('lease:after-commit')
      if (answer.block) return { block: answer.block, waitMs: 0 }
      if (answer.unresolved.length > 0 && resolved < RESOLVE_ROUNDS_MAX) {
        await resolveHosts(this.#parts, answer.unresolved)
        resolved++
        continue
      }
      const leftMs = patience - clock.monotonicMs()
      if (leftMs <= 0 || signal.aborted) return { block: null, waitMs: 0 }
      const turnMs = answer.nextTurnAt === null ? leftMs : answer.nextTurnAt - clock.now()
      await this.#work.wait(Math.max(1, Math.min(leftMs, turnMs)), clock, signal)
      resolved = 0
    }
  }

  // ── 6 ingest, 7 extract ─────────────────────────────────────────────────────────────────

  /** Takes in an agent's results. When this resolves they are on disk, synced. */
  async take(body: Buffer): Promise<UploadAnswer> {
    const { store, clock, guard } = this.#parts
    const { manifest, members } = decodeUpload(body)
    faultPoint('ingest:received')
    const { results } = manifest
    const views = await this.#views.of(results.map((result) => result.collectionId))
    const { found, refusals, remember } = findLinks(results, views, guard)
    const stripped = results.map(withoutLinks)
    const answer = await store.call<IngestAnswer>('ingest', {
      results: stripped,
      found,
      refusals,
      guard,
      members,
      now: clock.now(),
    })
    faultPoint('ingest:after-commit')
    remember(answer.learnt)
    for (const id of answer.grown) this.#views.forget(id)
    this.#work.ring()
    return { accepted: answer.accepted, stale: answer.stale }
  }

  // ── agents ──────────────────────────────────────────────────────────────────────────────

  async hello(message: Hello): Promise<void> {
    const { store, clock } = this.#parts
    await store.call('hello', { boot: message.boot, device: message.device, now: clock.now() })
    this.#work.ring()
  }

  beat(beat: Beat): Promise<BeatAnswer> {
    const { store, clock } = this.#parts
    return store.call('beat', { ...beat, now: clock.now() })
  }

  async goodbye(boot: string): Promise<void> {
    const { store, clock } = this.#parts
    await store.call('goodbye', { boot, now: clock.now() })
    this.#work.ring()
  }

  // ── upkeep ──────────────────────────────────────────────────────────────────────────────

  /** To be called when the station opens: agents could not be heard while it was away. */
  async start(): Promise<void> {
    const { store, clock } = this.#parts
    faultPoint('coordinator:starting')
    await store.call('forgiveAbsence', { now: clock.now() })
  }

  /** About once a second. */
  async tick(): Promise<void> {
    const { store, clock } = this.#parts
    const nowMs = clock.monotonicMs()
    const elapsedMs = Math.round(Math.min(nowMs - this.#lastTickMs, SILENCE_MS))
    this.#lastTickMs = nowMs
    const now = clock.now()
    await store.call('sweep', { now })
    await store.call('finishCollections', { now, elapsedMs })
    await store.call('writeFact', { name: 'latestSeen', value: String(now) })
  }

  async status(id: number): Promise<CollectionStatus> {
    const [status] = await this.#parts.store.call<CollectionStatus[]>('collectionStatus', { id })
    return status!
  }

  statuses(): Promise<CollectionStatus[]> {
    return this.#parts.store.call('collectionStatus', { id: null })
  }

  async setState(id: number, state: CollectionState): Promise<CollectionStatus> {
    const { store, clock } = this.#parts
    const reason = state === 'running' ? null : 'asked'
    await store.call('setCollectionState', { id, state, reason, now: clock.now() })
    this.#work.ring()
    return this.status(id)
  }
}

function canonicalSeeds(spec: CollectionSpec): string[] {
  const seeds: string[] = []
  for (const text of spec.seeds) {
    const seed = canonicalUrl(text)
    if (seed === null) throw new NoSeeds(text)
    seeds.push(seed)
  }
  return [...new Set(seeds)].toSorted()
}

/** The same seeds and scope are the same collection, whatever its limits and delay. */
function identityOf(seeds: readonly string[], spec: CollectionSpec): string {
  const { scope, include, exclude } = spec
  const text = JSON.stringify([seeds, scope, include.toSorted(), exclude.toSorted()])
  return createHash('sha256').update(text).digest('hex')
}

/** Links were read already; they need not cross into the store's thread. */
function withoutLinks<R extends { type: string }>(result: R): R {
  if (result.type !== 'captured') return result
  return { ...result, links: [], embeds: [], sitemaps: [] }
}
