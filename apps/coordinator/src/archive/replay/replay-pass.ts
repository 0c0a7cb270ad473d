/**
 * A pass to the archived pages of one collection. Their origin has another name than the station, where a browser
 * sends neither the station's cookie nor a key; so the station's page, to which the reader is known, gives them a pass
 * for an hour. It opens the index and the records of that collection and nothing else.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Station } from '../../station/station.ts'

/** A reader who loses the right to read keeps an open tab for as long, at most. */
const GOOD_FOR_MS = 3_600_000
export const PASS_COOKIE = 'minga_pass'

export class ReplayPasses {
  readonly #station: Station

  constructor(station: Station) {
    this.#station = station
  }

  issue(collectionId: number): string {
    const until = this.#station.clock.now() + GOOD_FOR_MS
    return `${collectionId}-${until}-${sign(this.#station.secrets.current, collectionId, until)}`
  }

  /** The collection that a pass opens; null when it opens none. */
  collectionOf(pass: string | null): number | null {
    const [, collection, until, signature] =
      /^(\d{1,15})-(\d{1,15})-([\w-]+)$/.exec(pass ?? '') ?? []
    if (collection === undefined || until === undefined || signature === undefined) return null
    const now = this.#station.clock.now()
    if (Number(until) < now) return null
    const shown = Buffer.from(signature)
    const isGood = this.#station.secrets.accepted(now).some((secret) => {
      const own = Buffer.from(sign(secret, Number(collection), Number(until)))
      return own.length === shown.length && timingSafeEqual(own, shown)
    })
    return isGood ? Number(collection) : null
  }
}

function sign(secret: string, collectionId: number, until: number): string {
  return createHmac('sha256', secret).update(`replay ${collectionId} ${until}`).digest('base64url')
}

/**
 * As long as the pass is good; archived scripts cannot read it. The page of the station, a site of another name, shows
 * captures in a frame: only a partitioned cookie reaches them there, and other sites get none of it. Where browsers
 * refuse such cookies, without TLS on another machine, no frame works either.
 */
export function passCookie(pass: string, isTrustworthy: boolean): string {
  const reach = isTrustworthy ? 'SameSite=None; Secure; Partitioned' : 'SameSite=Lax'
  return `${PASS_COOKIE}=${pass}; Path=/; Max-Age=${GOOD_FOR_MS / 1_000}; HttpOnly; ${reach}`
}
