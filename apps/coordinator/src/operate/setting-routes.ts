/** What operators change while the station runs, and who changed what. */
import { SETTING_CHANGE_ORDERS } from '@minga/frontier'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../accounts/access.ts'
import { LISTING, toPageArgs, sortsOf, SPAN } from '../station/sorted-lists.ts'
import type { Changing } from '../station/settings/live-settings.ts'

const noteField = z.string().max(1_000).nullable().default(null)
/** Except for the note, each field is a setting. */
const patchBody = z.looseObject({ note: noteField })
const nameParams = z.object({ name: z.string().max(100) })
const resetQuery = z.object({ note: noteField })
const changesQuery = z.object({
  /** The number of the last change of the page before. */
  before: z.coerce.number().int().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const changesPageQuery = z.object({
  ...LISTING,
  ...SPAN,
  /** The name of one. */
  setting: z.string().max(100).optional(),
  sort: z.enum(sortsOf(SETTING_CHANGE_ORDERS)).default('-at'),
})

export function settingRoutes(app: FastifyInstance, context: RouteContext): void {
  const { access, settings, work } = context
  const changing = (request: FastifyRequest, note: string | null): Changing => {
    return { by: access.requireAction(request, 'settings:write').accountId, note }
  }

  app.get('/settings', may('settings:read'), async () => settings.list())
  app.get('/settings/changes', may('settings:read'), (request) =>
    settings.changes(changesQuery.parse(request.query)),
  )
  app.get('/settings/changes/page', may('settings:read'), (request) =>
    settings.findChanges(toPageArgs(changesPageQuery.parse(request.query))),
  )
  app.patch('/settings', may('settings:write'), async (request) => {
    const { note, ...wanted } = patchBody.parse(request.body)
    await settings.change(wanted, changing(request, note))
    // Waiting agents may get other work from now on.
    work.notifyAll()
    return settings.list()
  })
  app.delete('/settings/:name', may('settings:write'), async (request) => {
    const { note } = resetQuery.parse(request.query)
    await settings.reset(nameParams.parse(request.params).name, changing(request, note))
    work.notifyAll()
    return settings.list()
  })
}
