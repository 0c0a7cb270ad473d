/** Finding captures by the words on them. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { mayOrPublic } from '../../accounts/access.ts'
import { seenBy, type ArchiveContext } from '../archive-context.ts'
import { searchText } from './text-search.ts'

const id = z.coerce.number().int().min(0)
const textQuery = z.object({
  q: z.string().max(1_000).default(''),
  collectionId: id.nullable().default(null),
  host: z.string().max(300).default(''),
  from: z.coerce.number().int().default(0),
  to: z.coerce.number().int().default(Number.MAX_SAFE_INTEGER),
  after: id.nullable().default(null),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export function textRoutes(app: FastifyInstance, context: ArchiveContext): void {
  app.get('/archive/text', mayOrPublic('captures:read'), (request) => {
    const { q, collectionId, host, from, to, after, limit } = textQuery.parse(request.query)
    const filter = { collectionId, host: hostIn(host), fromAt: from, toAt: to }
    return searchText(seenBy(context, request), { q, filter, after, limit })
  })
}

/** People paste addresses: what stands before and behind the host is left out. */
function hostIn(text: string): string | null {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/?#].*$/, '')
  return host === '' ? null : host
}
