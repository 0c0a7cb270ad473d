/**
 * A pass to the origin of archived pages. It may have another name than the station, where a browser
 * sends neither the station's cookie nor a key; so the station's page, to whom the reader is known,
 * gives them a pass for an hour. It opens that origin and nothing else.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@minga/protocol'

/** Whoever loses the right to read keeps an open tab for as long, at most. */
const GOOD_FOR_MS = 3_600_000
export const PASS_COOKIE = 'minga_pass'

export class ReplayPasses {
  readonly #secret: string
  readonly #clock: Clock

  constructor({ secret, clock }: { secret: string; clock: Clock }) {
    this.#secret = secret
    this.#clock = clock
  }

  issue(): string {
    const until = this.#clock.now() + GOOD_FOR_MS
    return `${until}-${this.#sign(until)}`
  }

  isGood(pass: string | null): boolean {
    const [, until, signature] = /^(\d{1,15})-([\w-]+)$/.exec(pass ?? '') ?? []
    if (until === undefined || signature === undefined) return false
    if (Number(until) < this.#clock.now()) return false
    const [own, shown] = [this.#sign(Number(until)), signature].map((text) => Buffer.from(text))
    return own!.length === shown!.length && timingSafeEqual(own!, shown!)
  }

  #sign(until: number): string {
    return createHmac('sha256', this.#secret).update(`replay ${until}`).digest('base64url')
  }
}

/** As long as the pass is good; archived scripts cannot read it. */
export function passCookie(pass: string, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : ''
  return `${PASS_COOKIE}=${pass}; Path=/; Max-Age=${GOOD_FOR_MS / 1_000}; HttpOnly; SameSite=Lax${secure}`
}
