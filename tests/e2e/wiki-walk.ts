/**
 * Reads a wiki by the rules of `@minga/wiki` with plain requests, one after the other: no station, no
 * agents, no store. What is wrong here is wrong in the rules.
 */
import {
  allNamespaces,
  checkHistory,
  firstStep,
  historyRowOf,
  planEvent,
  planPage,
  planRepair,
  readAnswer,
  readWikiAddress,
  stepOfUrl,
  stepsForPages,
  urlOfStep,
  type Claim,
  type Gap,
  type Page,
  type PageNews,
  type Revision,
  type SiteInfo,
  type StoredPage,
  type WikiProblem,
  type WikiEvent,
  type WikiNews,
  type WikiStep,
} from '@minga/wiki'

/** The second asks for texts alone. */
const ATTEMPTS = 2

/** What was read, as a store would keep it. */
export class WikiWalk {
  site: SiteInfo | null = null
  readonly pages = new Map<number, PageNews>()
  readonly revisions = new Map<number, Revision>()
  readonly missing: WikiNews['missing'] = []
  readonly events: WikiEvent[] = []
  readonly troubles: WikiProblem[] = []
  readonly steps: WikiStep[] = []
  /** By page: the wiki's own lists of revisions, as far as they were asked for. */
  readonly #claims = new Map<number, Claim[]>()
  #run = 0

  /** Finds the wiki from any of its addresses. */
  async discover(address: string): Promise<SiteInfo> {
    const found = readWikiAddress(address, {})
    await this.follow([firstStep(found, this.#ticket())])
    if (this.site === null) throw new Error(`No wiki was found at ${address}.`)
    return this.site
  }

  /** Every page of every namespace; asked again, only what is new. */
  async readAll(): Promise<void> {
    this.#run += 1
    this.#claims.clear()
    const site = this.#known()
    const namespaces = allNamespaces(site)
    await this.follow(stepsForPages(site, { namespaces }, this.#ticket()))
  }

  /** What the wiki's feed tells since that time. */
  async readFeed(since: number): Promise<void> {
    this.#run += 1
    this.#claims.clear()
    const { apiUrl: api } = this.#known()
    if (api === null) throw new Error('The wiki has no api.php.')
    const ticket = this.#ticket()
    const common = { api, since, limit: 500, more: {}, ticket }
    await this.follow([{ ...common, kind: 'recentchanges', until: null }])
  }

  /** What happened to histories otherwise than by edits, ever. */
  async readLogs(): Promise<void> {
    this.#run += 1
    const { apiUrl: api } = this.#known()
    if (api === null) throw new Error('The wiki has no api.php.')
    const common = { api, since: null, title: null, limit: 500, more: {}, ticket: this.#ticket() }
    const types = ['merge', 'import', 'delete', 'move'] as const
    await this.follow(types.map((type) => ({ ...common, kind: 'logevents', type })))
  }

  /** Checks every history and asks for what it lacks; returns what it lacks then. */
  async repair(): Promise<Gap[]> {
    const site = this.#known()
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const ticket = { ...this.#ticket(), attempt }
      const steps = [...this.pages.values()].flatMap(({ pageId, title }) =>
        planRepair(this.#gapsOf(pageId), { site, ticket, title }),
      )
      await this.follow(steps)
    }
    return [...this.pages.keys()].flatMap((pageId) => this.#gapsOf(pageId))
  }

  #gapsOf(pageId: number): Gap[] {
    const rows = this.historyOf(pageId).map((revision) => historyRowOf(revision))
    const listed = this.#claims.get(pageId) ?? null
    const title = this.pages.get(pageId)?.title
    const events = this.events.filter(
      (event) => event.pageId === pageId || event.title === title || event.newTitle === title,
    )
    return checkHistory(rows, { pageId, listed, events })
  }

  async follow(first: readonly WikiStep[]): Promise<void> {
    const queue = first.map((step) => urlOfStep(step))
    const seen = new Set(queue)
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
      const news = await this.#ask(url)
      for (const next of [...news.next, ...this.#plan(news)].map((step) => urlOfStep(step))) {
        if (!seen.has(next)) queue.push(next)
        seen.add(next)
      }
    }
  }

  historyOf(pageId: number): Revision[] {
    const own = [...this.revisions.values()].filter((revision) => revision.pageId === pageId)
    return own.toSorted((a, b) => a.at - b.at || a.revId - b.revId)
  }

  async #ask(url: string): Promise<WikiNews> {
    const step = stepOfUrl(url)
    if (step === null) throw new Error(`${url} is no step.`)
    this.steps.push(step)
    const response = await fetch(url)
    const body = new Uint8Array(await response.arrayBuffer())
    const news = readAnswer(
      step,
      { status: response.status, headers: [...response.headers], body },
      {
        site: this.site,
        now: Date.now(),
        known: (revId) => this.revisions.get(revId) ?? null,
      },
    )
    this.#take(news)
    return news
  }

  #take(news: WikiNews): void {
    this.site = news.site ?? this.site
    for (const revision of news.revisions) this.revisions.set(revision.revId, revision)
    this.missing.push(...news.missing)
    this.events.push(...news.events)
    for (const claim of news.claims) {
      this.#claims.set(claim.pageId, [...(this.#claims.get(claim.pageId) ?? []), claim])
    }
    if (news.problem !== null) this.troubles.push(news.problem)
  }

  /** As a station does it: pages that a list reports are read, changed ones inspected, events followed. */
  #plan(news: WikiNews): WikiStep[] {
    // Without api.php, each answer itself says what to ask for next.
    if (this.site === null || this.site.apiUrl === null) return []
    const [site, ticket] = [this.site, this.#ticket()]
    const isListing = news.revisions.length === 0
    const pages = news.pages.flatMap((page) => {
      this.pages.set(page.pageId, page)
      if (!isListing) return []
      return planPage({ page, stored: this.#stored(page), site, ticket })
    })
    const ids = news.changes.flatMap(({ pageId }) =>
      pageId === null || pageId === 0 ? [] : [pageId],
    )
    const changed =
      ids.length === 0
        ? []
        : stepsForPages(site, { pageIds: [...new Set(ids)], isFollowing: false }, ticket)
    const events = news.events.flatMap((event) => planEvent(event, site, ticket))
    return [...pages, ...changed, ...events]
  }

  #stored({ pageId }: Page): StoredPage | null {
    const history = this.historyOf(pageId)
    const newest = history.at(-1)
    if (newest === undefined) return null
    const { revId: lastRevId, at: newestAt } = newest
    return { lastRevId, newestAt, revisions: history.length, isComplete: true }
  }

  #known(): SiteInfo {
    if (this.site === null) throw new Error('The wiki is not known yet.')
    return this.site
  }

  #ticket(): { run: number; task: number; attempt: number } {
    return { run: this.#run, task: 1, attempt: 0 }
  }
}
