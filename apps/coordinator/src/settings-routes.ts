/** What operators change while the station runs. */
import { STRATEGIES, type PlacementSettings } from '@minga/frontier'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from './access.ts'
import type { ApiParts } from './api-routes.ts'

const countField = z.number().int().min(1).max(1_000_000)
const settingsBody = z
  .object({ strategy: z.enum(STRATEGIES), inHandMax: countField, blockMax: countField })
  .partial()
  .strict()

/** Which operation sets what. */
const SETTERS = {
  strategy: 'setStrategy',
  inHandMax: 'setInHandMax',
  blockMax: 'setBlockMax',
} as const

export function settingsRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { access, store, clock, pipeline } = parts
  const read = (): Promise<PlacementSettings> => store.call('placementSettings', {})
  app.get('/settings', may('settings:read'), read)
  app.patch('/settings', may('settings:write'), async (request) => {
    const { accountId: by } = access.requireAction(request, 'settings:write')
    const changes = settingsBody.parse(request.body)
    for (const name of Object.keys(SETTERS) as (keyof typeof SETTERS)[]) {
      if (changes[name] === undefined) continue
      await store.call(SETTERS[name], { [name]: changes[name], now: clock.now(), by })
    }
    // Whoever waits may be given other work from now on.
    pipeline.work.ring()
    return read()
  })
}
