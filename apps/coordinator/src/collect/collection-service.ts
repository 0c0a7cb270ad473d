/** User operations on collections: start, pause, end, change, undo, rerun, preview. */
import { createHash, randomUUID } from 'node:crypto'
import {
  FixedCollection,
  filterOfSpec,
  isHostWanted,
  type Candidate,
  type OpenExisting,
} from '@minga/frontier'
import {
  canonicalUrl,
  checkPatterns,
  compileScope,
  compileUrlPattern,
  hostKeyOf,
  originOf,
  type GuardPolicy,
} from '@minga/net'
import type { Filter } from '@minga/partition'
import {
  collectionRequest,
  collectionSpec,
  type CollectionRequest,
  type CollectionSpec,
  type CollectionState,
  type CollectionStatus,
  type ExistingCollection,
  type ExtractSpec,
  type PreviewedUrl,
  type ScopePreview,
  type SeedChecks,
  type Visibility,
  type collectionChange,
  type collectionStart,
} from '@minga/protocol'
import type { z } from 'zod'
import type { Calls } from '@minga/store'
import type { Reach } from '@minga/fleet'
import { admit, findRefusal, type Origin } from '../station/admission.ts'
import { awaitBeats, type StationFilter } from '../station/filters/station-filter.ts'
import type { Operations } from '../station/station-operations.ts'
import type { Station } from '../station/station.ts'
import { NoSeeds } from '../station/errors.ts'
import { readArchived } from '../archive/captures/capture-content.ts'
import { pageWorker } from '../archive/pages/page-worker.ts'
import type { CollectionViews } from './collection-views.ts'
import type { CollectionMaintenance } from './collection-maintenance.ts'
import type { Discarded } from './discard-captures.ts'

interface CollectionDeps {
  /** What uploads know of collections, and forget when one changes. */
  views: CollectionViews
  filter: StationFilter
  /** Refuses rules for scraping that cannot be meant. */
  checkExtract: (spec: ExtractSpec, owner: string) => Promise<void>
  maintenance: CollectionMaintenance
}

/** Whose collections the caller may change (null: everyone's), and who the caller is. */
interface Changer {
  owner: string | null
  by: string
}

interface NewCollection {
  existing?: OpenExisting
  /** Who reads it, if it is not there yet. */
  visibility?: Visibility
}

interface NewState {
  state: CollectionState
  /** Whose collections may be changed; null: everybody's. */
  owner: string | null
}

export class CollectionService {
  readonly #station: Station
  readonly #deps: CollectionDeps

  constructor(station: Station, deps: CollectionDeps) {
    this.#station = station
    this.#deps = deps
  }

  /** Starts a collection; what becomes of one with the same seeds and scope is the caller's choice. */
  start(
    { existing, visibility, ...request }: z.output<typeof collectionStart>,
    by: Collector,
  ): Promise<CollectionStatus> {
    const who = { ...by, ...(visibility === undefined ? {} : { visibility }) }
    if (existing === 'separate') return this.#collect(request, { ...who, run: randomUUID() })
    return this.#collect(request, { ...who, existing: existing ?? 'refuse' })
  }

