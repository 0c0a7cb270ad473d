/**
 * The token that the page sends in addition to its cookie. A browser sends the cookie with every
 * request that any page triggers, including archived pages on another port of this machine; a
 * header it sends only for scripts of the station's own origin. The token is derived from its
 * session: it begins and ends with it, and a token planted before a login does not match any
 * session that the login opens.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Station } from '../station/station.ts'

export const PAGE_TOKEN_HEADER = 'x-minga-token'

export class PageTokens {
  readonly #station: Pick<Station, 'secrets' | 'clock'>

  constructor(station: Pick<Station, 'secrets' | 'clock'>) {
    this.#station = station
  }

  of(session: string): string {
    return tokenOf(this.#station.secrets.current, session)
  }

  /** Compares in constant time. A page that was open during a rotation stays valid. */
  isOf(session: string, shown: string): boolean {
    const { secrets, clock } = this.#station
    const other = Buffer.from(shown)
    return secrets.accepted(clock.now()).some((secret) => {
      const own = Buffer.from(tokenOf(secret, session))
      return own.length === other.length && timingSafeEqual(own, other)
    })
  }
}

function tokenOf(secret: string, session: string): string {
  return createHmac('sha256', secret).update(`page ${session}`).digest('base64url')
}
