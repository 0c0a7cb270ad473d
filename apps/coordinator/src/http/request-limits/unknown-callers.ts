/**
 * How many requests of callers whom the station does not know yet are open at a time. Each may hold a connection, a
 * body and a place in a queue for as long as a request may take; who shows a valid credential is no longer counted.
 */
import type { FastifyInstance } from 'fastify'
import { placeOf } from './rate-limits.ts'
import { RateLimited } from '../../station/errors.ts'
import { isFromThisMachine } from './forwarded.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** To be called when it is known who calls; null from then on. */
    becomesKnown: (() => void) | null
  }
}

/** A school behind one address opens the page together, six connections each. */
const PER_ADDRESS_MAX = 256
/** A fleet that is tried out on one machine says hello together. */
const THIS_MACHINE_MAX = 2_048
/** With bodies of 64 KB each, a quarter of a gigabyte. */
const ALL_MAX = 4_096
const TRY_AGAIN_MS = 1_000

export interface OpenRequestsMax {
  perAddress: number
  thisMachine: number
  all: number
}

const MOST: OpenRequestsMax = {
  perAddress: PER_ADDRESS_MAX,
  thisMachine: THIS_MACHINE_MAX,
  all: ALL_MAX,
}

/** To be called before any other hook. */
export function limitUnknownCallers(app: FastifyInstance, most = MOST): void {
  const open = new Map<string, number>()
  let all = 0
  app.decorateRequest('becomesKnown', null)
  app.addHook('onRequest', async (request, reply) => {
    const place = placeOf(request.ip)
    const placeMost = isFromThisMachine(request) ? most.thisMachine : most.perAddress
    const here = open.get(place) ?? 0
    if (here >= placeMost || all >= most.all) {
      throw new RateLimited('requests at the same time', TRY_AGAIN_MS)
    }
    open.set(place, here + 1)
    all++
    let isCounted = true
    const leave = (): void => {
      if (!isCounted) return
      isCounted = false
      request.becomesKnown = null
      all--
      const left = open.get(place)! - 1
      if (left === 0) open.delete(place)
      else open.set(place, left)
    }
    request.becomesKnown = leave
    reply.raw.once('close', leave)
  })
}
