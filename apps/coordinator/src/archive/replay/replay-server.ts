/**
 * Where archived pages are shown. Their scripts run there and nowhere else: each collection has an
 * origin of its own, which gives out nothing but what the collection captured and takes nothing in. A
 * browser keeps it apart from the station's own pages, and from other collections, by its name.
 */
import { cdxjTimestamp, parseMementoTime, writableDate } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import { readCookies } from '../../accounts/session-cookie.ts'
import { openArchived } from '../captures/capture-content.ts'
import { BadArchiveTime, NoReplayName, NoSuchCapture, NoSuchSource } from '../errors.ts'
import { seenBy, type ArchiveContext } from '../archive-context.ts'
import { requireVersion } from '../archive-routes.ts'
import { refusePrograms, sendView } from '../archived-view.ts'
import { sendNotArchived } from './not-archived.ts'
import { NO_PLAYER, playerPage, playerRoutes } from './replay-player.ts'
import { playerPolicy, QUIET_HEADERS } from './player-policies.ts'
import { framePage, framePolicy } from './replay-frame.ts'
import {
  collectionOfHost,
  collectionOrigin,
  isTrustworthy,
  LOCAL_NAME,
  ownReplayNames,
  viewOrigin,
} from '../../http/replay-names.ts'
import { PASS_COOKIE, passCookie, ReplayPasses } from './replay-pass.ts'
import {
  collectionSource,
  INDEX,
  stateOf,
  versionSource,
  type ReplaySource,
} from './replay-sources.ts'
import { requireVisible } from '../../accounts/visibility/require-visible.ts'
import { textBehind, timeAndUrlIn, urlIn } from '../protocols/url-in-path.ts'

export interface ReplayContext extends ArchiveContext {
  /** Where the player's files are; null when it is not installed. */
  playerFolder: string | null
}

const READ = may('captures:read')
const PUBLIC = { config: { isPublic: true } }
const SECOND_MS = 1_000
const AROUND = '/shown/:collection/*'
const versionParams = z.object({
  collection: z.coerce.number().int().min(0),
  number: z.coerce.number().int().min(1),
})
const frameParams = z.object({ collection: z.coerce.number().int().min(0) })
const passParams = z.object({ pass: z.string().max(200) })

export function replayRoutes(app: FastifyInstance, context: ReplayContext): void {
  const passes = new ReplayPasses(context)
  const limits = new WeakMap<FastifyRequest, number>()
  /** The one collection that an answer may be of; null: a key that reads all asks at no collection's origin. */
  const onlyOf = (request: FastifyRequest): number | null => limits.get(request) ?? null
  const byPass = new WeakSet<FastifyRequest>()
  /** A pass opens its collection for all; others read what they may see. */
  const seen = (request: FastifyRequest): ReplayContext =>
    byPass.has(request) ? context : seenBy(context, request)
  app.addHook('onRequest', async (request) => {
    const own = collectionOfHost(request)
    if (typeof own === 'number') limits.set(request, own)
    // A sibling name may plant cookies: any good one counts.
    const pass = readCookies(request.headers.cookie, PASS_COOKIE).find((each) => {
      const opens = passes.collectionOf(each)
      return opens !== null && (own === null || opens === own)
    })
    if (pass === undefined) {
      await context.access.meet(request)
      // The page around a capture has no cookie of its own, and shows nothing that its frame may not show.
      return request.routeOptions.url === AROUND ? undefined : requireVisible(context, request)
    }
    byPass.add(request)
    limits.set(request, passes.collectionOf(pass)!)
    request.becomesKnown?.()
    request.knownAs = { account: `pass ${pass}`, credential: null }
  })
  app.get('/pass/:pass/*', PUBLIC, (request, reply) => enter(context, passes, { request, reply }))
  app.get(AROUND, PUBLIC, (request, reply) => sendFrame(context, { request, reply }))
  app.get('/raw/:time/*', READ, (request, reply) =>
    rawView(seen(request), { request, reply }, onlyOf(request)),
  )
  for (const path of ['/view/version/:collection/:number', '/view/version/:collection/:number/*']) {
    app.get(path, READ, (request, reply) =>
      viewVersion(seen(request), { request, reply }, onlyOf(request)),
    )
  }
  app.get('/view/:time/*', READ, (request, reply) =>
    viewMoment(seen(request), { request, reply }, onlyOf(request)),
  )
  playerRoutes(app, context, onlyOf)
}

