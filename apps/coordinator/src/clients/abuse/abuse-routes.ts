/**
 * What operators do about abuse: lists of hosts, flags of clients; and what a held client receives.
 */
import {
  FLAG_EFFECTS,
  FLAG_KINDS,
  FLAG_ORDERS,
  FLAG_STATES,
  FLAG_WORDS,
  SEVERITIES,
  type Flag,
} from '@minga/fleet'
import { HOST_RULE_ORDERS, parseHostRule, type HostRule } from '@minga/frontier'
import { guardUrl, isPublicSuffix } from '@minga/net'
import type { HostReset, SortedPage } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may, type RouteContext } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'
import { BadHost, BadWebhook } from '../../station/errors.ts'
import { hostKeyIn } from '../../federation/explain-host-owner.ts'
import { endClosings } from '../../station/host-closings.ts'
import { LISTING, toPageArgs, toSortedPage, sortsOf, SPAN } from '../../station/sorted-lists.ts'
import { webhookSecret } from '../close-batches.ts'
import { WEBHOOK_FACT } from './abuse-monitor.ts'
import type { OperationArgs } from '@minga/store'
import type { Operations } from '../../station/station-operations.ts'

/** Patterns of one call: a transaction checks each. */
const HOSTS_MAX = 1_000
const hostsField = z.array(z.string().max(300)).max(HOSTS_MAX)
const reasonField = z.string().min(1).max(1_000)
/** Closing everything below a public suffix (`*.com`) must be meant. */
const suffixField = z.boolean().default(false)
const decisionBody = z.object({
  hosts: hostsField.min(1),
  action: z.enum(['deny', 'allow']),
  reason: reasonField,
  wholeSuffix: suffixField,
})
const resetBody = z.object({ host: z.string().max(300) })
const forgetBody = z.object({ hosts: hostsField.min(1) })
const pageQuery = z.object({
  after: z.string().max(300).default(''),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
})
const hostsPageQuery = z.object({
  ...LISTING,
  ...SPAN,
  effect: z.enum(['close', 'exempt']).optional(),
  sort: z.enum(sortsOf(HOST_RULE_ORDERS)).default('host'),
})
const nameParams = z.object({ name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/) })
const categoryBody = z.object({
  isDenied: z.boolean().nullable().default(null),
  add: hostsField.default([]),
  remove: hostsField.default([]),
  reason: reasonField,
  wholeSuffix: suffixField,
})
const flagsQuery = z.object({
  state: z.enum(FLAG_STATES).nullable().default(null),
  client: z.string().max(100).nullable().default(null),
  before: z.coerce.number().int().default(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const flagsPageQuery = z.object({
  ...LISTING,
  ...SPAN,
  state: z.enum(FLAG_STATES).optional(),
  kind: z.enum(FLAG_KINDS).optional(),
  severity: z.enum(SEVERITIES).optional(),
  effect: z.enum(FLAG_EFFECTS).optional(),
  sort: z.enum(sortsOf(FLAG_ORDERS)).default('-openedAt'),
})
const flagBody = z.object({
  state: z.enum(FLAG_STATES).nullable().default(null),
  effect: z.enum(FLAG_EFFECTS).nullable().default(null),
  note: z.string().max(1_000).nullable().default(null),
})
const webhookBody = z.object({ url: z.url({ protocol: /^https?$/ }).nullable() })

const READ = may('abuse:read')
const WRITE = may('abuse:write')

export function abuseRoutes(app: FastifyInstance, context: RouteContext): void {
  hostRoutes(app, context)
  categoryRoutes(app, context)
  flagRoutes(app, context)
}

function hostRoutes(app: FastifyInstance, context: RouteContext): void {
  const { access, store, clock } = context
  app.get('/abuse/hosts', READ, (request) =>
    store.call('listHostRules', { source: 'operator', ...pageQuery.parse(request.query) }),
  )
  app.get('/abuse/hosts/page', READ, async (request): Promise<SortedPage<HostRule>> => {
    const args = { ...toPageArgs(hostsPageQuery.parse(request.query)), source: 'operator' }
    return toSortedPage(await store.call('findHostRules', args))
  })
  app.post('/abuse/hosts', WRITE, async (request) => {
    const { hosts, action, reason, wholeSuffix } = decisionBody.parse(request.body)
    const { accountId: by } = access.requireAction(request, 'abuse:write')
    const rules = rulesOf(hosts, wholeSuffix)
    const operation = action === 'deny' ? 'denyHosts' : 'allowHosts'
    await store.call(operation, { rules, reason, by, now: clock.now() })
    await endClosings(context)
    return { rules }
  })
  app.post('/hosts/reset', WRITE, async (request): Promise<HostReset> => {
    const { accountId: by } = access.requireAction(request, 'abuse:write')
    const host = hostKeyIn(resetBody.parse(request.body).host)
    const reset = await store.call('resetHost', { host, by, now: clock.now() })
    context.work.notifyAll()
    return reset
  })
  app.post('/abuse/hosts/forget', WRITE, async (request) => {
    const { accountId: by } = access.requireAction(request, 'abuse:write')
    const rules = rulesOf(forgetBody.parse(request.body).hosts, true)
    await store.call('forgetHosts', { rules, by, now: clock.now() })
    await endClosings(context)
    return { rules }
  })
}

function rulesOf(hosts: readonly string[], wholeSuffix: boolean): string[] {
  return hosts.map((text) => {
    const rule = parseHostRule(text)
    if (rule === null) throw BadHost.named(text)
    const isSuffix = rule.startsWith('*.') && isPublicSuffix(rule.slice(2))
    if (isSuffix && !wholeSuffix) throw BadHost.suffix(rule)
    return rule
  })
}

function categoryRoutes(app: FastifyInstance, context: RouteContext): void {
  const { access, store, clock } = context
  app.get('/abuse/categories', READ, () => store.call('listCategories', {}))
  app.get('/abuse/categories/:name/hosts', READ, (request) =>
    store.call('categoryHosts', {
      ...nameParams.parse(request.params),
      ...pageQuery.parse(request.query),
    }),
  )
  app.patch('/abuse/categories/:name', WRITE, async (request) => {
    const { name } = nameParams.parse(request.params)
    const { wholeSuffix, ...body } = categoryBody.parse(request.body)
    const { accountId: by } = access.requireAction(request, 'abuse:write')
    const change = {
      ...body,
      name,
      add: rulesOf(body.add, wholeSuffix),
      remove: rulesOf(body.remove, true),
      by,
      now: clock.now(),
    }
    const { isDenied } = await store.call('changeCategory', change)
    if (body.isDenied !== null) await applyAll(context, { name, by })
    await endClosings(context)
    return { name, isDenied }
  })
}

/** Page by page: a list of a million hosts must not hold up everyone. */
async function applyAll(
  { store, clock }: RouteContext,
  args: { name: string; by: string },
): Promise<void> {
  let after: string | null = ''
  while (after !== null) {
    const page: OperationArgs<Operations['applyCategory']> = {
      ...args,
      after,
      limit: HOSTS_MAX,
      now: clock.now(),
    }
    after = await store.call('applyCategory', page)
  }
}

function flagRoutes(app: FastifyInstance, context: RouteContext): void {
  const { access, store, clock, settings } = context
  app.get('/abuse/flags', READ, async (request) => {
    const { before: to, ...asked } = flagsQuery.parse(request.query)
    const newest = { order: 'openedAt', isDescending: true, after: null } as const
    return (await store.call('findFlags', { ...asked, to, ...newest })).rows
  })
  app.get('/abuse/flags/page', READ, async (request): Promise<SortedPage<Flag>> => {
    const args = toPageArgs(flagsPageQuery.parse(request.query))
    return toSortedPage(await store.call('findFlags', args))
  })
  app.patch('/abuse/flags/:id', WRITE, (request) => {
    const { accountId: by } = access.requireAction(request, 'abuse:write')
    return store.call('decideFlag', {
      id: idParams.parse(request.params).id,
      ...flagBody.parse(request.body ?? {}),
      cutDayMax: settings.current().abuseCutDayMax,
      by,
      now: clock.now(),
    })
  })
  app.get('/abuse/own', may('requests:read'), async (request) => {
    const client = access.clientOf(request)
    const flags = await store.call('restrictionsOf', { client })
    return {
      isHeld: flags.some(({ effect }) => effect === 'hold'),
      restrictions: flags.map(restrictionOf),
    }
  })
  app.get('/abuse/webhook', READ, async () => ({
    url: (await store.call('readFact', { name: WEBHOOK_FACT })) || null,
  }))
  app.put('/abuse/webhook', WRITE, async (request) => {
    const { url } = webhookBody.parse(request.body)
    const refusal = url === null ? null : guardUrl(url, context.guard)
    if (refusal !== null) throw new BadWebhook(url!, refusal.reason)
    await store.call('writeFact', { name: WEBHOOK_FACT, value: url ?? '' })
    return { url, secret: url === null ? null : webhookSecret(context.secret, WEBHOOK_FACT) }
  })
}

/** That it is held and why; how it was noticed is the operator's business. */
function restrictionOf({ id, kind, effect, dayMax, openedAt }: Flag) {
  const reason = `${effect === 'hold' ? 'New batches are held' : 'Fewer requests a day are taken'} because of ${FLAG_WORDS[kind]}.`
  return { id, kind, effect, dayMax, since: openedAt, reason }
}
