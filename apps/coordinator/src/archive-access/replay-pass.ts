/**
 * A pass to the origin of archived pages. It may have another name than the station, where a browser
 * sends neither the station's cookie nor a key; so the station's page, to whom the reader is known,
 * gives them a pass for an hour. It opens that origin and nothing else.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@minga/protocol'
import type { StationSecrets } from '../secrets/station-secrets.ts'

/** Whoever loses the right to read keeps an open tab for as long, at most. */
const GOOD_FOR_MS = 3_600_000
export const PASS_COOKIE = 'minga_pass'

export class ReplayPasses {
  readonly #secrets: StationSecrets
  readonly #clock: Clock

  constructor({ secrets, clock }: { secrets: StationSecrets; clock: Clock }) {
    this.#secrets = secrets
    this.#clock = clock
  }

  issue(): string {
    const until = this.#clock.now() + GOOD_FOR_MS
    return `${until}-${sign(this.#secrets.current, until)}`
  }

  isGood(pass: string | null): boolean {
    const [, until, signature] = /^(\d{1,15})-([\w-]+)$/.exec(pass ?? '') ?? []
    if (until === undefined || signature === undefined) return false
    const now = this.#clock.now()
    if (Number(until) < now) return false
    const shown = Buffer.from(signature)
    return this.#secrets.accepted(now).some((secret) => {
      const own = Buffer.from(sign(secret, Number(until)))
      return own.length === shown.length && timingSafeEqual(own, shown)
    })
  }
}

function sign(secret: string, until: number): string {
  return createHmac('sha256', secret).update(`replay ${until}`).digest('base64url')
}

/** As long as the pass is good; archived scripts cannot read it. */
export function passCookie(pass: string, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : ''
  return `${PASS_COOKIE}=${pass}; Path=/; Max-Age=${GOOD_FOR_MS / 1_000}; HttpOnly; SameSite=Lax${secure}`
}
