/** How others report changes over HTTP: the hook of a watch, and the callback of hubs. */
import { newSecret, secretHash } from '@minga/fleet'
import { canonicalUrl } from '@minga/net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import { placeOf, RateLimits, type Allowance } from '../../http/request-limits/rate-limits.ts'
import type { WatchContext } from '../watch-context.ts'
import { requireSmall } from '../../http/request-limits/body-limits.ts'
import { NoSuchSubscription, SubscriptionGone } from '../watch-errors.ts'
import type { AcceptedNotices } from './notices.ts'

const idParams = z.object({ id: z.coerce.number().int() })
const tokenParams = z.object({ token: z.string().min(1).max(100) })
const pageQuery = z.object({
  before: z.coerce.number().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const urls = z.array(z.string().min(1).max(8_192)).max(1_000)
/** `urlList` and `key` as IndexNow calls them. Without addresses the whole watch is meant. */
const noticeBody = z
  .object({ urls: urls.optional(), urlList: urls.optional(), key: z.string().max(200).optional() })
  .nullish()
const hubQuery = z.record(z.string(), z.string().max(8_192))

const READ = may('watches:read')
const WRITE = may('watches:write')
/** Sites and hubs call these without an account: a feed fits once their secret is known, more does not. */
const PUBLIC = { config: { isPublic: true }, bodyLimit: 10 * 1024 * 1024 }
/** What hubs send is a feed or a page as its site would send it. */
const PUSHED_TYPES = /^(?:application\/[\w.+-]*xml|text\/(?:xml|html))\b/

/**
 * Each costs a query of the store. Calls without the right secret count by their address alone, so
 * that a caller who knows no more than a watch's number cannot use up what its site may report.
 */
const TELLING: Allowance = { what: 'telling of changes', burst: 120, everyMs: 1_000 }

export function signalRoutes(app: FastifyInstance, context: WatchContext): void {
  const { access, store, clock, watches } = context
  app.post('/watches/:id/hook', WRITE, async (request) => {
    const { accountId, reach } = access.requireAction(request, 'watches:write')
    const { id } = idParams.parse(request.params)
    const secret = newSecret('hook')
    const owner = reach === 'all' ? null : accountId
    const hash = secretHash(secret)
    await store.call('setWatchHook', { id, owner, by: accountId, hash, now: clock.now() })
    return { secret }
  })
  app.delete('/watches/:id/hook', WRITE, async (request) => {
    const { id } = idParams.parse(request.params)
    const { accountId: by } = access.requireAction(request, 'watches:write')
    const owner = access.ownerFor(request, 'watches:write')
    await store.call('dropWatchHook', { id, owner, by, now: clock.now() })
    return {}
  })
  app.get('/watches/:id/notices', READ, async (request) => {
    const { id } = idParams.parse(request.params)
    await watches.owner(id)
    return store.call('watchNotices', { id, ...pageQuery.parse(request.query) })
  })
  app.get('/watches/:id/hubs', READ, async (request) => {
    const { id } = idParams.parse(request.params)
    await watches.owner(id)
    return store.call('watchHubs', { id })
  })
  const limits = new RateLimits(clock)
  notifyRoute(app, context, limits)
  hubRoutes(app, context, limits)
}

function notifyRoute(app: FastifyInstance, context: WatchContext, limits: RateLimits): void {
  const { store, clock, watches, access } = context
  const isHook = async (id: number, secret: string | undefined): Promise<boolean> =>
    secret !== undefined && (await store.call('isWatchHook', { id, hash: secretHash(secret) }))
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    const place = placeOf(request.ip)
    limits.take(TELLING, place)
    const { id } = idParams.parse(request.params)
    const isKnown = access.callerOf(request) !== null || (await isHook(id, bearerOf(request)))
    if (isKnown) limits.giveBack(TELLING, place)
    else requireSmall(request)
  }
  app.post(
    '/watches/:id/notify',
    { ...PUBLIC, onRequest },
    async (request): Promise<AcceptedNotices> => {
      const { id } = idParams.parse(request.params)
      const body = noticeBody.parse(request.body) ?? {}
      // A caller who has not the watch's own secret must be one who may change the watch.
      if (!(await isHook(id, bearerOf(request) ?? body.key))) {
        await watches.requireChanger(access.requireAction(request, 'watches:write'), id)
      }
      limits.take(TELLING, String(id))
      const asked = body.urls ?? body.urlList ?? [(await watches.owner(id)).url]
      const known = asked.map((url) => canonicalUrl(url)).filter((url) => url !== null)
      const notices = { collectionId: id, urls: known, source: 'hook', now: clock.now() } as const
      const accepted = await store.call('takeNotices', notices)
      return { ...accepted, unknown: accepted.unknown + asked.length - known.length }
    },
  )
}

function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
}

function hubRoutes(app: FastifyInstance, context: WatchContext, limits: RateLimits): void {
  const { changeSignals, store } = context
  app.addContentTypeParser(PUSHED_TYPES, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.get('/websub/:token', PUBLIC, async (request, reply) => {
    const { token } = tokenParams.parse(request.params)
    const challenge = await changeSignals.verify(token, hubQuery.parse(request.query))
    if (challenge === null) throw new NoSuchSubscription()
    // It is whatever the caller likes, and must stay text.
    void reply.header('x-content-type-options', 'nosniff')
    return reply.type('text/plain; charset=utf-8').send(challenge)
  })
  // The address of a subscription is its secret: without one, no body is received.
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    const place = placeOf(request.ip)
    limits.take(TELLING, place)
    const { token } = tokenParams.parse(request.params)
    const known = await store.call('subscriptionOf', { token })
    if (known === null) throw new SubscriptionGone()
    limits.giveBack(TELLING, place)
    limits.take(TELLING, token)
  }
  app.post('/websub/:token', { ...PUBLIC, onRequest }, async (request, reply) => {
    const { token } = tokenParams.parse(request.params)
    const { body } = request
    const signature = request.headers['x-hub-signature']
    const pushed = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const heard = await changeSignals.push(token, pushed, [signature].flat()[0])
    // Gone ends the subscription; what is forged is answered like the rest (WebSub §8).
    if (heard === null) throw new SubscriptionGone()
    return reply.status(202).send({})
  })
}
