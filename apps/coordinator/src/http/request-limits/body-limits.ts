/**
 * How large a body each route accepts. A body is read and parsed in the main loop, so a caller whom the station does
 * not know yet may send a form and nothing more. Routes that know their callers check credentials before the body is
 * read (`onRequest`); those accept more, and a few named ones accept lists.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { BodyTooLarge, RequestSlow } from '../../station/errors.ts'

/** A form over a thin line takes a second; who takes longer only holds a place. */
export const BODY_MS_MAX = 30_000
/** The largest page over the thinnest line, and no longer. */
export const UPLOAD_MS_MAX = 1_800_000

export function limitBodyTimes(app: FastifyInstance, bodyMsMax = BODY_MS_MAX): void {
  app.addHook('onRequest', async (request, reply) => {
    const { headers, raw, routeOptions } = request
    const hasBody = headers['transfer-encoding'] ?? headers['content-length']
    if (hasBody === undefined) return
    // Lists and uploads of known callers have the limit of the whole server.
    const isLong = (routeOptions.bodyLimit ?? 0) > KNOWN_BODY_BYTES
    // The connection keeps the process alive while it is open: the timer must not do so after it.
    const timer = setTimeout(() => {
      if (!isLong || request.becomesKnown !== null) refuse(request, reply)
    }, bodyMsMax).unref()
    raw.once('end', () => clearTimeout(timer))
    raw.once('close', () => clearTimeout(timer))
  })
}

function refuse({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || reply.sent) return
  void reply.header('connection', 'close').send(new RequestSlow())
}

const KB = 1024
const MB = 1024 * KB

/** The largest message of an unknown caller, an agent's hello with its certificates, has a few KB. */
export const STRANGERS_BODY_BYTES = 64 * KB
/** Settings, rules, queries and heartbeats of callers whom the station knows. */
const KNOWN_BODY_BYTES = MB

/** An upload is a few MB; a page of 64 MB with its links still fits. */
export const LARGEST_UPLOAD_BYTES = 256 * MB

const LARGER: ReadonlyMap<string, number> = new Map([
  ['/agent/results', LARGEST_UPLOAD_BYTES],
  // A hundred thousand URLs, and watches with more.
  ['/api/batches', 64 * MB],
  ['/api/collections', 64 * MB],
  ['/api/collections/existing', 64 * MB],
  ['/api/collections/preview', 64 * MB],
  ['/api/watches', 64 * MB],
  ['/api/watches/:id', 64 * MB],
  // Ten thousand watches with their settings.
  ['/api/watches/import', 4 * MB],
  // A hundred thousand titles of at most 255 bytes.
  ['/api/wikis', 32 * MB],
  ['/api/wikis/:wiki/update', 4 * MB],
  // A thousand URLs of at most 8 KB.
  ['/api/takedowns', 16 * MB],
  // A task names each file that it wrote.
  ['/worker/commit', 16 * MB],
  // A batch is a megabyte or two, a thousand claims with all their links a few.
  ['/federation/batch', 16 * MB],
  ['/federation/claim', 16 * MB],
  ['/federation/graph', 16 * MB],
  ['/federation/renew', 16 * MB],
])
const KNOWN_AGENTS: ReadonlySet<string> = new Set(['/agent/ask', '/agent/beat'])

/** To be called before any route is added. A route that names its own limit keeps it. */
export function limitBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const limit = route.bodyLimit ?? limitOf(route)
    if (limit !== undefined) route.bodyLimit = limit
  })
  // The rest of a refused body is not received: Node would read it to its end to use the connection again.
  app.addHook('onSend', async (request, reply) => {
    if (!request.raw.complete && mayBeLarge(request)) void reply.header('connection', 'close')
  })
}

/** For routes that know some of their callers: before the body of any other is read. */
export function requireSmall(request: FastifyRequest): void {
  if (mayBeLarge(request)) throw new BodyTooLarge()
}

/** Undefined: what the parser of the body's type allows, or else the limit of unknown callers. */
function limitOf({ url, config }: RouteOptions): number | undefined {
  const isKnown = config?.action !== undefined || KNOWN_AGENTS.has(url)
  return LARGER.get(url) ?? (isKnown ? KNOWN_BODY_BYTES : undefined)
}

/** A small body is received in full: closing on it could lose the answer that says why it was refused. */
export function mayBeLarge({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > STRANGERS_BODY_BYTES
}
