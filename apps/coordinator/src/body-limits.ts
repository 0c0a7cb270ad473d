/**
 * How large a body each route takes. A body is read and parsed in the main loop, so whoever has not
 * said who they are may send a form and nothing more. Routes that know their callers are asked for
 * credentials before the body is read (`onRequest`); those take more, and a few named ones take lists.
 */
import type { FastifyInstance, RouteOptions } from 'fastify'

/** The largest message of a stranger, an agent's hello with its certificates, has a few KB. */
export const STRANGERS_BODY_BYTES = 64 * 1024
/** Settings, rules, queries and heartbeats of those whom the station knows. */
const BODY_BYTES = 1024 * 1024
/** Lists of a hundred thousand URLs or titles. */
const LIST_BYTES = 64 * 1024 * 1024
/** An upload is a few MB; a page of 64 MB with its links still fits. */
const RESULTS_BYTES = 256 * 1024 * 1024

const LISTS: ReadonlySet<string> = new Set([
  '/api/batches',
  '/api/collections',
  '/api/collections/existing',
  '/api/collections/preview',
  '/api/queries',
  '/api/queries/explain',
  '/api/takedowns',
  '/api/watches',
  '/api/watches/:id',
  '/api/watches/import',
  '/api/wikis',
  '/api/wikis/:wiki/update',
])
const KNOWN_AGENTS: ReadonlySet<string> = new Set(['/agent/ask', '/agent/beat'])

/** To be called before any route is added. A route that names its own limit keeps it. */
export function limitBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= limitOf(route)
  })
}

/** Undefined: what the parser of the body's type allows, or else a stranger's. */
function limitOf({ url, config }: RouteOptions): number | undefined {
  if (url === '/agent/results') return RESULTS_BYTES
  if (url.startsWith('/worker/')) return LIST_BYTES
  if (config?.action === undefined) return KNOWN_AGENTS.has(url) ? BODY_BYTES : undefined
  return LISTS.has(url) ? LIST_BYTES : BODY_BYTES
}
