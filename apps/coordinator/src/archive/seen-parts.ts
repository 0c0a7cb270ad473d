import type { FastifyRequest } from 'fastify'
import type { ArchiveParts } from './archive-parts.ts'

/** The archive as one request may read it. */
export function seenBy<P extends Pick<ArchiveParts, 'access' | 'store' | 'urlIndex'>>(
  parts: P,
  request: FastifyRequest,
): P {
  const store = parts.access.storeFor(request)
  return { ...parts, store, urlIndex: parts.urlIndex.seenBy(store) }
}
