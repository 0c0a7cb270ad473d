/** Calls between stations, under /federation, and what operators do about it, under /api/federation. */
import {
  claimMessage,
  graphMessage,
  joinMessage,
  ownerQuestion,
  promotedMessage,
  renewMessage,
  ROUTING_MODES,
} from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z, type ZodType } from 'zod'
import { may, type RouteContext } from '../accounts/access.ts'
import { titleField } from '../accounts/fields.ts'
import type { FederationServices } from './create-federation.ts'
import { StationFilter } from '../station/filters/station-filter.ts'
import { mayBeLarge } from '../http/request-limits/body-limits.ts'
import { branchIn } from './registrar/branches.ts'
import { packJson, unpackJson } from './calls/station-calls.ts'
import type { SignedStationCall } from './calls/station-authenticator.ts'
import { explainHostOwner } from './explain-host-owner.ts'

const BODY_TYPE = 'application/octet-stream'
const JOIN_PATH = '/federation/join'
/** A certificate chain and a few names: unpacking more would be work that any caller could cause. */
const JOIN_UNPACKED_MAX = 512 * 1024

export function stationRoutes(
  app: FastifyInstance,
  { federation }: RouteContext & FederationServices,
): void {
  // Nothing else is parsed: who a call is from is known for certain only when its body was checked.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(BODY_TYPE, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  const from = (request: FastifyRequest): string => federation.authenticator.meet(callOf(request))
  const read = <T>(request: FastifyRequest, schema: ZodType<T>): T =>
    unpackJson(callOf(request).body, schema)

  // Before the body is read: a stranger's is not even received, but for a few KB to join with.
  app.addHook('onRequest', async (request) => {
    if (request.url.startsWith(JOIN_PATH)) return
    const isLarge = mayBeLarge(request)
    const sender = federation.authenticator.requireKnown(callOf(request), { isLarge })
    const { ip } = request
    // By its address too: who only says to be a station must not use up what that station may send.
    request.knownAs = { account: `station ${sender} at ${ip}`, credential: null }
  })
  app.post('/join', async (request) => {
    const message = unpackJson(callOf(request).body, joinMessage, JOIN_UNPACKED_MAX)
    const id = federation.authenticator.meetStranger(callOf(request), message.publicKey)
    const instead = federation.askInstead()
    if (instead !== null) return packJson(instead)
    const answer = await federation.registrar.join(id, message)
    await federation.refresh()
    return packJson(answer)
  })
  app.post('/renew', async (request) => {
    const station = from(request)
    const message = read(request, renewMessage)
    if (message.term > federation.requireView().term) await federation.lookAround()
    return packJson(await federation.registrar.renew(station, message))
  })
  app.post('/claim', async (request) => {
    const station = from(request)
    return packJson(await federation.registrar.claim(station, read(request, claimMessage)))
  })
  app.post('/batch', (request) => {
    const station = from(request)
    return federation.exchange.receive(station, callOf(request).body)
  })
  app.post('/graph', async (request) => {
    from(request)
    await federation.registrar.learn(read(request, graphMessage))
    return packJson({})
  })
  app.post('/owner', async (request) => {
    from(request)
    const { host } = read(request, ownerQuestion)
    return packJson(await federation.registrar.ownerOf(host))
  })
  app.post('/leave', async (request) => {
    await federation.registrar.dismiss(from(request))
    await federation.refresh()
    return packJson({})
  })
  app.post('/promoted', async (request) => {
    from(request)
    await federation.hearOf(read(request, promotedMessage))
    return packJson({})
  })
  app.get('/state', async (request) => {
    from(request)
    return packJson(await federation.state())
  })
}

function callOf({ method, url, headers, body }: FastifyRequest): SignedStationCall {
  return { method, path: url, headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) }
}

/** What is none is refused in words of its own. */
const branch = z.string().max(1_000).transform(branchIn)
const ownPart = {
  name: titleField.nullable().default(null),
  capacity: z.number().min(0).max(1e9).nullable().default(null),
  branch: branch.nullable().default(null),
}
const foundBody = z.object(ownPart)
const joinBody = z.object({
  ...ownPart,
  url: z.string().min(1).max(8_192),
  token: z.string().min(1).max(1_000),
  ca: z.string().max(100_000).nullable().default(null),
})
const hostQuery = z.object({ host: z.string().min(1).max(8_192) })
const branchBody = z.object({ branch })
/** By its id or its name. */
const promotionBody = z.object({ station: z.string().min(1).max(100) })
const modeBody = z.object({ mode: z.enum(ROUTING_MODES) })

const READ = may('federation:read')
const WRITE = may('federation:write')

export function federationRoutes(
  app: FastifyInstance,
  context: RouteContext & FederationServices,
): void {
  const { federationAdmin: admin, federation, access } = context
  const by = (request: FastifyRequest): string =>
    access.requireAction(request, 'federation:write').accountId
  const station = new StationFilter(context.settings)
  app.get('/federation', READ, () => admin.status())
  app.get('/federation/host', READ, (request) => {
    const { host } = hostQuery.parse(request.query)
    return explainHostOwner({ federation, filter: station.current().filter }, host)
  })
  app.post('/federation/found', WRITE, (request) =>
    admin.found(foundBody.parse(request.body ?? {}), by(request)),
  )
  app.post('/federation/join', WRITE, (request) =>
    admin.join(joinBody.parse(request.body), by(request)),
  )
  app.post('/federation/invite', WRITE, (request) => admin.invite(by(request)))
  app.post('/federation/promote', WRITE, (request) => admin.promote(by(request)))
  app.post('/federation/confirm', WRITE, (request) =>
    admin.confirm(promotionBody.parse(request.body).station, by(request)),
  )
  app.post('/federation/reject', WRITE, (request) =>
    admin.reject(promotionBody.parse(request.body).station, by(request)),
  )
  app.post('/federation/leave', WRITE, (request) => admin.leave(by(request)))
  app.post('/federation/mode', WRITE, (request) =>
    admin.setMode(modeBody.parse(request.body).mode, by(request)),
  )
  app.post('/federation/branch', WRITE, (request) =>
    admin.setBranch(branchBody.parse(request.body).branch, by(request)),
  )
  app.post('/federation/replan', WRITE, () => admin.replan())
}
