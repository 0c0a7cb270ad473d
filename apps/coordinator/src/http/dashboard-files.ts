/**
 * Serves the page: a folder of built files that the operator names at start. The list of files is
 * read once, so that no request can name a path outside it.
 */
import { extname } from 'node:path'
import { readFile } from 'node:fs/promises'
import type { ReplayOrigin } from '@minga/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { anyOrigin, replayNamesFor } from './replay-names.ts'

export interface PageFolder {
  path: string
  /** Names of all files below it, with forward slashes; empty when it was not built. */
  list(path: string): Promise<string[]>
  read(path: string): Promise<Buffer>
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Nothing comes from elsewhere, nothing inline runs, and no other site can frame the page to steal
 * clicks. It shows archived pages in a frame itself, which come from their own origin.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const NOT_BUILT = `The page of this station was not built.

Run \`npm run build:page\` in the folder of Minga and reload; \`npm start\` does it by itself.
The station works without it: its API is at /api/collections.
`

/** Where the page may show archived pages from. */
function framesOf(request: FastifyRequest, origin: ReplayOrigin): string {
  const names = replayNamesFor(request, origin)
  return names === null ? "'none'" : anyOrigin(names)
}

const wildParams = z.object({ '*': z.string() })

export function dashboardFiles(
  app: FastifyInstance,
  folder: PageFolder,
  replayOrigin: () => ReplayOrigin,
): void {
  app.get('/*', async (request, reply) => {
    const { '*': name } = wildParams.parse(request.params)
    const files = new Set(await folder.list(folder.path))
    const frames = `frame-src ${framesOf(request, replayOrigin())}`
    void reply.headers({
      ...SECURITY_HEADERS,
      'content-security-policy': [...POLICY, frames].join('; '),
    })
    if (!files.has('index.html')) {
      return reply.status(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    }
    if (name !== 'index.html' && files.has(name)) return sendFile(reply, folder, name)
    // Addresses inside the page (/collections/3) are the page's own business; names of wikis have dots.
    const isPlace = extname(name) === '' || name === 'index.html' || name.startsWith('wikis/')
    if (isPlace) return sendFile(reply, folder, 'index.html')
    return reply.status(404).type('text/plain; charset=utf-8').send(`There is no /${name} here.\n`)
  })
}

async function sendFile(reply: FastifyReply, folder: PageFolder, name: string): Promise<unknown> {
  const body = await folder.read(`${folder.path}/${name}`)
  // Names of assets carry a hash of their content; index.html names the assets of today.
  const isImmutable = name.startsWith('assets/')
  return reply
    .type(TYPES[extname(name)] ?? 'application/octet-stream')
    .header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .send(body)
}

const FILE = new URL('../../openapi.json', import.meta.url)

/** The API in a form that programs read; `npm run build:api` makes it from the routes themselves. */
export function openApiRoute(app: FastifyInstance): void {
  app.get('/openapi.json', { config: { isPublic: true } }, async (_request, reply) =>
    reply.type('application/json').send(await readFile(FILE)),
  )
}
