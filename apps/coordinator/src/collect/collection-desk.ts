/** What people do with collections beside starting, pausing and ending them: change, undo, rerun, look ahead. */
import { abuseIn } from '@minga/fleet'
import { FixedCollection, isHostWanted } from '@minga/frontier'
import { canonicalUrl, guardUrl, hostKeyOf, type GuardPolicy } from '@minga/net'
import {
  collectionChange,
  collectionRequest,
  collectionSpec,
  collectionStart,
  type Clock,
  type CollectionRequest,
  type CollectionStart,
  type CollectionStatus,
  type ExistingCollection,
  type ScopePreview,
  type SeedChecks,
} from '@minga/protocol'
import type { Calls, Store } from '@minga/store'
import { identifyRequest, type Collector } from './collection-seeds.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { LiveSettings } from '../station/settings/live-settings.ts'
import type { CollectionKeeper } from './collection-keeper.ts'
import type { Discarded } from './discard-captures.ts'
import { linksOfPage, previewUrls } from './scope-preview.ts'
import type { Operations } from '../station/station-operations.ts'

interface Parts {
  store: Store<Operations>
  clock: Clock
  pipeline: Pipeline
  keeper: CollectionKeeper
  settings: LiveSettings
  guard: GuardPolicy
  data: string
  userAgent: string
  /** A new one each time. */
  newId: () => string
}

/** Whose collections somebody may change (null: everybody's), and who they are. */
interface Changer {
  owner: string | null
  by: string
}

export class CollectionDesk {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Starts a collection; what becomes of one with the same seeds and scope is the caller's choice. */
  start(body: CollectionStart, by: Collector): Promise<CollectionStatus> {
    const { pipeline, newId } = this.#parts
    const { existing, visibility, ...request } = collectionStart.parse(body)
    const who = { ...by, ...(visibility === undefined ? {} : { visibility }) }
    if (existing === 'separate') return pipeline.collect(request, { ...who, run: newId() })
    return pipeline.collect(request, { ...who, existing: existing ?? 'refuse' })
  }

  /** The collection that these seeds and this scope would continue, and what that would change of it. */
  findExisting(request: CollectionRequest, by: Collector): Promise<ExistingCollection> {
    const { spec, identity } = identifyRequest(request, by)
    return this.#parts.store.call('findExisting', { identity, spec })
  }

  async change(id: number, body: unknown, changer: Changer): Promise<CollectionStatus> {
    const { store, clock, pipeline } = this.#parts
    const change = collectionChange.parse(body)
    await store.call('changeCollection', { id, change, ...changer, now: clock.now() })
    await this.#afterChange(id)
    return pipeline.status(id)
  }

  async undo(id: number, changer: Changer): Promise<CollectionStatus> {
    const { store, clock, pipeline } = this.#parts
    await store.call('undoCollection', { id, ...changer, now: clock.now() })
    await this.#afterChange(id)
    return pipeline.status(id)
  }

  async #afterChange(id: number): Promise<void> {
    const { pipeline, keeper } = this.#parts
    pipeline.forgetScope(id)
    await keeper.sweepSoon()
    pipeline.work.notifyAll()
    pipeline.settled.notifyAll()
  }

  /** Ends it with what it has: what is out is still taken in, what waits is left, and it can go on later. */
  async stop(id: number, owner: string | null): Promise<CollectionStatus> {
    const { pipeline } = this.#parts
    const { spec } = await pipeline.status(id)
    if (spec.kind !== 'crawl') throw new FixedCollection(id)
    return pipeline.setState(id, { state: 'finished', owner })
  }

  async discard(id: number, owner: string | null): Promise<Discarded> {
    const { store, clock, pipeline } = this.#parts
    const { spec } = await pipeline.status(id)
    if (spec.kind !== 'crawl') throw new FixedCollection(id)
    return store.call('discardCollection', { id, owner, now: clock.now() })
  }

  /** The same seeds and settings once more, as a collection of its own. */
  async rerun(id: number, by: Collector): Promise<CollectionStatus> {
    const { pipeline, newId } = this.#parts
    const { spec } = await pipeline.status(id)
    if (spec.kind !== 'crawl') throw new FixedCollection(id)
    return pipeline.collect(collectionRequest.parse(spec), { ...by, run: newId() })
  }

  /** The page is read from `store`, which shows what the caller may see. */
  async preview(
    body: { request: CollectionRequest; urls: string[]; page?: string | undefined },
    store: Calls<Operations>,
  ): Promise<ScopePreview> {
    const { pipeline, guard } = this.#parts
    const parsed = collectionSpec.parse(collectionRequest.parse(body.request))
    const seeds = parsed.seeds.map((seed) => canonicalUrl(seed)).filter((seed) => seed !== null)
    const spec = { ...parsed, seeds }
    const station = pipeline.stationFilter()
    const { links, page } =
      body.page === undefined
        ? { links: [], page: null }
        : await linksOfPage({ store, data: this.#parts.data }, body.page)
    return { urls: previewUrls([...body.urls, ...links], { spec, guard, station }), page }
  }

  async check(seeds: readonly string[]): Promise<SeedChecks> {
    const { store, clock, settings, userAgent, pipeline } = this.#parts
    const station = pipeline.stationFilter()
    const judged = seeds.map((given) => {
      const url = canonicalUrl(given.trim())
      return {
        given,
        url,
        refusal: url === null ? 'MINGA_BAD_SEED' : this.#refusalOf(url, station),
      }
    })
    const open = judged.flatMap(({ url, refusal }) => (url === null || refusal ? [] : [url]))
    const robots = await store.call('checkRobots', {
      urls: open,
      delayMs: settings.current().delayMs,
      now: clock.now(),
    })
    if (robots.some(({ state }) => state === 'asking')) pipeline.work.notifyAll()
    const byUrl = new Map(open.map((url, i) => [url, robots[i]!]))
    return {
      userAgent,
      seeds: judged.map((seed) => ({
        ...seed,
        robots: byUrl.get(seed.url ?? '') ?? { state: 'unasked' },
      })),
    }
  }

  #refusalOf(url: string, station: ReturnType<Pipeline['stationFilter']>): string | null {
    const refusal = guardUrl(url, this.#parts.guard) ?? abuseIn(url)
    if (refusal !== null) return refusal.code
    const isWanted = station === null || isHostWanted([station], hostKeyOf(url))
    return isWanted ? null : 'MINGA_FILTERED'
  }
}
