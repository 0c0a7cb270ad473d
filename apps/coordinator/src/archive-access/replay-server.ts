/**
 * The origin where archived pages are shown. Their scripts run there and nowhere else: it has no
 * other pages than these, gives out nothing but captures, and takes nothing in. A browser keeps it
 * apart from the station's own pages because it has another port or another name.
 */
import { join } from 'node:path'
import { cdxjTimestamp, parseMementoTime } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../access.ts'
import { readCookie } from '../accounts/session-cookie.ts'
import { openArchived } from '../capture-content.ts'
import { BadArchiveTime, NoSuchSource } from '../errors.ts'
import type { ArchiveParts } from './archive-parts.ts'
import { requireVersion } from './archive-routes.ts'
import { sendView } from './archived-view.ts'
import type { FoundMemento } from './mementos.ts'
import { sendNotArchived } from './not-archived.ts'
import { playerPage, playerPolicy } from './player-page.ts'
import { openPart, ReplayIndexes } from './replay-files.ts'
import { PASS_COOKIE, passCookie, ReplayPasses } from './replay-pass.ts'
import {
  collectionSource,
  playerEntries,
  sourceNamed,
  stateOf,
  versionSource,
  type ReplaySource,
} from './replay-sources.ts'
import { requireVisible } from '../visibility/require-visible.ts'
import { seenBy } from './seen-parts.ts'
import { hostNameOf } from '../host-name.ts'
import { textBehind, timeAndUrlIn, urlIn } from './url-in-path.ts'

export interface ReplayParts extends ArchiveParts {
  /** Where the player's files are; null when it is not installed. */
  playerFolder: string | null
}

const READ = may('captures:read')
const SECOND_MS = 1_000
const versionParams = z.object({
  collection: z.coerce.number().int().min(0),
  number: z.coerce.number().int().min(1),
})
const sourceParams = z.object({ name: z.string(), state: z.string(), file: z.string() })
const passParams = z.object({ pass: z.string().max(200) })
const INDEX = 'index.cdxj'

const PLAYER_FILES: Record<string, string> = {
  'ui.js': 'text/javascript; charset=utf-8',
  'sw.js': 'text/javascript; charset=utf-8',
}

export function replayRoutes(app: FastifyInstance, parts: ReplayParts): void {
  const indexes = new ReplayIndexes(parts.data)
  const passes = new ReplayPasses(parts)
  const byPass = new WeakSet<FastifyRequest>()
  const seen = (request: FastifyRequest): ReplayParts =>
    byPass.has(request) ? parts : seenBy(parts, request)
  app.addHook('onRequest', async (request) => {
    const pass = readCookie(request.headers.cookie, PASS_COOKIE)
    if (!passes.isGood(pass)) {
      await parts.access.meet(request)
      return requireVisible(parts, request)
    }
    byPass.add(request)
    request.becomesKnown?.()
    request.knownAs = { account: `pass ${pass}`, credential: null }
  })
  app.get('/pass/:pass/*', { config: { isPublic: true } }, (request, reply) => {
    const { pass } = passParams.parse(request.params)
    // A pass that is no longer good leads on all the same: where archives are open nobody needs one.
    if (passes.isGood(pass)) {
      void reply.header('set-cookie', passCookie(pass, request.protocol === 'https'))
    }
    // From the address as it was sent, where a pass may be written with more characters than it has.
    const path = request.raw.url!.replace(/^\/+pass\/+[^/]*/, '').replace(/^[/\\]*/, '/')
    return reply.headers({ 'referrer-policy': 'no-referrer' }).redirect(path, 302)
  })
  app.get('/raw/:time/*', READ, (request, reply) => rawView(seen(request), request, reply))
  app.get('/view/version/:collection/:number', READ, (request, reply) =>
    viewVersion(parts, request, reply),
  )
  app.get('/view/version/:collection/:number/*', READ, (request, reply) =>
    viewVersion(parts, request, reply),
  )
  app.get('/view/:time/*', READ, (request, reply) => viewMoment(seen(request), request, reply))
  app.get('/replay/sources/:name/:state/:file', READ, (request, reply) => {
    const { name, state, file } = sourceParams.parse(request.params)
    return file === INDEX
      ? sendIndex(parts, indexes, { request, reply, name, state })
      : sendWarc(parts, file, { request, reply })
  })
  // The player itself is the same for everybody.
  for (const [name, type] of Object.entries(PLAYER_FILES)) {
    app.get(`/replay/${name}`, { config: { isPublic: true } }, (request, reply) =>
      sendPlayer(parts, { request, reply }, { name, type }),
    )
  }
}

interface Call {
  request: FastifyRequest
  reply: FastifyReply
}

/** `/raw/20260131120000/https://example.org/` → the time and the address; any moment is good. */
function askedMoment(request: FastifyRequest, prefix: string): { at: number; url: string } {
  const { time, url } = timeAndUrlIn(textBehind(request.raw.url!, prefix))
  const at = parseMementoTime(time)
  if (at === null) throw BadArchiveTime.ofPath(time)
  return { at, url }
}

