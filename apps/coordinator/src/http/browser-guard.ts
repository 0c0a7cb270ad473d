/**
 * Safe from day one: a web page somewhere must not reach a station on loopback through its
 * reader's browser. The Host header stops DNS rebinding, the Origin header cross-site requests, and
 * Sec-Fetch-Site those that come without an Origin: images, scripts, frames of pages elsewhere.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ForeignBrowser } from '../station/errors.ts'

export function guardBrowsers(
  app: FastifyInstance,
  hostNames: ReadonlySet<string>,
  isOwnName: (name: string) => boolean = () => false,
): void {
  app.addHook('onRequest', async (request) => {
    const host = nameOf(request.host)
    const isKnown = hostNames.has('*') || hostNames.has(host) || isOwnName(host)
    if (!isKnown) throw ForeignBrowser.named(host)
    if (isFromElsewhere(request) && !isVisit(request)) throw ForeignBrowser.elsewhere()
    const { origin } = request.headers
    if (origin === undefined) return
    const from = URL.parse(origin)
    if (from === null || from.host !== request.host) {
      throw ForeignBrowser.from(origin)
    }
  })
}

/**
 * What a browser reports about the origin of this request; other ports of this machine are
 * `same-site`.
 */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))
}

/**
 * A link that a user followed, or a frame, which the page's own headers forbid where it matters.
 */
function isVisit({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
}

/** What no answer of the API becomes: a page that runs, a frame, a script elsewhere, a copy in a cache. */
const SEAL = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const YEAR_S = 31_536_000

/** A browser that reached us over TLS does so from now on. Not by a name that other programs of its machine share. */
export function requireTls(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    if (request.protocol !== 'https' || nameOf(request.host) === 'localhost') return
    void reply.header('strict-transport-security', `max-age=${YEAR_S}`)
  })
}

/** Routes that need other headers set them themselves. */
export function sealAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of Object.entries(SEAL)) {
      if (!reply.hasHeader(name)) void reply.header(name, value)
    }
  })
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}