export interface Call {
  request: FastifyRequest
  reply: FastifyReply
}

/** A pass of a collection leads to its origin and becomes a cookie there; what is no frame leads to the page around. */
function enter(
  context: ReplayContext,
  passes: ReplayPasses,
  { request, reply }: Call,
): FastifyReply {
  const { pass } = passParams.parse(request.params)
  const own = collectionOfHost(request)
  const opens = passes.collectionOf(pass)
  const names = ownReplayNames(request, context.replayOrigin())
  void reply.headers({ 'referrer-policy': 'no-referrer' })
  // From the address as it was sent, where a pass may be written with more characters than it has.
  const path = request.raw.url!.replace(/^\/+pass\/+[^/]*/, '').replace(/^[/\\]*/, '/')
  if (opens !== null && own === null && names !== null) {
    return reply.redirect(`${collectionOrigin(names, opens)}/pass/${pass}${path}`, 302)
  }
  if (opens !== null && opens === own && names !== null && isOutsideFrame(request, path)) {
    return reply.redirect(`${viewOrigin(names)}/shown/${own}/pass/${pass}${path}`, 302)
  }
  // An expired pass does not block access: open archives need none.
  if (opens !== null && (own === null || opens === own)) {
    void reply.header('set-cookie', passCookie(pass, names !== null && isTrustworthy(names)))
  }
  return reply.redirect(path, 302)
}

/** Only what a frame loads is shown on the origin of a capture itself. Programs and old browsers do not say. */
function isOutsideFrame({ headers }: FastifyRequest, path: string): boolean {
  return path.startsWith('/view/') && headers['sec-fetch-dest'] !== 'iframe'
}

