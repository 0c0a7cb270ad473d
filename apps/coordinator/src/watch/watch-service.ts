/** Subscriptions on the coordinator's side: what people want watched, judged before it is kept. */
import type { Reach } from '@minga/fleet'
import { checkSelectors } from '@minga/forecast'
import { canonicalUrl, checkPatterns, guardUrl, hostKeyOf } from '@minga/net'
import {
  harvestSpec,
  collectionSpec,
  type watchRequest,
  watchSettings,
  type CollectionSpec,
  type TrailView,
  type WatchChanges,
  type WatchDetail,
} from '@minga/protocol'
import type { z } from 'zod'
import { admit, type Refusal } from '../station/admission.ts'
import { requirePolicyName } from './plan/live-policies.ts'
import { refuseTooMany } from './change-watch.ts'
import type { RemovedWatch } from './remove-watch.ts'
import { ForeignWatch, WatchRefused } from './watch-errors.ts'
import type { WatchedUrl } from './watch-places.ts'
import type { Station } from '../station/station.ts'

/** Who acts, and whether everyone's watches are theirs to change. */
export interface Watcher {
  accountId: string
  reach: Reach
}

type ParsedRequest = z.output<typeof watchRequest>

export class WatchService {
  readonly #station: Station
  /** Called when a watch or its settings have changed: its scope is read and plans are repriced. */
  readonly #onChanged: (id: number) => void

  constructor(station: Station, onChanged: (id: number) => void) {
    this.#station = station
    this.#onChanged = onChanged
  }

  async create(by: Watcher, asked: ParsedRequest): Promise<WatchDetail> {
    requirePolicy(asked.policy)
    requireSelectors(asked)
    const urls = this.#watchedUrls(asked, by)
    const first = urls.find(({ role }) => role === 'page' || role === 'probe') ?? urls[0]!
    const spec = specOf(asked, urls, first.url)
    checkPatterns(spec)
    const name = asked.name ?? nameOf(first.url, urls.length)
    const { store, clock } = this.#station
    const owner = by.accountId
    const [head = [], ...rest] = slicesOf(urls)
    const settings = watchSettings.parse({ ...asked, name })
    const { subject } = asked
    const watch = await store.call('createWatch', {
      subject,
      settings,
      spec,
      urls: head,
      owner,
      now: clock.now(),
    })
    const { id } = watch
    for (const slice of rest) {
      await store.call('addWatchUrls', { id, owner, urls: slice, now: clock.now() })
    }
    this.#onChanged(id)
    return rest.length === 0 ? watch : store.call('watchDetail', { id })
  }

