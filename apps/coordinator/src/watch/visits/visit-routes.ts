/** Rounds and harvests over HTTP. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { WatchContext } from '../watch-context.ts'
import { ASKED, type HarvestVerb } from './harvests.ts'
import type { Round } from './visit-scheduler.ts'

const idParams = z.object({ id: z.coerce.number().int() })
const roundBody = z.object({ ids: z.array(z.number().int()).max(10_000).nullable().default(null) })
const roundQuery = z.object({
  startedAt: z.coerce.number().int(),
  ids: z
    .string()
    .optional()
    .transform((text) => (text === undefined ? null : text.split(',').map(Number))),
})

const READ = may('watches:read')
const WRITE = may('watches:write')
const HARVEST_VERBS: readonly HarvestVerb[] = ['pause', 'resume', 'cancel']

export function visitRoutes(
  app: FastifyInstance,
  { access, visitScheduler, store }: WatchContext,
): void {
  app.post('/watches/run', WRITE, (request): Promise<Round> => {
    const { ids } = roundBody.parse(request.body ?? {})
    const { accountId: by } = access.requireAction(request, 'watches:write')
    return visitScheduler.startRound({ ids, owner: access.ownerFor(request, 'watches:write'), by })
  })
  app.get('/watches/run', READ, (request) => {
    const { startedAt, ids } = roundQuery.parse(request.query)
    return visitScheduler.roundSince(startedAt, ids)
  })
  app.get('/watches/:id/versions', READ, (request) =>
    store.call('watchVersions', { collectionId: idParams.parse(request.params).id }),
  )
  app.post('/watches/:id/harvest', WRITE, async (request) => {
    const { id } = idParams.parse(request.params)
    const owner = access.ownerFor(request, 'watches:write')
    return { number: await visitScheduler.harvest({ id, owner }, ASKED) }
  })
  for (const verb of HARVEST_VERBS) {
    app.post(`/watches/:id/harvest/${verb}`, WRITE, async (request) => {
      const { id } = idParams.parse(request.params)
      await visitScheduler.steer({ id, owner: access.ownerFor(request, 'watches:write') }, verb)
      return store.call('watchVersions', { collectionId: id })
    })
  }
}