  /** Opens a collection, or continues the one with the same seeds and scope; without a choice only as it is. */
  async #collect(
    request: CollectionRequest,
    { existing = 'refuse', visibility, ...by }: Collector & NewCollection,
  ): Promise<CollectionStatus> {
    const { store, clock, guard, work } = this.#station
    const { filter, views, checkExtract } = this.#deps
    const { spec, seeds, identity } = identifyRequest(request, by)
    checkPatterns(spec)
    if (spec.extract) await checkExtract(spec.extract, by.owner)
    const filters = [filter.current().filter, filterOfSpec(spec)]
    const wanted = filters.filter((one) => one !== null)
    const { id, recalled } = await store.call('startCollection', {
      identity,
      existing,
      owner: by.owner,
      ...(visibility === undefined ? {} : { visibility }),
      spec: { ...spec, seeds },
      seeds: seeds.map((seed) => this.#seedCandidate(seed, by, wanted)),
      allowPrivateAddresses: guard.allowPrivateAddresses,
      now: clock.now(),
    })
    views.forget(id)
    work.notifyAll()
    await awaitBeats(this.#station, recalled)
    return this.status(id)
  }

  /** Operators may collect any address on their own account. */
  #seedCandidate(url: string, by: Collector, filters: readonly Filter[]): Candidate {
    const policy = { guard: this.#station.guard, filters }
    const isOperator = by.reach !== 'own'
    const refusal = findRefusal(url, 'seed', policy, { isOperator })?.code ?? null
    return { url, kind: 'page', depth: 0, hops: 0, via: null, refusal }
  }

  async status(id: number): Promise<CollectionStatus> {
    const [status] = await this.#station.store.call('collectionStatus', { id })
    return status!
  }

  async setState(id: number, to: NewState): Promise<CollectionStatus> {
    const { store, clock, work } = this.#station
    const reason = to.state === 'running' ? null : 'asked'
    await store.call('setCollectionState', { ...to, id, reason, now: clock.now() })
    work.notifyAll()
    return this.status(id)
  }

  /** The collection that these seeds and this scope would continue, and what that would change of it. */
  findExisting(request: CollectionRequest, by: Collector): Promise<ExistingCollection> {
    const { spec, identity } = identifyRequest(request, by)
    return this.#station.store.call('findExisting', { identity, spec })
  }

  async change(
    id: number,
    change: z.output<typeof collectionChange>,
    changer: Changer,
  ): Promise<CollectionStatus> {
    const { store, clock } = this.#station
    await store.call('changeCollection', { id, change, ...changer, now: clock.now() })
    await this.#afterChange(id)
    return this.status(id)
  }

  async undo(id: number, changer: Changer): Promise<CollectionStatus> {
    const { store, clock } = this.#station
    await store.call('undoCollection', { id, ...changer, now: clock.now() })
    await this.#afterChange(id)
    return this.status(id)
  }

  async #afterChange(id: number): Promise<void> {
    const { work, settled } = this.#station
    const { views, maintenance } = this.#deps
    views.forget(id)
    await maintenance.sweepSoon()
    work.notifyAll()
    settled.notifyAll()
  }

  /** Ends it with what it has: what is out is still taken in, what waits is left, and it can go on later. */
  async stop(id: number, owner: string | null): Promise<CollectionStatus> {
    const { spec } = await this.status(id)
    if (spec.kind !== 'crawl') throw new FixedCollection(id)
    return this.setState(id, { state: 'finished', owner })
  }

  async discard(id: number, owner: string | null): Promise<Discarded> {
    const { store, clock } = this.#station
    const { spec } = await this.status(id)
    if (spec.kind !== 'crawl') throw new FixedCollection(id)
    return store.call('discardCollection', { id, owner, now: clock.now() })
  }

  /** The same seeds and settings once more, as a collection of its own. */
  async rerun(id: number, by: Collector): Promise<CollectionStatus> {
    const { spec } = await this.status(id)
    if (spec.kind !== 'crawl') throw new FixedCollection(id)
    return this.#collect(collectionRequest.parse(spec), { ...by, run: randomUUID() })
  }

  /** The page is read from `store`, which shows what the caller may see. */
  async preview(
    body: { request: CollectionRequest; urls: string[]; page?: string | undefined },
    store: Calls<Operations>,
    by: Pick<Collector, 'reach'>,
  ): Promise<ScopePreview> {
    const { guard } = this.#station
    const parsed = collectionSpec.parse(collectionRequest.parse(body.request))
    const seeds = parsed.seeds.map((seed) => canonicalUrl(seed)).filter((seed) => seed !== null)
    const spec = { ...parsed, seeds }
    const station = this.#deps.filter.current().filter
    const { links, page } =
      body.page === undefined
        ? { links: [], page: null }
        : await linksOfPage({ store, data: this.#station.data }, body.page)
    const isOperator = by.reach !== 'own'
    const preview = { spec, guard, station, origin: { isOperator } }
    const ofPage = page === null ? {} : { page: originOf(page.url) }
    const found = previewUrls(links, { ...preview, origin: { isOperator, ...ofPage } })
    return { urls: [...previewUrls(body.urls, preview), ...found], page }
  }

  async check(seeds: readonly string[], by: Pick<Collector, 'reach'>): Promise<SeedChecks> {
    const { store, clock, settings, userAgent, work, guard } = this.#station
    const station = this.#deps.filter.current().filter
    const policy = { guard, filters: station === null ? [] : [station] }
    const origin = { isOperator: by.reach !== 'own' }
    const judged = seeds.map((given) => {
      const { url, refusal } = admit(given.trim(), 'seed', policy, origin)
      return { given, url, refusal: url === null ? 'MINGA_BAD_SEED' : (refusal?.code ?? null) }
    })
    const open = judged.flatMap(({ url, refusal }) => (url === null || refusal ? [] : [url]))
    const robots = await store.call('checkRobots', {
      urls: open,
      delayMs: settings.current().delayMs,
      now: clock.now(),
    })
    if (robots.some(({ state }) => state === 'asking')) work.notifyAll()
    const byUrl = new Map(open.map((url, i) => [url, robots[i]!]))
    return {
      userAgent,
      seeds: judged.map((seed) => ({
        ...seed,
        robots: byUrl.get(seed.url ?? '') ?? { state: 'unasked' },
      })),
    }
  }
}

/** Who collects, and whether everyone's collections are theirs to change. */
interface Collector {
  owner: string
  reach: Reach
  /** A new collection although there is one of the same seeds and scope: what tells the two apart. */
  run?: string
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

/**
 * The same seeds and scope are the same collection, whatever its limits and delay. Collectors have
 * separate ones: an identical request of another user changes nothing.
 */
function identityOf(seeds: readonly string[], spec: CollectionSpec, by: Collector): string {
  const { scope, include, exclude } = spec
  const whose = [...(by.reach === 'own' ? [by.owner] : []), ...(by.run ? [by.run] : [])]
  const text = JSON.stringify([seeds, scope, include.toSorted(), exclude.toSorted(), ...whose])
  return createHash('sha256').update(text).digest('hex')
}

interface IdentifiedRequest {
  spec: CollectionSpec
  seeds: string[]
  identity: string
}

/** A request in its full form, and by what its collection is known. */
function identifyRequest(request: CollectionRequest, by: Collector): IdentifiedRequest {
  const spec = collectionSpec.parse(collectionRequest.parse(request))
  const seeds = canonicalSeeds(spec)
  return { spec, seeds, identity: identityOf(seeds, spec, by) }
}

interface Preview {
  spec: CollectionSpec
  guard: GuardPolicy
  station: Filter | null
  /** Who would collect, and where the addresses were found. */
  origin: Origin
}

/** Which addresses a collection would take, and why not the others: by the code that decides it later, without a fetch. */
function previewUrls(urls: readonly string[], preview: Preview): PreviewedUrl[] {
  const judge = judgeOf(preview)
  return urls.map((given) => {
    const url = canonicalUrl(given.trim())
    if (url === null) return { given, url, isIn: false, why: 'no-address', pattern: null }
    return { given, url, ...judge(url) }
  })
}

type Verdict = Pick<PreviewedUrl, 'isIn' | 'why' | 'pattern'>

/** In the order in which they decide when the collection runs. */
function judgeOf({ spec, guard, station, origin }: Preview): (url: string) => Verdict {
  checkPatterns(spec)
  const seeds = new Set(spec.seeds)
  const reaches = compileScope({ kind: spec.scope, seeds: spec.seeds })
  const excluded = spec.exclude.map((text) => ({ text, pattern: compileUrlPattern(text) }))
  const included = spec.include.map((text) => ({ text, pattern: compileUrlPattern(text) }))
  const filters = [station, filterOfSpec(spec)].filter((filter) => filter !== null)
  const out = (why: PreviewedUrl['why'], pattern: string | null = null): Verdict => ({
    isIn: false,
    why,
    pattern,
  })
  return (url) => {
    if (!reaches(url)) return out('reach')
    const excluding = excluded.find(({ pattern }) => pattern.test(url))
    if (excluding) return out('exclude', excluding.text)
    const including = included.find(({ pattern }) => pattern.test(url))
    if (included.length > 0 && !including) return out('include')
    if (!isHostWanted(filters, hostKeyOf(url))) return out('filter')
    const purpose = seeds.has(url) ? 'seed' : 'link'
    if (findRefusal(url, purpose, { guard }, origin) !== null) return out('refused')
    return { isIn: true, why: 'in', pattern: including?.text ?? null }
  }
}

/** A page has thousands at most; a longer list is of no use to a reader. */
const LINKS_MOST = 500
/** A longer page is read from its beginning. */
const BYTES_MOST = 16 * 1024 * 1024

/** The links of the newest capture of an address. */
async function linksOfPage(
  parts: { store: Calls<Operations>; data: string },
  address: string,
): Promise<{ links: string[]; page: ScopePreview['page'] }> {
  const { capture, body } = await readArchived(parts, { url: address, at: null }, BYTES_MOST)
  const { url, capturedAt } = capture
  const links = await pageWorker.run('links', { url, body, most: LINKS_MOST })
  return { links, page: { url, capturedAt } }
}
