/** Wikis on the coordinator's side: what of them is wanted, how far that is, and what is kept. */
import { classifyAddress, guardUrl, hostKeyOf } from '@minga/net'
import {
  isMingaError,
  wikiLimits,
  wikiRequest,
  type WikiLimits,
  type WikiLogInState,
  type WikiRequest,
  type WikiTaskView,
} from '@minga/protocol'
import type { Calls } from '@minga/store'
import { readWikiAddress, type TaskRow, type WantedPage, type WikiRow } from '@minga/wiki'
import { Forbidden } from '../station/errors.ts'
import type { Operations } from '../station/station-operations.ts'
import type { RouteContext } from '../accounts/access.ts'
import type { Station } from '../station/station.ts'
import {
  NoSuchWikiTask,
  NothingChosen,
  UnsafeToken,
  WikiAddressRefused,
  WikiWithoutApi,
} from './errors.ts'
import type { FeedState } from './feeds/feed-state.ts'
import { WikiImports } from './histories/wiki-imports.ts'
import { StreamListener } from './feeds/event-stream.ts'
import { WikiSchedule, type WikiScheduleView } from './tasks/schedule.ts'
import { Metrics } from './v1/metrics.ts'
import type { NewLogIn } from './wiki-log-ins.ts'
import { hasSelection } from './tasks/wiki-task.ts'

interface MaintenanceDeps {
  schedule: Pick<WikiSchedule, 'look'>
  /** What the wikis hid is out of the files of revisions, and not yet out of the archive. */
  onFolded: () => Promise<void>
}

/** Batches live in the database in the meantime, and count at once: there is no haste. */
const EVERY_MS = 60_000
/** A small rest is folded after this long, so that a database does not keep it for ever. */
const REST_MS = 15 * 60_000

/**
 * Folds pending revisions into files and merges files, and checks the schedule: in the background
 * and one at a time, because each may take seconds.
 */
class RevisionMaintenance {
  readonly #station: Station
  readonly #deps: MaintenanceDeps
  #lastMs: number
  #work: Promise<void> | null = null
  #isOpen = false
  #opening: Promise<unknown> | null = null

  constructor(station: Station, deps: MaintenanceDeps) {
    this.#station = station
    this.#deps = deps
    this.#lastMs = station.clock.monotonicMs()
  }

  /** Clears away what a stop left half written: once, and before anyone writes here. */
  async open(): Promise<void> {
    this.#opening ??= this.#station.revisions.tidy({ isOpening: true })
    await this.#opening
  }

  /** Never waits for the work. */
  async tick(): Promise<void> {
    const nowMs = this.#station.clock.monotonicMs()
    if (this.#work !== null || (this.#isOpen && nowMs - this.#lastMs < EVERY_MS)) return
    this.#lastMs = nowMs
    this.#work = this.#upkeep().finally(() => {
      this.#work = null
    })
  }

  async #upkeep(): Promise<void> {
    const { revisions, clock } = this.#station
    try {
      const isOpening = !this.#isOpen
      this.#isOpen = true
      await (isOpening ? this.open() : revisions.tidy())
      await revisions.foldIfDue({ since: clock.now() - REST_MS })
      await this.#deps.onFolded()
      await revisions.compact()
      await this.#deps.schedule.look()
    } catch (error) {
      if (!isMingaError(error)) throw error
      // What could not be folded stays where it is and is folded the next time.
      process.stderr.write(`minga: ${error.message} (${error.code})\n`)
    }
  }

  async close(): Promise<void> {
    await this.#work
    const { revisions } = this.#station
    await revisions.fold().catch(() => {})
    await this.#deps.onFolded().catch(() => {})
    await revisions.close()
  }
}

export interface WikiContext extends RouteContext {
  wikis: WikiService
}

interface By {
  owner: string
}

export interface TasksQuery {
  wiki?: string
  before?: number
  limit?: number
}

/** Between two checks of feeds, whose intervals are minutes. */
const FEEDS_EVERY_MS = 5_000
const FAILURES_SHOWN = 100

type Reader = Calls<Operations>

export class WikiService {
  /** What histories add up to. */
  readonly metrics: Metrics
  readonly #station: Station
  readonly #maintenance: RevisionMaintenance
  readonly #schedule: WikiSchedule
  readonly #listener: StreamListener
  #feedsAtMs = Number.NEGATIVE_INFINITY
  /** Dumps that are taken in. */
  readonly imports: WikiImports

