/**
 * The calls of an agent. To authenticate (enrol, challenge, hello) it shows a join token or its key;
 * inside it shows the session token that its hello was answered with.
 */
import {
  askMessage,
  BadUpload,
  beatMessage,
  challengeMessage,
  enrolMessage,
  helloMessage,
  isMingaError,
  loadReport,
  SIGNATURE_HEADER,
  type Heartbeat,
  type HeartbeatResponse,
  type LeaseRequest,
  type LeaseResponse,
  type LoadOrder,
  type LoadReport,
  type UploadAnswer,
  type Welcome,
} from '@minga/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AgentSession } from './agent-sessions.ts'
import type { DeviceAuthenticator } from './device-authenticator.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { signatureAgentOf, type Station } from '../station/station.ts'
import { LARGEST_UPLOAD_BYTES } from '../http/request-limits/body-limits.ts'

const loadParams = z.object({ id: z.string().min(1).max(100) })
const UPLOAD_TYPE = 'application/vnd.minga.upload'
/** Larger documents are cut here and marked as truncated. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024

/** The pipeline, of which this folder knows only what agents call. */
interface AgentCalls {
  ask(
    ask: LeaseRequest & Pick<AgentSession, 'boot' | 'device'>,
    signal: AbortSignal,
  ): Promise<LeaseResponse>
  beat(beat: Heartbeat & Pick<AgentSession, 'boot'>): Promise<HeartbeatResponse>
  goodbye(boot: string): Promise<void>
  take(body: Buffer, sender: { session: AgentSession; signature: string }): Promise<UploadAnswer>
}

interface AgentContext extends Station {
  authenticator: DeviceAuthenticator
  pipeline: AgentCalls
  loadTests: { heard(device: string, id: string, report: LoadReport): LoadOrder }
}

export function agentRoutes(app: FastifyInstance, context: AgentContext): void {
  const { authenticator } = context
  app.post('/enrol', (request) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    return authenticator.enrol(enrolMessage.parse(request.body), token)
  })
  app.post('/challenge', async (request) =>
    authenticator.challenge(challengeMessage.parse(request.body).device),
  )
  app.post('/hello', async (request): Promise<Welcome> => {
    const message = helloMessage.parse(request.body)
    const { session, hasFreed } = await authenticator.welcome(message, request.ip)
    // Not for every newcomer: thousands who return together would each wake all who wait.
    if (hasFreed) context.work.notifyAll()
    return {
      session,
      userAgent: context.userAgent,
      signatureAgent: message.signing ? signatureAgentOf(context) : null,
      limits: { bodyBytesMax: PAGE_BYTES_MAX },
      allowPrivateAddresses: context.guard.allowPrivateAddresses,
      seenAddress: request.ip,
    }
  })
  void app.register(async (inside) => sessionRoutes(inside, context))
}

function sessionRoutes(app: FastifyInstance, context: AgentContext): void {
  const { pipeline, authenticator, loadTests } = context
  const sessions = new WeakMap<FastifyRequest, AgentSession>()
  const sessionOf = (request: FastifyRequest): AgentSession => sessions.get(request)!
  const concurrencyLimit = new ConcurrencyLimit()
  // Before the body is read: a stranger's upload is not even received.
  app.addHook('onRequest', async (request, reply) => {
    const session = await authenticator.sessions.of(request.headers.authorization)
    sessions.set(request, session)
    request.becomesKnown?.()
    request.knownAs = { account: session.device, credential: null }
    const isUpload = request.routeOptions.url?.endsWith('/results') ?? false
    const leave = concurrencyLimit.enter(session, {
      uploadBytes: isUpload ? bytesOf(request) : null,
    })
    reply.raw.once('close', leave)
  })
  app.addHook('onError', async (request, _reply, error) => {
    const session = sessions.get(request)
    const isOver = isMingaError(error) && error.code === 'MINGA_UNKNOWN_AGENT'
    if (session && isOver) authenticator.sessions.forget(session.boot)
  })
  void app.register(async (uploads) => uploadRoute(uploads, pipeline, sessionOf))
  app.post('/ask', async (request): Promise<LeaseResponse> => {
    const { boot, device } = sessionOf(request)
    const ask = { ...askMessage.parse(request.body), boot, device }
    return { ...(await pipeline.ask(ask, context.closing)), seenAddress: request.ip }
  })
  app.post('/beat', (request) => {
    const { boot } = sessionOf(request)
    return pipeline.beat({ ...beatMessage.parse(request.body), boot })
  })
  app.post('/load-tests/:id/figures', async (request) => {
    const { id } = loadParams.parse(request.params)
    return loadTests.heard(sessionOf(request).device, id, loadReport.parse(request.body))
  })
  app.post('/goodbye', async (request) => {
    const { boot } = sessionOf(request)
    await pipeline.goodbye(boot)
    authenticator.sessions.forget(boot)
    return {}
  })
  // A volunteer who leaves for good needs no account to be forgotten: the key itself asks for it.
  app.post('/revoke', async (request) => {
    const { boot, device } = sessionOf(request)
    await context.store.call('revokeDevice', { device, owner: null, now: context.clock.now() })
    authenticator.sessions.forget(boot)
    context.work.notifyAll()
    return {}
  })
}

/** One that does not say how long it is counts as the longest. */
function bytesOf({ headers }: FastifyRequest): number {
  const length = headers['content-length']
  return length === undefined
    ? LARGEST_UPLOAD_BYTES
    : Math.min(Number(length), LARGEST_UPLOAD_BYTES)
}

/** Apart from the others: parsing JSON of this size would keep the main loop busy for seconds, so it is not even read. */
function uploadRoute(
  app: FastifyInstance,
  pipeline: AgentCalls,
  sessionOf: (request: FastifyRequest) => AgentSession,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(UPLOAD_TYPE, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.addContentTypeParser('application/json', (_request, _payload, done) => done(null, null))
  app.post('/results', (request) => {
    if (!Buffer.isBuffer(request.body))
      throw new BadUpload(`its content type is not ${UPLOAD_TYPE}`)
    const signature = String(request.headers[SIGNATURE_HEADER] ?? '')
    return pipeline.take(request.body, { session: sessionOf(request), signature })
  })
}
