/** Finding one's way in the archive, for the page and for programs. */
import { cdxjTimestamp } from '@minga/archive'
import {
  DOCUMENT_STATES,
  type ArchivedMoment,
  type ArchiveSearchPage,
  type ArchiveVersion,
  type ReplayAccess,
  type VersionComparison,
} from '@minga/protocol'
import type { Store } from '@minga/store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, mayOrPublic } from '../accounts/access.ts'
import { NoSuchVersion } from './errors.ts'
import { seenBy, type ArchiveContext } from './archive-context.ts'
import { SizeTally } from './archive-sizes.ts'
import { CAPTURE_TYPES } from './capture-filter.ts'
import { capturePage } from './capture-list.ts'
import { DIFF_FORMS, diffCaptures, diffIn } from './compare/capture-diff.ts'
import { downloadRoutes } from './download-routes.ts'
import { favouriteRoutes } from './favourite-routes.ts'
import type { FoundMemento } from './protocols/mementos.ts'
import { sendNotArchived } from './replay/not-archived.ts'
import { collectionOrigin, replayNamesFor } from '../http/replay-names.ts'
import { ReplayPasses } from './replay/replay-pass.ts'
import { SEARCH_KINDS, type UrlCursor } from './search.ts'
import { urlIn } from './protocols/url-in-path.ts'
import type { FoundVersion } from './compare/versions.ts'
import type { Operations } from '../station/station-operations.ts'

const READ = mayOrPublic('captures:read')
/** What is of the reader, or adds up what all readers see. */
const READ_KNOWN = may('captures:read')
const urlCursor = z.tuple([z.string(), z.number(), z.number()]) satisfies z.ZodType<UrlCursor>

function cursorIn(text: string, context: z.RefinementCtx): UrlCursor {
  try {
    return urlCursor.parse(JSON.parse(text))
  } catch {
    context.addIssue('is not where an earlier page ended')
    return z.NEVER
  }
}

const limit = z.coerce.number().int().min(1).max(500).default(50)
const id = z.coerce.number().int().min(0)

const filterShape = {
  status: z.coerce.number().int().min(1).max(5).nullable().default(null),
  type: z.enum(CAPTURE_TYPES).nullable().default(null),
  kind: z.enum(['response', 'revisit']).nullable().default(null),
  from: z.coerce.number().int().default(0),
  to: z.coerce.number().int().default(Number.MAX_SAFE_INTEGER),
}
const replayQuery = z.object({ collectionId: id.nullable().default(null) })
const captureListQuery = z.object({
  collectionId: id.nullable().default(null),
  url: z.string().max(8_192).nullable().default(null),
  text: z.string().max(1_000).nullable().default(null),
  ...filterShape,
  order: z.enum(['newest', 'oldest']).default('newest'),
  after: z
    .string()
    .regex(/^\d+,\d+$/, 'is not where an earlier page ended')
    .transform((text) => {
      const [at, last] = text.split(',').map(Number)
      return { at: at!, id: last! }
    })
    .nullable()
    .default(null),
  limit,
})
const sizesQuery = z.object({ collectionId: id.nullable().default(null) })
const urlQuery = z.object({ url: z.string().max(8_192) })
const searchQuery = z.object({
  q: z.string().max(8_192).default(''),
  by: z.enum(SEARCH_KINDS).default('url'),
  collectionId: id.nullable().default(null),
  ...filterShape,
  after: z.string().max(8_192).transform(cursorIn).nullable().default(null),
  limit,
})
const momentQuery = z.object({
  url: z.string().max(8_192),
  at: z.coerce.number().int().nullable().default(null),
})
const calendarQuery = z.object({
  url: z.string().max(8_192).optional(),
  collectionId: id.optional(),
  from: z.coerce.number().int().default(0),
  to: z.coerce.number().int().default(Number.MAX_SAFE_INTEGER),
})
const versionsQuery = z.object({
  collectionId: id.nullable().default(null),
  before: z.coerce.number().int().default(Number.MAX_SAFE_INTEGER),
  limit,
})
const versionParams = z.object({ collection: id, number: z.coerce.number().int().min(1) })
const documentsQuery = z.object({ afterId: id.default(0), limit })
const compareQuery = z.object({
  before: z.string().regex(/^\d+\/\d+$/),
  after: z.string().regex(/^\d+\/\d+$/),
  states: z
    .string()
    .default('added,removed,changed')
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(DOCUMENT_STATES)).min(1)),
  cursor: z.string().max(100).nullable().default(null),
  limit,
})

const diffQuery = z.object({
  url: z.string().max(8_192),
  before: z.string().max(40).default('previous'),
  after: z.string().max(40).default('latest'),
  as: z.enum(DIFF_FORMS).default('json'),
  watch: id.nullable().default(null),
  raw: z.stringbool().default(false),
})
/** Words of foreign pages stand in it. */
const DIFF_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

