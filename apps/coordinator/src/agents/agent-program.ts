/**
 * The program of volunteers, as this station hands it out: one tarball, which npm installs from its
 * address and which needs no registry.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../api-routes.ts'
import { VERSION } from '../identity.ts'

/** `npm run build:agent` writes it there; an installed Minga brings it. */
const FOLDER = fileURLToPath(new URL('../../../../dist', import.meta.url))
const NAME = `minga-agent-${VERSION}.tgz`
const PATH = `/downloads/${NAME}`

const NOT_BUILT = `This station has no program for volunteers.

Its operator makes it with \`npm run build:agent\` in the folder of Minga; \`npm start\` does it by itself.
`

export interface JoinFacts {
  /** Where volunteers reach the station; null when its operator has not said so. */
  stationUrl: string | null
  /** Null while it is not built. */
  program: { path: string; bytes: number; sha256: string } | null
}

/** What a volunteer needs to know before there is a token, an account or anything else. */
export function joinFactsRoute(
  app: FastifyInstance,
  { publicUrl }: Pick<ApiParts, 'publicUrl'>,
  folder = FOLDER,
): void {
  app.get('/join-facts', { config: { isPublic: true } }, async (): Promise<JoinFacts> => {
    const found = await readProgram(folder)
    const program =
      found === null ? null : { path: PATH, bytes: found.body.length, sha256: found.sha256 }
    return { stationUrl: publicUrl, program }
  })
}

export function agentProgramRoute(app: FastifyInstance, folder = FOLDER): void {
  app.get(PATH, async (request, reply) => {
    const found = await readProgram(folder)
    if (found === null) return reply.status(404).type('text/plain; charset=utf-8').send(NOT_BUILT)
    // A checkout may build the same version again, so caches have to ask whether theirs is still it.
    const etag = `"${found.sha256}"`
    void reply.headers({ etag, 'cache-control': 'public, no-cache' })
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return reply.type('application/gzip').send(found.body)
  })
}

/** It is below a megabyte, so that reading it whole costs little. */
async function readProgram(folder: string): Promise<{ body: Buffer; sha256: string } | null> {
  const body = await readFile(`${folder}/${NAME}`).catch(() => null)
  if (body === null) return null
  return { body, sha256: createHash('sha256').update(body).digest('hex') }
}