/** It knows nothing of the archive: what its frame shows, the frame's own origin decides. */
function sendFrame(context: ReplayContext, { request, reply }: Call): FastifyReply {
  const { collection } = frameParams.parse(request.params)
  const names = ownReplayNames(request, context.replayOrigin())
  const path = request.raw.url!.replace(/^\/shown\/\d+/, '')
  if (collectionOfHost(request) !== 'view' || names === null || !FRAMED.test(path)) {
    throw new NoSuchSource(path)
  }
  const origin = collectionOrigin(names, collection)
  return reply
    .headers({
      'content-security-policy': framePolicy(origin),
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(framePage({ address: origin + path, title: path.replace(FRAMED, '') }))
}

const FRAMED = /^(\/pass\/[\w-]+)?\/view\//

/** `/raw/20260131120000/https://example.org/` → the time and the address; any moment is good. */
function askedMoment(request: FastifyRequest, prefix: string): { at: number; url: string } {
  const { time, url } = timeAndUrlIn(textBehind(request.raw.url!, prefix))
  const at = parseMementoTime(time)
  if (at === null) throw BadArchiveTime.ofPath(time)
  return { at, url }
}

type Asked = ReturnType<typeof askedMoment>

/** What other collections have is not said at the origin of one. */
function sendMissing(
  context: ReplayContext,
  reply: FastifyReply,
  asked: Asked & { collectionId: number | null },
): Promise<FastifyReply> {
  if (asked.collectionId === null) return sendNotArchived(reply, context, asked)
  throw new NoSuchCapture(asked.url, `collection ${asked.collectionId} captured none`)
}

/** The bytes as they were, decoded, for reading: a redirect is shown, not followed. */
async function rawView(
  context: ReplayContext,
  { request, reply }: Call,
  collectionId: number | null,
): Promise<FastifyReply> {
  refusePrograms(request)
  const asked = { ...askedMoment(request, '/raw/'), collectionId }
  const found = await context.store.call('findMemento', asked)
  if (!found) return sendMissing(context, reply, asked)
  const { url, memento } = found.place
  if (memento !== asked.at) return reply.redirect(`/raw/${cdxjTimestamp(memento)}/${url}`)
  const answer = await openArchived(context, { url, at: memento + SECOND_MS - 1, collectionId })
  return sendView(
    reply,
    { ...answer, status: 200 },
    {
      'x-minga-status': String(answer.status),
      'x-minga-captured-at': writableDate(answer.capture.capturedAt).toISOString(),
    },
  )
}

async function viewMoment(
  context: ReplayContext,
  call: Call,
  collectionId: number | null,
): Promise<FastifyReply> {
  const asked = { ...askedMoment(call.request, '/view/'), collectionId }
  const found = await context.store.call('findMemento', asked)
  if (!found) return sendMissing(context, call.reply, asked)
  const source = collectionSource(found.capture.collectionId)
  return showPage(context, call, { capture: found.capture, source, version: null })
}

async function viewVersion(
  context: ReplayContext,
  call: Call,
  only: number | null,
): Promise<FastifyReply> {
  const { request, reply } = call
  const { collection, number } = versionParams.parse(request.params)
  if (only !== null && only !== collection) throw new NoSuchSource(`version-${collection}`)
  const text = textBehind(request.raw.url!, `/view/version/${collection}/${number}`)
  const url = text.length > 1 ? urlIn(text.slice(1)) : null
  const found = await requireVersion(context.store, collection, number)
  const { window } = found
  const capture = (await context.store.call('documentOf', { window, url })) ?? null
  if (!capture) {
    const missing = url ?? found.version.seed
    if (missing === null) throw new NoSuchSource(`version-${collection}-${number}`)
    const asked = { url: urlIn(missing), at: found.version.startedAt, collectionId: only }
    return sendMissing(context, reply, asked)
  }
  const version = { collectionId: collection, number }
  return showPage(context, call, { capture, source: versionSource(found), version })
}

interface ShownPage {
  capture: CaptureRow
  source: ReplaySource
  version: { collectionId: number; number: number } | null
}

/** The player, in a frame on the origin of its collection; what comes to another place is led there. */
async function showPage(
  context: ReplayContext,
  { request, reply }: Call,
  page: ShownPage,
): Promise<FastifyReply> {
  const { store, playerFolder, publicUrl } = context
  if (playerFolder === null) return reply.status(503).type('text/plain').send(NO_PLAYER)
  const names = ownReplayNames(request, context.replayOrigin())
  if (names === null) throw new NoReplayName()
  const { capture, source, version } = page
  const path = request.raw.url!
  const { collectionId } = source.window
  if (collectionOfHost(request) !== collectionId) {
    return reply.redirect(collectionOrigin(names, collectionId) + path, 302)
  }
  if (isOutsideFrame(request, path)) {
    return reply.redirect(`${viewOrigin(names)}/shown/${collectionId}${path}`, 302)
  }
  const state = await stateOf(store, source)
  const address = `/replay/sources/${source.name}/${state}/${INDEX}`
  const embedders = [viewOrigin(names), ...stationsOf(request, publicUrl)]
  return reply
    .headers({
      ...QUIET_HEADERS,
      'content-security-policy': playerPolicy(embedders),
      'x-content-type-options': 'nosniff',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    .type('text/html; charset=utf-8')
    .send(playerPage({ capture, source: address, version }))
}

/** Where the page of the station is reached: at its public address, or on another port of this machine. */
function stationsOf({ protocol }: FastifyRequest, publicUrl: string | null): string[] {
  const local = ['localhost', LOCAL_NAME, '127.0.0.1'].map((name) => `${protocol}://${name}:*`)
  return publicUrl === null ? local : [...local, new URL(publicUrl).origin]
}
