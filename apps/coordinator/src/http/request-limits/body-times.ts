/** How long a request may take to arrive. Node has one limit for all routes; uploads need a longer one than forms. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RequestSlow } from '../../station/errors.ts'
import { KNOWN_BODY_BYTES } from './body-limits.ts'

/** A form over a thin line takes a second; who takes longer only holds a place. */
export const BODY_MS_MAX = 30_000
/** The largest page over the thinnest line, and no longer. */
export const UPLOAD_MS_MAX = 1_800_000

export function limitBodyTimes(app: FastifyInstance, bodyMsMax = BODY_MS_MAX): void {
  app.addHook('onRequest', async (request, reply) => {
    const { headers, raw, routeOptions } = request
    const hasBody = headers['transfer-encoding'] ?? headers['content-length']
    if (hasBody === undefined) return
    // Lists and uploads of known callers have the limit of the whole server.
    const isLong = (routeOptions.bodyLimit ?? 0) > KNOWN_BODY_BYTES
    // The connection keeps the process alive while it is open: the timer must not do so after it.
    const timer = setTimeout(() => {
      if (!isLong || request.becomesKnown !== null) refuse(request, reply)
    }, bodyMsMax).unref()
    raw.once('end', () => clearTimeout(timer))
    raw.once('close', () => clearTimeout(timer))
  })
}

function refuse({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || reply.sent) return
  void reply.header('connection', 'close').send(new RequestSlow())
}
