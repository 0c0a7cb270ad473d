/**
 * How many requests a minute each address, account, key and costly route has. By its address a caller is counted until
 * the station knows who it is, so that guessing keys costs as much as any other request.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { placeOf } from './rate-limits.ts'
import type { LiveSettings } from '../../station/settings/live-settings.ts'
import { isFromThisMachine } from './forwarded.ts'
import type { Rate, SharedRates } from './shared-rates.ts'

/** Who a request turned out to be from. */
export interface KnownCaller {
  /** An account or a device. */
  account: string
  /** The key or session that was shown; null where there is one for each account. */
  credential: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the station knows the caller, and for its own processes. */
    knownAs: KnownCaller | null
  }
}

export interface RatesParts {
  rates: SharedRates
  settings: Pick<LiveSettings, 'current'>
}

/** The operator and programs of this machine could as well stop the station: the limit only ends what runs wild. */
const THIS_MACHINE_TIMES = 100

/** Each starts a process, reads much of the archive or writes a large file. */
const COSTLY: ReadonlySet<string> = new Set([
  'GET /api/archive/collections/:id/wacz',
  'POST /api/collections/preview',
  'POST /api/inputs/look',
  'POST /api/queries',
  'POST /api/queries/explain',
  'POST /api/sql',
  'POST /api/tables/preview',
  'POST /api/wikis/:wiki/query',
])

/** To be called before the hooks that authenticate are added. */
export function limitRates(app: FastifyInstance, { rates, settings }: RatesParts): void {
  const rate = (request: FastifyRequest, what: string, most: number | null): Rate => {
    if (most === null || !isFromThisMachine(request)) return { what, most }
    return { what: `${what} on this machine`, most: most * THIS_MACHINE_TIMES }
  }
  const addressRate = (request: FastifyRequest) =>
    rate(request, 'requests without a key', settings.current().addressRequestsMax)
  app.decorateRequest('knownAs', null)
  app.addHook('onRequest', async (request) => {
    await rates.take(addressRate(request), placeOf(request.ip))
  })
  // After all that authenticate, before the body is read.
  app.addHook('preParsing', async (request) => {
    const { accountRequestsMax, keyRequestsMax, routeRequestsMax } = settings.current()
    const { knownAs, routeOptions } = request
    if (knownAs !== null) {
      rates.giveBack(addressRate(request), placeOf(request.ip))
      if (knownAs.credential !== null) {
        await rates.take(
          rate(request, 'requests with this key', keyRequestsMax),
          knownAs.credential,
        )
      }
      await rates.take(rate(request, 'requests', accountRequestsMax), knownAs.account)
    }
    const route = `${request.method} ${routeOptions.url}`
    if (!COSTLY.has(route)) return
    const who = knownAs?.account ?? placeOf(request.ip)
    await rates.take(rate(request, route, routeRequestsMax), who)
  })
}
