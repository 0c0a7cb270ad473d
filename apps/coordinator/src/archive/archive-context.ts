import type { ReplayOrigin } from '@minga/protocol'
import type { FastifyRequest } from 'fastify'
import type { RouteContext } from '../accounts/access.ts'
import type { TextIndex } from './search/text-index.ts'
import type { UrlIndex } from './url-index.ts'

export interface ArchiveServices {
  urlIndex: UrlIndex
  texts: TextIndex
  /** Where archived pages are shown; changes once, when the station begins to listen. */
  replayOrigin: () => ReplayOrigin
}

/** What reading the archive over HTTP needs. */
export type ArchiveContext = RouteContext & ArchiveServices

/** The archive as one request may read it. */
export function seenBy<P extends Pick<ArchiveContext, 'access' | 'store' | 'urlIndex'>>(
  context: P,
  request: FastifyRequest,
): P {
  const store = context.access.storeFor(request)
  return { ...context, store, urlIndex: context.urlIndex.seenBy(store) }
}
