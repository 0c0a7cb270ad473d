/** `/api/v1`: histories of wikis for other programs, with the addresses of the first version of this API. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { WikiContext } from '../wiki-service.ts'
import { Html, html } from '../../http/html.ts'
import { tellIgnored } from './answers.ts'
import { dataRoutes } from './data-routes.ts'
import { openApiOf } from './openapi.ts'
import { taskRoutes } from './task-routes.ts'
import type { V1Route } from './v1-route.ts'

const VERSION = '1'

export function wikiV1Routes(app: FastifyInstance, context: WikiContext): void {
  const routes = [...taskRoutes(context), ...dataRoutes(context)]
  routes.push(openApiRoute(routes))
  for (const route of routes) {
    const { method, path, action } = route
    // A HEAD is answered as a GET is, so it must not do anything.
    const exposeHeadRoute = action === 'captures:read'
    const handler = handlerOf(route)
    app.route({ method, url: `/v1${path}`, ...may(action), exposeHeadRoute, handler })
  }
  for (const path of ['/v1', '/v1/']) {
    app.get(path, may('captures:read'), (_request, reply) =>
      reply.headers(PAGE_HEADERS).send(humanPage(routes)),
    )
  }
}

function handlerOf(route: V1Route) {
  const known = new Set(Object.keys(route.query.shape))
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const entries = Object.entries(z.record(z.string(), z.unknown()).parse(request.query))
    const strange = entries.filter(([name]) => !known.has(name)).map(([name]) => name)
    tellIgnored(reply, [...strange, ...strangeInBody(route, request.body)])
    const given = Object.fromEntries(entries.filter(([name]) => known.has(name)))
    return route.run({ request, reply, given })
  }
}

function strangeInBody({ body }: V1Route, sent: unknown): string[] {
  if (!(body instanceof z.ZodObject) || typeof sent !== 'object' || sent === null) return []
  return Object.keys(sent).filter((name) => !Object.hasOwn(body.shape, name))
}

function openApiRoute(routes: readonly V1Route[]): V1Route {
  return {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This API, described for programs.',
    action: 'captures:read',
    query: z.object({}),
    status: 200,
    answer: z.record(z.string(), z.unknown()),
    run: () => openApiOf(routes, VERSION),
  }
}

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0}
code{overflow-wrap:anywhere}`

/** In one piece: a space more within it, and browsers refuse it for its hash. */
const STYLE_TAG = new Html(`<style>${STYLE}</style>`)
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Nothing on it runs and nothing is loaded. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
}

function humanPage(routes: readonly V1Route[]): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Histories of wikis: the API</title>
        ${STYLE_TAG}
      </head>
      <body>
        <main>
          <h1>Histories of wikis: the API</h1>
          <p>
            Every address below begins with <code>/api/v1</code>. Programs show their key as
            <code>Authorization: Bearer</code>. The whole description for programs is
            <a href="/api/v1/openapi.json">openapi.json</a>.
          </p>
          <table>
            <thead>
              <tr>
                <th>Address</th>
                <th>What it does</th>
                <th>Parameters</th>
              </tr>
            </thead>
            <tbody>
              ${routes.map(rowOf)}
            </tbody>
          </table>
        </main>
      </body>
    </html> `.text
}

function rowOf({ method, path, summary, query }: V1Route): Html {
  return html`<tr>
    <td><code>${method} ${path}</code></td>
    <td>${summary}</td>
    <td>${Object.keys(query.shape).join(', ')}</td>
  </tr>`
}
