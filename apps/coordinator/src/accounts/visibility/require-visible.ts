/**
 * Requests that name a collection which the caller may not see are answered as if there were none: before any route, so
 * that none has to think of it.
 */
import { NoSuchCollection } from '@minga/frontier'
import type { Calls } from '@minga/store'
import type { FastifyRequest } from 'fastify'
import type { RouteContext } from '../access.ts'
import { NoSuchWatch } from '../../station/errors.ts'
import type { Viewer } from './viewer.ts'
import type { Operations } from '../../station/station-operations.ts'

const OF_COLLECTION = /^\/api\/(archive\/)?collections\/:id(\/|$)/
const OF_WATCH = /^\/api\/watches\/:id(\/|$)/
/** Sources of the player. */
const SOURCE = /^(?:collection|version)-(\d+)(?:-\d+)?$/
/** `7/1`: the first version of collection 7. */
const VERSION = /^(\d+)\/\d+$/

export async function requireVisible(
  context: RouteContext,
  request: FastifyRequest,
): Promise<void> {
  const viewer = context.access.viewerOf(request)
  if (viewer === null) return
  const { collections, watches, wiki } = namedBy(request)
  // Names those that it knows when it knows none of that name: only those that the caller sees.
  if (wiki !== undefined) await context.access.storeFor(request).call('wikiFind', { wiki })
  for (const id of collections) {
    if (await isHidden(context.store, viewer, id)) throw new NoSuchCollection(id)
  }
  for (const id of watches) {
    if (await isHidden(context.store, viewer, id)) throw new NoSuchWatch(id)
  }
}

function isHidden(store: Calls<Operations>, viewer: Viewer, id: number): Promise<boolean> {
  return store.call('isHidden', { viewer, id })
}

interface Named {
  collections: number[]
  watches: number[]
  wiki: string | undefined
}

function namedBy(request: FastifyRequest): Named {
  const path = request.routeOptions.url ?? ''
  const params = textsOf(request.params)
  const query = textsOf(request.query)
  const versions = ['before', 'after'].map((name) => VERSION.exec(query[name] ?? '')?.[1])
  return {
    wiki: params['wiki'] ?? query['wiki'],
    collections: numbersIn([
      OF_COLLECTION.test(path) ? params['id'] : undefined,
      params['collection'],
      SOURCE.exec(params['name'] ?? '')?.[1],
      query['collectionId'],
      ...versions,
    ]),
    watches: numbersIn([
      OF_WATCH.test(path) ? params['id'] : undefined,
      query['watch'],
      query['watchId'],
    ]),
  }
}

function textsOf(values: unknown): Record<string, string> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>)
  return Object.fromEntries(entries.flatMap(([k, v]) => (typeof v === 'string' ? [[k, v]] : [])))
}

/** What is no number names nothing; the route says so. */
function numbersIn(texts: readonly (string | undefined)[]): number[] {
  return texts
    .filter((text) => text !== undefined && text !== '')
    .map(Number)
    .filter(Number.isSafeInteger)
}