  constructor(station: Station, onFolded: () => Promise<void>) {
    this.#station = station
    this.imports = new WikiImports({ ...station, open: () => this.#maintenance.open() })
    this.#schedule = new WikiSchedule(station)
    this.#maintenance = new RevisionMaintenance(station, { schedule: this.#schedule, onFolded })
    this.#listener = new StreamListener(station)
    this.metrics = new Metrics(station)
  }

  /** The same request again is the same task while it is not over. */
  async add(request: WikiRequest, by: By): Promise<WikiTaskView> {
    const { guard, settings } = this.#station
    const asked = wikiRequest.parse(request)
    const { wikiDefault: defaultWiki, wikiLocale: locale } = settings.current()
    const address = asked.address === '' ? (defaultWiki ?? '') : asked.address
    const language = asked.locale ?? locale
    const { url, wanted } = readWikiAddress(address, { locale: language, defaultWiki })
    const refusal = guardUrl(url, guard)
    if (refusal !== null) throw new WikiAddressRefused(url, refusal.reason)
    const isNamed = wanted.title !== null || wanted.pageId !== null || wanted.revId !== null
    if (!isNamed && !hasSelection(asked)) throw new NothingChosen(url)
    return this.#begin({
      wikiId: null,
      kind: 'extract',
      arguments: {
        ...asked,
        address,
        locale: language,
        url: isUrlOf(url, wanted) ? url : null,
        wanted,
        defaultWiki,
        host: hostKeyOf(url),
        owner: by.owner,
      },
      limits: wikiLimits.parse(asked),
    })
  }

