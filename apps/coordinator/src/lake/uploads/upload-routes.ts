/**
 * Inputs uploaded in parts over HTTP; a client that loses the connection asks how far it got and
 * resumes.
 */
import { digestField, uploadMessage } from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'
import type { LakeContext } from '../create-lake.ts'
import { lakeCaller } from '../workers/lake-caller.ts'
import { BadPart } from '../lake-errors.ts'
import { PART_BYTES_MAX } from './uploads.ts'

const BYTES_TYPE = 'application/octet-stream'
const partQuery = z.object({ offset: z.coerce.number().int().min(0) })
const finishBody = z.object({ digest: digestField.optional() })
const RUN = may('queries:run')
const PART = { ...RUN, bodyLimit: PART_BYTES_MAX }

export function uploadRoutes(app: FastifyInstance, context: LakeContext): void {
  const { access, lake } = context
  const ownerOf = (request: FastifyRequest): string | null =>
    access.ownerFor(request, 'queries:run')
  const idOf = (request: FastifyRequest): string => idParams.parse(request.params).id
  acceptBytes(app)
  app.post('/inputs', RUN, (request) => {
    const { accountId, isReader } = lakeCaller(access, request, 'queries:run')
    return lake.uploads.begin(accountId, uploadMessage.parse(request.body), isReader)
  })
  app.get('/inputs', RUN, (request) => lake.uploads.list(ownerOf(request)))
  app.get('/inputs/:id', { ...RUN, exposeHeadRoute: false }, (request) =>
    lake.uploads.view(ownerOf(request), idOf(request)),
  )
  app.head('/inputs/:id', RUN, async (request, reply) => {
    const { received, bytes } = await lake.uploads.view(ownerOf(request), idOf(request))
    return reply.headers({ 'upload-offset': received, 'upload-length': bytes }).send()
  })
  app.put('/inputs/:id', PART, (request) => {
    const { offset } = partQuery.parse(request.query)
    const part = { offset, bytes: bytesOf(request), digest: digestIn(request) }
    return lake.uploads.append(ownerOf(request), idOf(request), part)
  })
  app.post('/inputs/:id/finish', RUN, (request) => {
    const { digest } = finishBody.parse(request.body ?? {})
    return lake.uploads.finish(ownerOf(request), idOf(request), digest)
  })
  app.delete('/inputs/:id', RUN, async (request) => {
    await lake.uploads.remove(ownerOf(request), idOf(request))
    return {}
  })
}

/** Bytes as they are, where a route wants them. */
export function acceptBytes(app: FastifyInstance): void {
  if (app.hasContentTypeParser(BYTES_TYPE)) return
  app.addContentTypeParser(BYTES_TYPE, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
}

/** None at all is a part as well: files may be empty. */
export function bytesOf({ body }: FastifyRequest): Buffer {
  if (body === null || body === undefined) return Buffer.alloc(0)
  if (!Buffer.isBuffer(body)) throw BadPart.ofType(BYTES_TYPE)
  return body
}

export function digestIn({ headers }: FastifyRequest): string | undefined {
  return digestField.optional().parse(headers['x-minga-digest'])
}
