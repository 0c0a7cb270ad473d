/** `/api/v1`: histories of wikis for other programs, with the addresses of the first version of this API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { WikiContext } from '../wiki-service.ts'
import { tellIgnored } from './answers.ts'
import { dataRoutes } from './data-routes.ts'
import { humanPage, PAGE_HEADERS } from './human-page.ts'
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