  /** Asks what is new: of one page, of some, or of all that is stored. */
  async update(asked: { wiki: string; titles?: readonly string[] }, by: By): Promise<WikiTaskView> {
    const { wikiId, apiUrl, key } = await this.#wiki(asked.wiki)
    if (apiUrl === null) throw new WikiWithoutApi(key)
    const titles = asked.titles ?? null
    return this.#begin({
      wikiId,
      kind: 'update',
      arguments: { api: apiUrl, host: hostKeyOf(apiUrl), titles, owner: by.owner },
      limits: wikiLimits.parse({}),
    })
  }

  async #begin(
    task: Pick<TaskRow, 'wikiId' | 'kind' | 'arguments' | 'limits'>,
  ): Promise<WikiTaskView> {
    const { store, clock } = this.#station
    const { id } = await store.call('openWikiTask', { ...task, now: clock.now() })
    await this.#tend()
    return this.task(id)
  }

  #wiki(wiki: string): Promise<WikiRow> {
    return this.#station.store.call('wikiFind', { wiki })
  }

  /** `store` may show only what a caller may see. */
  async task(id: number, store: Reader = this.#station.store): Promise<WikiTaskView> {
    const asked = { id, failures: FAILURES_SHOWN }
    const view = await store.call('wikiTaskView', asked)
    if (view === null) throw new NoSuchWikiTask(id)
    return view
  }

  /** Null: everyone's are theirs to change. */
  async requireOwner(id: number, owner: string | null): Promise<void> {
    const task = await this.#station.store.call('wikiReadTask', { id })
    const isTheirs = owner === null || task?.arguments['owner'] === owner
    if (task === null || !isTheirs) throw new NoSuchWikiTask(id)
  }

  /** Newest first. */
  async tasks(
    { wiki, before, limit = 100 }: TasksQuery,
    store: Reader = this.#station.store,
  ): Promise<WikiTaskView[]> {
    const { wikiId } = wiki === undefined ? {} : await this.#wiki(wiki)
    return store.call('wikiTaskViews', {
      ...(wikiId === undefined ? {} : { wikiId }),
      ...(before === undefined ? {} : { before }),
      limit,
    })
  }

  async cancel(id: number): Promise<WikiTaskView> {
    const { store, clock } = this.#station
    await this.task(id)
    await store.call('cancelWikiTask', { id, now: clock.now() })
    return this.task(id)
  }

  /** Once more, as far as there is something to do: what is complete is not fetched again. */
  async retry(id: number): Promise<WikiTaskView> {
    return this.#change(id, { state: 'waiting' })
  }

  /** Tasks of one wiki follow one another: the highest priority first. */
  reorder(id: number, priority: number): Promise<WikiTaskView> {
    return this.#change(id, { priority })
  }

  async limit(id: number, limits: Partial<WikiLimits>): Promise<WikiTaskView> {
    const { limits: former } = await this.task(id)
    const merged = wikiLimits.parse({ ...former, ...limits })
    await this.#station.store.call('limitWikiTask', {
      id,
      limits: merged,
      now: this.#station.clock.now(),
    })
    return this.task(id)
  }

  async #change(id: number, change: object): Promise<WikiTaskView> {
    const { store, clock } = this.#station
    await this.task(id)
    await store.call('wikiChangeTask', { id, now: clock.now(), ...change })
    await this.#tend()
    return this.task(id)
  }

  /** An OAuth 2 token of this station; null forgets it. It is never shown again. */
  async setToken(wiki: string, token: string | null, by: string): Promise<void> {
    const api = await this.#apiFor(wiki, token)
    const { store, clock, secrets } = this.#station
    const sealed = token && secrets.seal(token)
    await store.call('putWikiToken', { api, token: sealed, by, now: clock.now() })
    await store.call('closeWikisOf', { api })
  }

  /** A bot password of this station; null forgets it. It is never shown again. */
  async setLogIn(wiki: string, logIn: NewLogIn | null, by: string): Promise<void> {
    const api = await this.#apiFor(wiki, logIn)
    const { store, clock, secrets } = this.#station
    const sealed = logIn && { ...logIn, password: secrets.seal(logIn.password) }
    await store.call('putWikiLogIn', { api, logIn: sealed, by, now: clock.now() })
    await store.call('closeWikisOf', { api })
  }

  /** What the station logs in with. Of a wiki without an api.php there is nothing to know. */
  async logInState(wiki: string): Promise<WikiLogInState> {
    const { apiUrl } = await this.#wiki(wiki)
    if (apiUrl === null) return { hasToken: false, bot: null }
    const { store, clock } = this.#station
    return store.call('wikiLogInState', { api: new URL(apiUrl).href, now: clock.now() })
  }

  /** Where a secret is sent: over https alone, unless the network is our own. */
  async #apiFor(wiki: string, secret: unknown): Promise<string> {
    const api = await this.#apiOf(wiki)
    if (secret === null || api.startsWith('https:')) return api
    if (!(await this.#isInside(api))) throw new UnsafeToken(api)
    return api
  }

  /** A name may point elsewhere later: what is sent to agents is checked by its address again. */
  async #isInside(url: string): Promise<boolean> {
    const { guard, resolver } = this.#station
    if (!guard.allowPrivateAddresses) return false
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
    const found = await resolver.resolve(host)
    return found.ok && found.addresses.every((address) => classifyAddress(address) !== 'public')
  }

  /** Before its first extraction a wiki is known by the address of its api.php alone. */
  async #apiOf(wiki: string): Promise<string> {
    if (/^https?:\/\/[^?#]+\/api\.php$/.test(wiki)) return new URL(wiki).href
    const { apiUrl, key } = await this.#wiki(wiki)
    if (apiUrl === null) throw new WikiWithoutApi(key)
    return apiUrl
  }

  /** @param owner Whose extractions must be among the wiki's; null: the operator, who switches any. */
  async setFeed(wiki: string, isOn: boolean, owner: string | null): Promise<FeedState> {
    const { wikiId } = await this.#wiki(wiki)
    const { store } = this.#station
    if (owner !== null && !(await store.call('hasWikiTask', { wikiId, owner }))) {
      throw Forbidden.byRole(
        'Switching the feed of a wiki from which you extract nothing',
        'settings:write',
      )
    }
    return store.call('setWikiFeed', { wikiId, isOn })
  }

  /** When each wiki is polled next, and what that costs compared with the baseline rule. */
  schedule(): Promise<WikiScheduleView[]> {
    return this.#schedule.view()
  }

  /** About twice a second. */
  async tick(): Promise<void> {
    await this.#tend()
    await this.#maintenance.tick()
    await this.metrics.tick()
    const { store, clock, guard, settings, work } = this.#station
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#feedsAtMs < FEEDS_EVERY_MS || settings.current().wikiFeeds === 'off') return
    this.#feedsAtMs = nowMs
    const hasNew = await store.call('advanceFeeds', { guard, now: clock.now() })
    if (hasNew) work.notifyAll()
    await this.#listener.tend(settings.current().wikiFeeds === 'stream')
  }

  async #tend(): Promise<void> {
    const { store, clock, guard, work } = this.#station
    const hasNew = await store.call('advanceWikiTasks', { guard, now: clock.now() })
    if (hasNew) work.notifyAll()
  }

  /** What arrived is written to files before the store closes. */
  async close(): Promise<void> {
    await this.metrics.close()
    await this.#listener.close()
    await this.imports.close()
    await this.#maintenance.close()
  }
}

/** Whether a URL itself names the page, rather than a user who gave its title. */
function isUrlOf(url: string, wanted: WantedPage): boolean {
  return readWikiAddress(url).wanted.title === wanted.title
}
