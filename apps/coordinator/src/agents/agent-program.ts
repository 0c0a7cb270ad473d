/**
 * The program of volunteers, as this station hands it out: one tarball, which npm installs from its
 * address and which needs no registry.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Station } from '../station/station.ts'
import { VERSION } from '../station/identity.ts'

/** `npm run build:agent` writes it there; an installed Minga brings it. */
const FOLDER = fileURLToPath(new URL('../../../../dist', import.meta.url))
const NAME = `minga-agent-${VERSION}.tgz`
const PATH = `/downloads/${NAME}`

const NOT_BUILT = `This station has no program for volunteers.

Its operator makes it with \`npm run build:agent\` in the folder of Minga; \`npm start\` does it by itself.
`

const NOT_SIGNED = `The program of this station is not signed.

Sign it at release with \`MINGA_SIGNING_KEY=key.pem npm run pack\`.
`
const TEXT = 'text/plain; charset=utf-8'
/** What a release has next to its tarball; a build from a checkout has neither. */
const SIGNED_PARTS = [
  ['.manifest.json', 'application/json; charset=utf-8'],
  ['.manifest.json.sig', TEXT],
] as const

export interface JoinFacts {
  /** Where volunteers reach the station; null when its operator has not said so. */
  stationUrl: string | null
  /** Null while it is not built. */
  program: { path: string; bytes: number; sha256: string } | null
}

/** What a volunteer needs to know before there is a token, an account or anything else. */
export function joinFactsRoute(
  app: FastifyInstance,
  { publicUrl }: Pick<Station, 'publicUrl'>,
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
    if (found === null) return reply.status(404).type(TEXT).send(NOT_BUILT)
    // A checkout may build the same version again, so caches have to ask whether theirs is still it.
    const etag = `"${found.sha256}"`
    void reply.headers({ etag, 'cache-control': 'public, no-cache' })
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return reply.type('application/gzip').send(found.body)
  })
  for (const [ending, type] of SIGNED_PARTS) {
    app.get(`${PATH}${ending}`, async (_request, reply) => {
      const body = await readFile(`${folder}/${NAME}${ending}`).catch(() => null)
      if (body === null) return reply.status(404).type(TEXT).send(NOT_SIGNED)
      return reply.header('cache-control', 'public, no-cache').type(type).send(body)
    })
  }
}

/** It is below a megabyte, so that reading it whole costs little. */
async function readProgram(folder: string): Promise<{ body: Buffer; sha256: string } | null> {
  const body = await readFile(`${folder}/${NAME}`).catch(() => null)
  if (body === null) return null
  return { body, sha256: createHash('sha256').update(body).digest('hex') }
}
