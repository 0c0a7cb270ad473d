/** Memento over HTTP: TimeGate, TimeMap and mementos (RFC 7089, pattern 2.1: 302 to the memento). */
import {
  LINK_FORMAT,
  httpDate,
  mementoAddresses,
  mementoLinks,
  parseHttpDate,
  parseMementoTime,
  timeMapJson,
  timeMapLinks,
  type MementoAddresses,
  type TimeMapForm,
  type TimeMapPage,
} from '@minga/archive'
import { redirectTarget } from '@minga/net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mayOrPublic } from '../../accounts/access.ts'
import { openArchived } from '../captures/capture-content.ts'
import { BadArchiveTime } from '../errors.ts'
import { originOf } from '../../station/station-origin.ts'
import { requireMoment } from '../takedown/require-shown.ts'
import { seenBy, type ArchiveContext } from '../archive-context.ts'
import { refusePrograms, sendView, sendableStatus, valueOf } from '../archived-view.ts'
import { sendNotArchived } from '../replay/not-archived.ts'
import { sealAnswers } from '../../http/browser-guard.ts'
import { textBehind, timeAndUrlIn, urlIn } from './url-in-path.ts'
import { cdxRoutes } from './cdx-routes.ts'

/** Mementos on one page of a TimeMap: about 2 MB of links. */
const TIMEMAP_PAGE = 10_000
const SECOND_MS = 1_000
const READ = mayOrPublic('captures:read')

function mementoRoutes(app: FastifyInstance, context: ArchiveContext): void {
  app.get('/memento/timegate/*', READ, (request, reply) =>
    timeGate(seenBy(context, request), request, reply),
  )
  for (const form of ['link', 'json'] as const) {
    app.get(`/memento/timemap/${form}/*`, READ, (request, reply) => {
      const rest = textBehind(request.raw.url!, `/memento/timemap/${form}/`)
      return timeMap(seenBy(context, request), { request, reply, form, rest })
    })
  }
  app.get('/memento/:time/*', READ, (request, reply) =>
    memento(seenBy(context, request), request, reply),
  )
}

function addressesFor(context: ArchiveContext, request: FastifyRequest): MementoAddresses {
  return mementoAddresses(originOf(request, context))
}

async function timeGate(
  context: ArchiveContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  void reply.header('vary', 'accept-datetime')
  const url = urlIn(textBehind(request.raw.url!, '/memento/timegate/'))
  const at = wantedMoment(request)
  const found = await context.store.call('findMemento', { url, at })
  if (!found) return sendNotArchived(reply, context, { url, at })
  const addresses = addressesFor(context, request)
  return reply
    .header('link', mementoLinks(addresses, found.place))
    .redirect(addresses.memento(found.place.url, found.place.memento), 302)
}

function wantedMoment(request: FastifyRequest): number | null {
  const header = request.headers['accept-datetime']
  if (header === undefined) return null
  const at = parseHttpDate(String(header))
  if (at === null) throw BadArchiveTime.ofHeader(String(header))
  return at
}

async function memento(
  context: ArchiveContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  refusePrograms(request)
  const { time, url } = timeAndUrlIn(textBehind(request.raw.url!, '/memento/'))
  const at = parseMementoTime(time)
  if (at === null) throw BadArchiveTime.ofPath(time)
  const found = await context.store.call('findMemento', { url, at })
  if (!found) return sendNotArchived(reply, context, { url, at })
  const addresses = addressesFor(context, request)
  if (found.place.memento !== at) await requireMoment(context.store, { url, at })
  // Another moment's memento has an address of its own.
  if (found.place.memento !== at) return reply.redirect(addresses.memento(url, found.place.memento))
  const answer = await openArchived(context, { url, at: at + SECOND_MS - 1 })
  const target = valueOf(answer.headers, 'location')
  const location = redirectTarget(url, target)
  const status = sendableStatus(answer.status)
  return sendView(
    reply,
    { ...answer, status },
    {
      'memento-datetime': httpDate(at),
      link: mementoLinks(addresses, found.place),
      // A redirect leads on to the same moment, not to the live web.
      ...(location === null ? {} : { location: addresses.memento(location, at) }),
    },
  )
}

interface TimeMapRequest {
  request: FastifyRequest
  reply: FastifyReply
  form: TimeMapForm
  rest: string
}

async function timeMap(context: ArchiveContext, asked: TimeMapRequest): Promise<FastifyReply> {
  const { request, reply, form, rest } = asked
  // Other pages than the first begin with a time: `/memento/timemap/link/20260131120000/https://…`.
  const isPage = /^\d{14}\//.test(rest)
  const { time, url } = isPage ? timeAndUrlIn(rest) : { time: null, url: urlIn(rest) }
  const from = time === null ? null : parseMementoTime(time)
  if (time !== null && from === null) throw BadArchiveTime.ofPath(time)
  const page = await timeMapPage(context, url, from)
  if (!page) return sendNotArchived(reply, context, { url, at: from })
  const addresses = addressesFor(context, request)
  if (form === 'json') return reply.send(timeMapJson(addresses, page))
  return reply.type(LINK_FORMAT).send(timeMapLinks(addresses, page))
}

async function timeMapPage(
  { store }: ArchiveContext,
  url: string,
  from: number | null,
): Promise<TimeMapPage | null> {
  const ends = await store.call('findMemento', { url, at: null })
  if (!ends) return null
  const limit = TIMEMAP_PAGE + 1
  const moments = await store.call('listMoments', { url, from: from ?? 0, limit })
  if (moments.length === 0) return null
  const next = moments[TIMEMAP_PAGE] ?? null
  const { first, last } = ends.place
  return { url: ends.place.url, moments: moments.slice(0, TIMEMAP_PAGE), first, last, from, next }
}

/** The archive as other programs know archives: Memento and CDX, at the addresses they expect. */
export function archiveProtocolRoutes(app: FastifyInstance, context: ArchiveContext): void {
  app.addHook('onRequest', (request) => context.access.meet(request))
  sealAnswers(app)
  mementoRoutes(app, context)
  cdxRoutes(app, context)
}