export function archiveRoutes(app: FastifyInstance, context: ArchiveContext): void {
  const { access } = context
  const storeFor = (request: FastifyRequest): Store<Operations> => access.storeFor(request)
  const sizes = new SizeTally(context.store)
  app.get('/archive/captures', READ, (request) => {
    const { from, to, url, ...asked } = captureListQuery.parse(request.query)
    const span = { fromAt: from, toAt: to }
    return capturePage(storeFor(request), {
      ...asked,
      ...span,
      url: url === null ? null : urlIn(url),
    })
  })
  app.get('/archive/sizes', READ, async (request) => {
    const { collectionId } = sizesQuery.parse(request.query)
    const hidden = await storeFor(request).call('hiddenCollections', {})
    return sizes.sizes(collectionId, new Set(hidden))
  })
  app.get('/archive/tombstones', READ, (request) =>
    storeFor(request).call('tombstonesOfUrl', { url: urlIn(urlQuery.parse(request.query).url) }),
  )
  app.get('/archive/search', READ, (request) =>
    search(seenBy(context, request), searchQuery.parse(request.query)),
  )
  app.get('/archive/moment', READ, async (request, reply) => {
    const asked = momentQuery.parse(request.query)
    const query = { url: urlIn(asked.url), at: asked.at }
    const seen = seenBy(context, request)
    const found = await seen.store.call('findMemento', query)
    return found ? momentOf(found) : sendNotArchived(reply, seen, query)
  })
  app.get('/archive/calendar', READ, (request) => {
    const { url, collectionId, from, to } = calendarQuery.parse(request.query)
    const span = { fromAt: from, toAt: to }
    const store = storeFor(request)
    if (url !== undefined) return store.call('urlCalendar', { url: urlIn(url), ...span })
    return store.call('collectionCalendar', { collectionId: id.parse(collectionId), ...span })
  })
  versionRoutes(app, context)
  app.get('/captures/diff', READ, async (request, reply) => {
    const { as, watch, ...query } = diffQuery.parse(request.query)
    // What a watch leaves out is part of it: who may not read watches compares everything.
    const raw = query.raw || !context.access.isAllowed(request, 'watches:read')
    const diff = await diffCaptures(seenBy(context, request), { ...query, watchId: watch, raw })
    if (as === 'json') return diff
    const type = as === 'text' ? 'text/plain' : 'text/html'
    return reply
      .headers({ 'content-security-policy': DIFF_POLICY, 'x-content-type-options': 'nosniff' })
      .type(`${type}; charset=utf-8`)
      .send(diffIn(as, diff))
  })
  const passes = new ReplayPasses(context)
  app.get('/archive/replay', READ_KNOWN, (request): ReplayAccess => {
    const { collectionId } = replayQuery.parse(request.query)
    const place = context.replayOrigin()
    const names = replayNamesFor(request, place)
    const isKnown = context.access.hasRight(request, 'captures:read')
    return {
      ...place,
      origin: names && collectionId !== null ? collectionOrigin(names, collectionId) : null,
      pass: isKnown && collectionId !== null ? passes.issue(collectionId) : null,
    }
  })
  downloadRoutes(app, { ...context, sizes })
  favouriteRoutes(app, context)
}

/** Versions of sites, and what changed between two of them. */
function versionRoutes(app: FastifyInstance, { access }: ArchiveContext): void {
  const storeFor = (request: FastifyRequest): Store<Operations> => access.storeFor(request)
  app.get('/archive/versions', READ, (request) =>
    storeFor(request).call('listVersions', versionsQuery.parse(request.query)),
  )
  app.get('/archive/versions/:collection/:number', READ, async (request) => {
    const { collection, number } = versionParams.parse(request.params)
    return (await requireVersion(storeFor(request), collection, number)).version
  })
  app.get('/archive/versions/:collection/:number/documents', READ, async (request) => {
    const { collection, number } = versionParams.parse(request.params)
    const store = storeFor(request)
    const { window } = await requireVersion(store, collection, number)
    return store.call('listDocuments', { window, ...documentsQuery.parse(request.query) })
  })
  app.get('/archive/compare', READ, (request) =>
    compare(storeFor(request), compareQuery.parse(request.query)),
  )
}

async function search(
  { urlIndex }: ArchiveContext,
  query: z.infer<typeof searchQuery>,
): Promise<ArchiveSearchPage> {
  const { q, by, collectionId, status, type, kind, after } = query
  const filter = { text: null, status, type, kind, fromAt: query.from, toAt: query.to }
  const asked = { text: q, by, collectionId, filter, after, limit: query.limit }
  const page = await urlIndex.search(asked)
  return { urls: page.urls, next: page.next === null ? null : JSON.stringify(page.next) }
}

function momentOf({ capture, place }: FoundMemento): ArchivedMoment & { timestamp: string } {
  const { first, last, previous, next } = place
  const timestamp = cdxjTimestamp(capture.capturedAt)
  return { url: place.url, capture, timestamp, first, last, previous, next }
}

export async function requireVersion(
  store: Store<Operations>,
  collectionId: number,
  number: number,
): Promise<FoundVersion> {
  const found = await store.call('findVersion', { collectionId, number })
  if (!found) throw new NoSuchVersion(collectionId, number)
  return found
}

async function compare(
  store: Store<Operations>,
  query: z.infer<typeof compareQuery>,
): Promise<VersionComparison> {
  const [before, after] = await Promise.all([named(store, query.before), named(store, query.after)])
  const windows = { before: before.window, after: after.window }
  const counts = await store.call('countChanges', windows)
  const cursor = query.cursor === null ? null : placeCursor.parse(query.cursor.split(','))
  const asked = { ...windows, states: query.states, cursor, limit: query.limit }
  const page = await store.call('listChanges', asked)
  return {
    before: before.version satisfies ArchiveVersion,
    after: after.version,
    counts,
    documents: page.documents,
    next: page.next === null ? null : page.next.join(','),
  }
}

const placeCursor = z.tuple([z.coerce.number().int(), z.coerce.number().int()])

function named(store: Store<Operations>, text: string): Promise<FoundVersion> {
  const [collection, number] = text.split('/').map(Number)
  return requireVersion(store, collection!, number!)
}