  #watchedUrls(asked: ParsedRequest, by: Watcher): WatchedUrl[] {
    const role = asked.subject === 'site' ? 'probe' : 'page'
    const urls = new Map<string, WatchedUrl>()
    const add = (given: readonly string[], as: WatchedUrl['role']): void => {
      for (const url of this.#judged(given, by)) {
        if (!urls.has(url)) urls.set(url, { url, role: as })
      }
    }
    add(asked.feeds, 'feed')
    add(asked.sitemaps, 'sitemap')
    add(asked.urls, role)
    const watched = [...urls.values()]
    refuseTooMany(asked.subject, watched.filter((one) => one.role === role).length)
    return watched
  }

  /** Operators are responsible for the station and may watch any address. */
  #judged(given: readonly string[], by: Watcher): string[] {
    return given.map((text) => {
      const { url, refusal } = admit(text, 'watch', this.#station, {
        isOperator: by.reach !== 'own',
      })
      if (url === null) throw WatchRefused.address(text, 'it is no http or https address')
      if (refusal !== null) throw WatchRefused.address(url, refusal.reason, remedyFor(url, refusal))
      return url
    })
  }

  async change(by: Watcher, id: number, changes: WatchChanges): Promise<WatchDetail> {
    const { addUrls, addFeeds, addSitemaps, removeUrls, ...settings } = changes
    requirePolicy(settings.policy)
    requireSelectors(settings)
    const added = slicesOf(this.#judged(addUrls ?? [], by))
    const removed = slicesOf((removeUrls ?? []).map((url) => canonicalUrl(url) ?? url))
    const sources = {
      addFeeds: this.#judged(addFeeds ?? [], by),
      addSitemaps: this.#judged(addSitemaps ?? [], by),
    }
    const step = (part: object): Promise<WatchDetail> =>
      this.#station.store.call('changeWatch', {
        ...this.#changing(by, id),
        settings: {},
        addUrls: [],
        addFeeds: [],
        addSitemaps: [],
        removeUrls: [],
        ...part,
      })
    const [firstAdded = [], ...restAdded] = added
    const [firstRemoved = [], ...restRemoved] = removed
    const first = { addUrls: firstAdded, removeUrls: firstRemoved }
    let watch = await step({ settings, ...sources, ...first })
    for (const slice of restAdded) watch = await step({ addUrls: slice })
    for (const slice of restRemoved) watch = await step({ removeUrls: slice })
    this.#onChanged(id)
    return watch
  }

  /** Once, at this moment or as soon as it has passed. */
  setNextVisit(by: Watcher, id: number, at: number): Promise<WatchDetail> {
    return this.#station.store.call('setNextVisit', { ...this.#changing(by, id), at })
  }

  undo(by: Watcher, id: number): Promise<WatchDetail> {
    return this.#changed(id, this.#station.store.call('undoWatch', this.#changing(by, id)))
  }

  remove(by: Watcher, id: number, withCaptures: boolean): Promise<RemovedWatch> {
    const removing = { ...this.#changing(by, id), withCaptures }
    return this.#changed(id, this.#station.store.call('removeWatch', removing))
  }

  async #changed<R>(id: number, change: Promise<R>): Promise<R> {
    const result = await change
    this.#onChanged(id)
    return result
  }

  #changing(
    by: Watcher,
    id: number,
  ): { id: number; owner: string | null; by: string; now: number } {
    const owner = by.reach === 'all' ? null : by.accountId
    return { id, owner, by: by.accountId, now: this.#station.clock.now() }
  }

  /** Whose it is and what stands for it; refuses what is not there. */
  owner(id: number): Promise<{ owner: string | null; url: string }> {
    return this.#station.store.call('watchOwner', { id })
  }

  /** Refuses callers who may not change this watch. */
  async requireChanger(by: Watcher, id: number): Promise<void> {
    const { owner } = await this.owner(id)
    if (by.reach !== 'all' && owner !== by.accountId) throw new ForeignWatch(id)
  }

  /** Of a watch that is there. */
  async trail(id: number, page: { before: number; limit: number }): Promise<TrailView[]> {
    await this.owner(id)
    return this.#station.store.call('watchTrail', { id, ...page })
  }
}

/** A tenth of a second or two of the store's time: agents' beats must not wait longer. */
const URLS_AT_ONCE = 10_000

function slicesOf<T>(values: readonly T[]): T[][] {
  const slices: T[][] = []
  for (let at = 0; at < values.length; at += URLS_AT_ONCE) {
    slices.push(values.slice(at, at + URLS_AT_ONCE))
  }
  return slices
}

/** An unknown name is refused here, not at the first visit. */
function requirePolicy(name: string | null | undefined): void {
  if (name != null) requirePolicyName(name)
}

/** So are selectors: one that cannot be read would spoil every visit. */
function requireSelectors(of: Pick<WatchChanges, 'includeSelectors' | 'excludeSelectors'>): void {
  checkSelectors({ include: of.includeSelectors ?? [], exclude: of.excludeSelectors ?? [] })
}

/** A harvest follows a site's links; a page or a list is what it is. */
function specOf(asked: ParsedRequest, urls: readonly WatchedUrl[], first: string): CollectionSpec {
  const isSite = asked.subject === 'site'
  return collectionSpec.parse({
    kind: 'watch',
    // The forecasts name every page of a list; a spec of a million seeds would be read at each lease.
    seeds: isSite ? urls.filter(({ role }) => role === 'probe').map(({ url }) => url) : [first],
    ...harvestSpec.parse(asked),
    ...(isSite ? {} : { scope: 'page' }),
    sitemaps: isSite,
    embeds: asked.subject !== 'list',
  })
}

function nameOf(url: string, count: number): string {
  const { pathname, search } = new URL(url)
  const path = pathname === '/' ? '' : pathname
  const name = `${hostKeyOf(url)}${path}${search}`.slice(0, NAME_MAX)
  return count === 1 ? name : `${name} + ${count - 1}`
}

/** Leaves room for “+ 999,999”. */
const NAME_MAX = 280

/** Some addresses are refused whatever is allowed; for the others there is a flag. */
function remedyFor(url: string, { code }: Refusal): string {
  const isPrivate =
    code === 'MINGA_ADDRESS_REFUSED' && guardUrl(url, { allowPrivateAddresses: true }) === null
  return isPrivate
    ? 'start the station with --allow-private-addresses, or leave it out'
    : 'leave it out'
}
