/** The API in a form that programs read; `npm run build:api` makes it from the routes themselves. */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'

const FILE = new URL('../../openapi.json', import.meta.url)

export function openApiRoute(app: FastifyInstance): void {
  app.get('/openapi.json', { config: { isPublic: true } }, async (_request, reply) =>
    reply.type('application/json').send(await readFile(FILE)),
  )
}
