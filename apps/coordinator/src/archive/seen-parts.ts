import type { FastifyRequest } from 'fastify'
import type { ArchiveContext } from './archive-context.ts'

/** The archive as one request may read it. */
export function seenBy<P extends Pick<ArchiveContext, 'access' | 'store' | 'urlIndex'>>(
  context: P,
  request: FastifyRequest,
): P {
  const store = context.access.storeFor(request)
  return { ...context, store, urlIndex: context.urlIndex.seenBy(store) }
}
