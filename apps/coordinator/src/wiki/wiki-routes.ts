/** Wikis over HTTP, as the command line and the page need them. */
import { Readable } from 'node:stream'
import { wikiLimitChanges, wikiRequest } from '@minga/protocol'
import type { StoredRevision } from '@minga/wiki'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../accounts/access.ts'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { WikiContext } from './wiki-service.ts'
import { historyRoutes } from './histories/history-routes.ts'
import { findPage, type PageParts } from './histories/find-page.ts'
import { NoSuchRevision } from './errors.ts'
import { lookRoutes } from './views/look-routes.ts'
import { seenWikis } from './seen-wikis.ts'

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
