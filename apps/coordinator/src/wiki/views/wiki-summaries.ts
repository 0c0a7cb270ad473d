/** Which wikis are kept, and how much of each. */
import type { WikiDetail, WikiSummary } from '@minga/protocol'
import type { SiteInfo, WikiRow } from '@minga/wiki'
import type { WikiContext } from '../wiki-service.ts'

type Counted = Pick<WikiSummary, 'editors' | 'firstAt' | 'newestAt' | 'askedAt'>

type Parted = Pick<WikiDetail, 'namespaces' | 'states'>

/** Counted over every page and revision: once for each state of a wiki, not for each view of it. */
export class WikiSummaries {
  readonly #context: WikiContext
  readonly #counted = new ByVersion<Counted>()
  readonly #parted = new ByVersion<Parted>()

  constructor(context: WikiContext) {
    this.#context = context
  }

  async all(): Promise<WikiSummary[]> {
    const { revisions, wikis: service } = this.#context
    const [wikis, stats, feeds] = [
      await revisions.wikis(),
      await revisions.stats(),
      await service.schedule(),
    ]
    const summaries: WikiSummary[] = []
    for (const row of wikis) {
      const total = stats.find(({ wiki }) => wiki === row.key)
      if (total === undefined) continue
      const feed = feeds.find(({ wiki }) => wiki === row.key) ?? null
      summaries.push({
        ...namesOf(row),
        ...total,
        ...(await this.#countedOf(row.key)),
        feed: feed && {
          isOn: feed.isOn,
          nextPollAt: feed.nextPollAt,
          nextSweepAt: feed.nextSweepAt,
        },
      })
    }
    return summaries
  }

  /** Throws when there is no such wiki. */
  async one(wiki: string): Promise<WikiDetail> {
    const { key, site } = await this.#context.revisions.wiki(wiki)
    const summary = (await this.all()).find((one) => one.wiki === key)!
    const version = await this.#context.revisions.versionOf(key)
    const parted = await this.#parted.of(key, version, () => this.#partNow(key, site))
    return { ...summary, ...parted }
  }

  async #countedOf(key: string): Promise<Counted> {
    const version = await this.#context.revisions.versionOf(key)
    return this.#counted.of(key, version, () => this.#countNow(key))
  }

  async #countNow(key: string): Promise<Counted> {
    const ask = this.#context.revisions.ask([key])
    const [row = {}] = await ask(
      `SELECT count(DISTINCT "user") AS editors, min("at") AS first, max("at") AS newest,
         (SELECT max(last_at) FROM pages) AS asked FROM revisions`,
      [],
    )
    return {
      editors: Number(row['editors']),
      firstAt: numberOrNull(row['first']),
      newestAt: numberOrNull(row['newest']),
      askedAt: numberOrNull(row['asked']),
    }
  }

  async #partNow(key: string, { namespaces }: SiteInfo): Promise<Parted> {
    const ask = this.#context.revisions.ask([key])
    const byNamespace = await ask(
      `SELECT p.ns, count(*) AS pages, CAST(coalesce(sum(l.n), 0) AS BIGINT) AS revisions FROM pages p
       LEFT JOIN (SELECT page_id, count(*) AS n FROM revisions GROUP BY 1) l ON l.page_id = p.page_id
       GROUP BY 1 ORDER BY 1`,
      [],
    )
    const states = await ask(
      'SELECT state, count(*) AS pages FROM pages GROUP BY 1 ORDER BY 2 DESC, 1',
      [],
    )
    return {
      namespaces: byNamespace.map((row) => ({
        ns: Number(row['ns']),
        name: namespaces.find(({ id }) => id === Number(row['ns']))?.name ?? '',
        pages: Number(row['pages']),
        revisions: Number(row['revisions']),
      })),
      states: states.map((row) => ({ state: String(row['state']), pages: Number(row['pages']) })),
    }
  }
}

/** One answer for each wiki: the one of its present state. */
class ByVersion<T> {
  readonly #known = new Map<string, { version: string; answer: Promise<T> }>()

  of(key: string, version: string, read: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known?.version === version) return known.answer
    const answer = read()
    this.#known.set(key, { version, answer })
    answer.catch(() => this.#known.delete(key))
    return answer
  }
}

const numberOrNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value)

function namesOf({ key, name, site, apiUrl, addedAt }: WikiRow) {
  return {
    wiki: key,
    name,
    base: site.base === '' ? null : site.base,
    language: site.language,
    licence: site.rights.text ?? site.rights.url,
    hasApi: apiUrl !== null,
    addedAt,
  }
}
