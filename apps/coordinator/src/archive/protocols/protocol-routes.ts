/** The archive as other programs know archives: Memento and CDX, at the addresses they expect. */
import type { FastifyInstance } from 'fastify'
import { sealAnswers } from '../../http/browser-guard.ts'
import type { ArchiveContext } from '../archive-context.ts'
import { cdxRoutes } from './cdx-routes.ts'
import { mementoRoutes } from './memento-routes.ts'

export function archiveProtocolRoutes(app: FastifyInstance, context: ArchiveContext): void {
  app.addHook('onRequest', (request) => context.access.meet(request))
  sealAnswers(app)
  mementoRoutes(app, context)
  cdxRoutes(app, context)
}