/** The bytes as they were, decoded, as something to look at: a redirect is shown, not followed. */
async function rawView(
  parts: ReplayParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = askedMoment(request, '/raw/')
  const found = await parts.store.call<FoundMemento | null>('findMemento', asked)
  if (!found) return sendNotArchived(reply, parts, asked)
  const { url, memento } = found.place
  if (memento !== asked.at) return reply.redirect(`/raw/${cdxjTimestamp(memento)}/${url}`)
  const answer = await openArchived(parts, { url, at: memento + SECOND_MS - 1 })
  return sendView(
    reply,
    { ...answer, status: 200 },
    {
      'x-minga-status': String(answer.status),
      'x-minga-captured-at': new Date(answer.capture.capturedAt).toISOString(),
    },
  )
}

async function viewMoment(
  parts: ReplayParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = askedMoment(request, '/view/')
  const found = await parts.store.call<FoundMemento | null>('findMemento', asked)
  if (!found) return sendNotArchived(reply, parts, asked)
  const source = collectionSource(found.capture.collectionId)
  return sendPage(parts, { request, reply }, { capture: found.capture, source, version: null })
}

async function viewVersion(
  parts: ReplayParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { collection, number } = versionParams.parse(request.params)
  const text = textBehind(request.raw.url!, `/view/version/${collection}/${number}`)
  const url = text.length > 1 ? urlIn(text.slice(1)) : null
  const found = await requireVersion(parts.store, collection, number)
  const { window } = found
  const capture = (await parts.store.call<CaptureRow | null>('documentOf', { window, url })) ?? null
  if (!capture) {
    const missing = url ?? found.version.seed
    if (missing === null) throw new NoSuchSource(`version-${collection}-${number}`)
    return sendNotArchived(reply, parts, { url: urlIn(missing), at: found.version.startedAt })
  }
  const version = { collectionId: collection, number }
  return sendPage(parts, { request, reply }, { capture, source: versionSource(found), version })
}

async function sendPage(
  { store, playerFolder, publicUrl }: ReplayParts,
  { request, reply }: Call,
  page: { capture: CaptureRow; source: ReplaySource; version: PageVersion },
): Promise<FastifyReply> {
  if (playerFolder === null) return reply.status(503).type('text/plain').send(NO_PLAYER)
  const { capture, source, version } = page
  const state = await stateOf(store, source)
  const address = `/replay/sources/${source.name}/${state}/${INDEX}`
  return reply
    .headers({
      'content-security-policy': playerPolicy(stationsOf(request, publicUrl)),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    .type('text/html; charset=utf-8')
    .send(playerPage({ capture, source: address, version }))
}

/** Where the page of the station is reached: at its public address, or on another port of this machine. */
function stationsOf(request: FastifyRequest, publicUrl: string | null): string[] {
  const name = hostNameOf(request)
  const beside = name === null ? [] : [`${request.protocol}://${name}:*`]
  return publicUrl === null ? beside : [...beside, new URL(publicUrl).origin]
}

type PageVersion = { collectionId: number; number: number } | null

const NO_PLAYER = `The player of archived pages is not installed here.

Run \`npm install\` in the folder of Minga and start the station again. Raw views work without it.
`

async function sendIndex(
  parts: ReplayParts,
  indexes: ReplayIndexes,
  asked: Call & { name: string; state: string },
): Promise<FastifyReply> {
  const source = await sourceNamed(parts.store, asked.name)
  // What is there now, even when the address is of yesterday.
  const state = await stateOf(parts.store, source)
  const name = `${source.name}-player`
  const file = await indexes.of(name, state, () => playerEntries(parts, source))
  return sendPart(file, asked, 'text/x-cdxj; charset=utf-8')
}

async function sendWarc({ data }: ReplayParts, file: string, call: Call): Promise<FastifyReply> {
  if (!/^[\w-][\w.-]*\.warc(\.gz)?$/.test(file)) throw new NoSuchSource(file)
  return sendPart(join(data, 'archive', file), call, 'application/warc')
}

async function sendPlayer(
  { playerFolder }: ReplayParts,
  call: Call,
  file: { name: string; type: string },
): Promise<FastifyReply> {
  if (playerFolder === null) return call.reply.status(503).type('text/plain').send(NO_PLAYER)
  return sendPart(join(playerFolder, file.name), call, file.type)
}

async function sendPart(
  path: string,
  { request, reply }: Call,
  type: string,
): Promise<FastifyReply> {
  const { range } = request.headers
  const part = await openPart(path, range)
  if (part === null) {
    if (range === undefined) throw new NoSuchSource(path.split(/[\\/]/).at(-1)!)
    return reply.status(416).send()
  }
  const { start, end, size } = part
  const isPart = end - start < size
  void reply.headers({
    'content-type': type,
    'content-length': end - start,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    ...(isPart ? { 'content-range': `bytes ${start}-${end - 1}/${size}` } : {}),
  })
  return reply.status(isPart ? 206 : 200).send(part.bytes)
}
