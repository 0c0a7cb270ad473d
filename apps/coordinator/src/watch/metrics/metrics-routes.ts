/** Figures of watches and of the archive's growth over HTTP. */
import type { ArchiveGrowthView, WatchGroupsView } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { WatchContext } from '../watch-context.ts'

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const PERIOD_MS_MOST = 3_660 * UNITS_MS.d

const idParams = z.object({ id: z.coerce.number().int() })
const daysQuery = z.object({ days: z.coerce.number().int().min(1).max(3_660).default(365) })
const periodMs = z
  .string()
  .regex(/^\d{1,6}[mhd]$/, 'must be a whole number of minutes, hours or days: 90m, 6h, 15d')
  .transform((text) => Number(text.slice(0, -1)) * UNITS_MS[text.at(-1) as keyof typeof UNITS_MS])
  .refine((ms) => ms >= UNITS_MS.m && ms <= PERIOD_MS_MOST, 'must be from one minute to ten years')
const compareQuery = daysQuery.extend({ period: periodMs.default(UNITS_MS.d) })

const READ = may('watches:read')

export function metricsRoutes(app: FastifyInstance, { access, watchMetrics }: WatchContext): void {
  app.get('/watches/:id/metrics', READ, (request) =>
    watchMetrics.metrics(idParams.parse(request.params).id, daysQuery.parse(request.query)),
  )
  app.get('/watches/:id/compare', READ, (request) => {
    const { days, period } = compareQuery.parse(request.query)
    return watchMetrics.compare(idParams.parse(request.params).id, { days, periodMs: period })
  })
  app.get('/watches/:id/compare-curve', READ, (request) =>
    watchMetrics.curve(idParams.parse(request.params).id, daysQuery.parse(request.query)),
  )
  app.get('/watches/:id/calibration', READ, (request) =>
    watchMetrics.calibration(idParams.parse(request.params).id, daysQuery.parse(request.query)),
  )
  app.get('/watches/:id/years', READ, (request) =>
    watchMetrics.years(idParams.parse(request.params).id),
  )
  app.get('/watch-calibration', READ, (request) =>
    watchMetrics.calibration(null, daysQuery.parse(request.query)),
  )
  app.get('/watch-budget', READ, () => watchMetrics.budget())
  app.get('/watch-groups', READ, async (request): Promise<WatchGroupsView> => {
    const view = await watchMetrics.groups(daysQuery.parse(request.query))
    const hidden = await access.storeFor(request).call('hiddenCollections', {})
    return { ...view, watches: view.watches.filter(({ id }) => !hidden.includes(id)) }
  })
  app.get('/archive/growth', READ, async (request): Promise<ArchiveGrowthView> => {
    const view = await watchMetrics.growth.view()
    const hidden = await access.storeFor(request).call('hiddenCollections', {})
    return { ...view, collections: view.collections.filter(({ id }) => !hidden.includes(id)) }
  })
}
