/** The archive as other programs know archives: Memento and CDX, at the addresses they expect. */
import type { FastifyInstance } from 'fastify'
import { sealAnswers } from '../../http/browser-guard.ts'
import type { ArchiveContext } from '../archive-context.ts'
import { cdxRoutes } from './cdx-routes.ts'
import { mementoRoutes } from './memento-routes.ts'

export function archiveProtocolRoutes(app: FastifyInstance, parts: ArchiveContext): void {
  app.addHook('onRequest', (request) => parts.access.meet(request))
  sealAnswers(app)
  mementoRoutes(app, parts)
  cdxRoutes(app, parts)
}
