/**
 * Safe from day one: a web page somewhere must not reach a station on loopback through its
 * reader's browser. The Host header stops DNS rebinding, the Origin header cross-site requests.
 */
import type { FastifyInstance } from 'fastify'
import { ForeignBrowser } from './errors.ts'

export function guardBrowsers(app: FastifyInstance, hostNames: ReadonlySet<string>): void {
  app.addHook('onRequest', async (request) => {
    const host = nameOf(request.headers.host ?? '')
    if (!hostNames.has('*') && !hostNames.has(host)) throw ForeignBrowser.named(host)
    const { origin } = request.headers
    if (origin === undefined) return
    const from = URL.parse(origin)
    if (from === null || from.host !== request.headers.host) {
      throw ForeignBrowser.from(origin)
    }
  })
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}
