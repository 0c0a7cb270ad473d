/** The API for site owners: no account, a proof of control instead. Its page is /bot. */
import { parseHostRule } from '@minga/frontier'
import type { FastifyInstance } from 'fastify'
import { isIP } from 'node:net'
import { z } from 'zod'
import { BadHost } from '../station/errors.ts'
import type { OwnerWish } from './owner-rules.ts'
import { instructionsFor, type SiteOwners } from './site-owners.ts'

const SECOND_MS = 1_000
const DAY_S = 86_400
/** Wide enough for a log's clock that is off, narrow enough to ask about one visit. */
const WINDOW_S_MAX = 900

const hostField = z.string().trim().min(1).max(300)
const secretField = z.string().min(1).max(100)
export const idField = z.string().min(1).max(100)
const idParams = z.object({ id: idField })

export const openBody = z.object({
  host: hostField,
  purpose: z.enum(['owner', 'load-test']).default('owner'),
})
export const proofBody = z.object({ secret: secretField })
export const undoBody = proofBody.extend({ host: hostField })
export const ruleBody = z.discriminatedUnion('effect', [
  undoBody.extend({ effect: z.literal('stop') }),
  undoBody.extend({ effect: z.literal('slow'), delayS: z.coerce.number().min(1).max(DAY_S) }),
])
export const addressBody = z.object({
  host: hostField,
  address: z
    .string()
    .trim()
    .max(60)
    .refine((text) => isIP(text) !== 0, 'it is no IP address'),
  at: z.iso.datetime({ offset: true, local: true }).transform(instantOf),
  windowS: z.coerce.number().int().min(60).max(WINDOW_S_MAX).default(300),
})

/** A time without a zone is UTC, as in most logs. */
function instantOf(text: string): number {
  return Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)
}

const open = { config: { isPublic: true } }

export function siteOwnerRoutes(app: FastifyInstance, context: { siteOwners: SiteOwners }): void {
  const { siteOwners } = context

  app.post('/site-owners/proofs', open, (request) =>
    siteOwners.open(openBody.parse(request.body), request.ip),
  )
  app.post('/site-owners/proofs/:id/check', open, async (request) => {
    const { secret } = proofBody.parse(request.body)
    const { id } = idParams.parse(request.params)
    const view = await siteOwners.check({ id, secret }, request.ip)
    return { ...view, ...instructionsFor(view) }
  })
  app.post('/site-owners/proofs/:id/asked', open, (request) => {
    const { secret } = proofBody.parse(request.body)
    return siteOwners.account({ id: idParams.parse(request.params).id, secret }, request.ip)
  })
  app.put('/site-owners/proofs/:id/rule', open, (request) => {
    const body = ruleBody.parse(request.body)
    const { id } = idParams.parse(request.params)
    return siteOwners.decide({ id, secret: body.secret }, wishOf(body))
  })
  app.delete('/site-owners/proofs/:id/rule', open, (request) => {
    const { secret, host } = undoBody.parse(request.body)
    const { id } = idParams.parse(request.params)
    return siteOwners.undo({ id, secret }, patternOf(host))
  })
  app.post('/site-owners/address', open, async (request) => {
    const { windowS, ...asked } = addressBody.parse(request.body)
    const question = { ...asked, windowMs: windowS * SECOND_MS }
    return { answer: await siteOwners.askAddress(question, request.ip) }
  })
}

export function wishOf(body: z.infer<typeof ruleBody>): OwnerWish {
  const pattern = patternOf(body.host)
  if (body.effect === 'stop') return { pattern, effect: 'stop' }
  return { pattern, effect: 'slow', delayMs: Math.round(body.delayS * SECOND_MS) }
}

export function patternOf(host: string): string {
  const pattern = parseHostRule(host)
  if (pattern === null) throw BadHost.named(host)
  return pattern
}
