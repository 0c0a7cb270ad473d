/**
 * What the page shows beside its cookie. A browser sends the cookie with whatever any page makes it
 * send, archived ones on another port of this machine included; a header it sends only for scripts of
 * the station's own origin. The token is made from its session: it begins and ends with it, and what
 * was planted before a log-in fits no session that the log-in opens.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const PAGE_TOKEN_HEADER = 'x-minga-token'

export class PageTokens {
  readonly #secret: string

  /** @param secret Known to this station only. */
  constructor(secret: string) {
    this.#secret = secret
  }

  of(session: string): string {
    return createHmac('sha256', this.#secret).update(`page ${session}`).digest('base64url')
  }

  /** In the same time whatever was shown. */
  isOf(session: string, shown: string): boolean {
    const [own, other] = [this.of(session), shown].map((text) => Buffer.from(text))
    return own!.length === other!.length && timingSafeEqual(own!, other!)
  }
}
