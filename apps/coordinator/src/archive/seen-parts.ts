import type { FastifyRequest } from 'fastify'
import type { ArchiveContext } from './archive-context.ts'

/** The archive as one request may read it. */
export function seenBy<P extends Pick<ArchiveContext, 'access' | 'store' | 'urlIndex'>>(
  parts: P,
  request: FastifyRequest,
): P {
  const store = parts.access.storeFor(request)
  return { ...parts, store, urlIndex: parts.urlIndex.seenBy(store) }
}
