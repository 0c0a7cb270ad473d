/** Wikis over HTTP, as the command line and the page need them. */
import { Readable } from 'node:stream'
import { wikiLimitChanges, wikiRequest, type WikiDetail, type WikiSummary } from '@minga/protocol'
import type { SiteInfo, StoredRevision, WikiRow } from '@minga/wiki'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { may } from '../accounts/access.ts'
import type { WikiContext } from './wiki-service.ts'
import { historyRoutes } from './histories/history-routes.ts'
import { findPage, type PageParts } from './histories/find-page.ts'
import { NoSuchRevision } from './errors.ts'
import { lookRoutes } from './views/look-routes.ts'
import { seenWikis } from './seen-wikis.ts'

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

const READ = may('captures:read')
const WRITE = may('collections:write')

const BOT_NAME = 'a bot is named User@bot, as Special:BotPasswords of the wiki shows it'

const ofWiki = z.object({ wiki: z.string().min(1).max(2_000) })
const ofTask = z.object({ id: z.coerce.number().int() })
const ofRevision = ofWiki.extend({ revId: z.coerce.number().int() })
const tasksQuery = z.object({
  wiki: z.string().optional(),
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const updateBody = z.object({ titles: z.array(z.string().min(1)).max(10_000).optional() })
const changeBody = z.object({
  priority: z.number().int().min(-1_000).max(1_000).optional(),
  limits: wikiLimitChanges.optional(),
})
const tokenBody = z.object({ token: z.string().min(1).max(10_000).nullable() })
const botPasswordBody = z.object({
  logIn: z
    .object({
      user: z
        .string()
        .max(500)
        .regex(/^[^@]+@[^@]+$/, BOT_NAME),
      password: z.string().min(1).max(1_000),
    })
    .nullable(),
})
const feedBody = z.object({ on: z.boolean() })
const historyQuery = z.object({
  title: z.string().optional(),
  pageId: z.coerce.number().int().optional(),
  oldestFirst: z.stringbool().default(false),
  from: z.coerce.number().int().optional(),
  until: z.coerce.number().int().optional(),
})
const textQuery = z.object({ slot: z.string().max(255).default('main') })

export function wikiRoutes(app: FastifyInstance, context: WikiContext): void {
  const { access, wikis } = context
  taskRoutes(app, context)
  app.get('/wikis/schedule', READ, async (request) => ({
    wikis: await seenWikis(access, request, await wikis.schedule()),
  }))
  const histories = { ...context, imports: wikis.imports }
  wikiReadRoutes(app, { ...histories, seen: (request, all) => seenWikis(access, request, all) })
  historyRoutes(app, histories)
  lookRoutes(app, context)
  changeRoutes(app, context)
}

function taskRoutes(app: FastifyInstance, { access, wikis }: WikiContext): void {
  app.post('/wikis', WRITE, (request, reply) => {
    const { accountId } = access.requireAction(request, 'collections:write')
    void reply.status(202)
    return wikis.add(wikiRequest.parse(request.body), { owner: accountId })
  })
  app.get('/wikis/tasks', READ, (request) => {
    const { wiki, before, limit } = tasksQuery.parse(request.query)
    const which = {
      ...(wiki === undefined ? {} : { wiki }),
      ...(before === undefined ? {} : { before }),
    }
    return wikis.tasks({ ...which, limit }, access.storeFor(request))
  })
  app.get('/wikis/tasks/:id', READ, (request) =>
    wikis.task(ofTask.parse(request.params).id, access.storeFor(request)),
  )
  const ownTask = async (request: FastifyRequest): Promise<number> => {
    const { id } = ofTask.parse(request.params)
    await wikis.requireOwner(id, access.ownerFor(request, 'collections:write'))
    return id
  }
  app.post('/wikis/tasks/:id/cancel', WRITE, async (request) =>
    wikis.cancel(await ownTask(request)),
  )
  app.post('/wikis/tasks/:id/retry', WRITE, async (request) => wikis.retry(await ownTask(request)))
  app.patch('/wikis/tasks/:id', WRITE, async (request) => {
    const id = await ownTask(request)
    const { priority, limits } = changeBody.parse(request.body)
    if (priority !== undefined) await wikis.reorder(id, priority)
    if (limits !== undefined) {
      const given = Object.entries(limits).filter(([, value]) => value !== undefined)
      await wikis.limit(id, Object.fromEntries(given))
    }
    return wikis.task(id)
  })
}

/** What needs the histories alone, and no station. */
interface ReadParts extends PageParts {
  /** Those that a request may read; without it, all of them. */
  seen?: <W extends { wiki: string }>(request: FastifyRequest, wikis: W[]) => Promise<W[]>
}

export function wikiReadRoutes(app: FastifyInstance, parts: ReadParts): void {
  const { revisions, store, seen = async (_request, wikis) => wikis } = parts
  app.get('/wikis', READ, async (request) => ({
    wikis: await seen(request, await revisions.stats()),
  }))
  app.get('/wikis/:wiki', READ, (request) =>
    store.call('wikiFind', { wiki: ofWiki.parse(request.params).wiki }),
  )
  app.get('/wikis/:wiki/text/:revId', READ, async (request, reply) => {
    const { wiki, revId } = ofRevision.parse(request.params)
    const { slot } = textQuery.parse(request.query)
    const text = await revisions.text(wiki, revId, slot)
    if (text === null) throw new NoSuchRevision(wiki, revId)
    return reply.type('application/octet-stream').send(Buffer.from(text))
  })
  app.get('/wikis/:wiki/history', READ, async (request, reply) => {
    const { wiki } = ofWiki.parse(request.params)
    const { title, pageId, oldestFirst, from, until } = historyQuery.parse(request.query)
    // Before the first line: a page that is not here is an answer of its own.
    const page = pageId ?? (await findPage(parts, wiki, title ?? '')).page.pageId
    const rows = revisions.history(
      wiki,
      { pageId: page },
      {
        newestFirst: !oldestFirst,
        ...(from === undefined ? {} : { from }),
        ...(until === undefined ? {} : { until }),
      },
    )
    return reply.type('application/x-ndjson').send(Readable.from(linesOf(rows)))
  })
  app.get('/wikis/:wiki/verify', READ, (request) =>
    // It reads every file of a wiki: those who ask at the same time wait for their turns.
    runExclusive(revisions, () => revisions.verify(ofWiki.parse(request.params).wiki)),
  )
}

async function* linesOf(rows: AsyncIterable<StoredRevision>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}

function changeRoutes(app: FastifyInstance, { access, wikis }: WikiContext): void {
  app.post('/wikis/:wiki/update', WRITE, (request, reply) => {
    const { accountId } = access.requireAction(request, 'collections:write')
    const { wiki } = ofWiki.parse(request.params)
    const { titles } = updateBody.parse(request.body ?? {})
    void reply.status(202)
    return wikis.update({ wiki, ...(titles ? { titles } : {}) }, { owner: accountId })
  })
  app.put('/wikis/:wiki/token', may('settings:write'), async (request) => {
    const { accountId } = access.requireAction(request, 'settings:write')
    const { token } = tokenBody.parse(request.body)
    await wikis.setToken(ofWiki.parse(request.params).wiki, token, accountId)
    return { saved: true }
  })
  app.put('/wikis/:wiki/bot-password', may('settings:write'), async (request) => {
    const { logIn } = botPasswordBody.parse(request.body)
    const { accountId } = access.requireAction(request, 'settings:write')
    await wikis.setLogIn(ofWiki.parse(request.params).wiki, logIn, accountId)
    return { saved: true }
  })
  app.put('/wikis/:wiki/feed', WRITE, (request) =>
    wikis.setFeed(
      ofWiki.parse(request.params).wiki,
      feedBody.parse(request.body).on,
      access.ownerFor(request, 'collections:write'),
    ),
  )
}
