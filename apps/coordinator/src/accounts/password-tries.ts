/**
 * How often passwords may be guessed. Tries count by name and place, so that a guesser elsewhere does not keep the
 * owner out; all strangers of a name together are bounded, too. A browser or a place in which the password was right
 * before is no stranger: it has tries of its own, which guessers elsewhere do not use up.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { newId } from '@minga/fleet'
import { placeOf, type Allowance, type RateLimits } from '../http/request-limits/rate-limits.ts'
import type { Station } from '../station/station.ts'

const MINUTE_MS = 60_000
/** Longer than sessions last: the next log-in comes after that. */
export const KNOWN_FOR_MS = 90 * 24 * 60 * MINUTE_MS
/** Some MB. Browsers show that they are known themselves; this is for programs. */
const PLACES_MOST = 10_000

/** Of one name from one place, browser or session. */
const BY_PLACE = { what: 'this password', burst: 10, everyMs: MINUTE_MS }
/** Of one name from all strange places together: a thousand addresses guess no faster than one did before. */
const BY_STRANGERS = { what: 'this password from new places', burst: 30, everyMs: MINUTE_MS }

export interface TryOrigin {
  address: string
  /** What a browser was given when the password was right; null when it shows nothing. */
  device: string | null
}

/** A try that was counted before it was made. */
export interface CountedTry {
  /** The password was right: nothing of it counts. */
  wasRight(): void
}

export class PasswordTries {
  readonly #station: Station
  readonly #limits: RateLimits
  /** In the order of their last right password, with the time of it. */
  readonly #places = new Map<string, number>()

  constructor(station: Station, limits: RateLimits) {
    this.#station = station
    this.#limits = limits
  }

  count(name: string, { address, device }: TryOrigin): CountedTry {
    const key = name.toLowerCase()
    const place = `${key} ${placeOf(address)}`
    const known = this.#deviceOf(key, device)
    if (known !== null) return this.#take([[BY_PLACE, `${key} device ${known}`]])
    const own = [BY_PLACE, place] as const
    const isStrange = !this.#isKnown(place)
    const counted = this.#take(isStrange ? [own, [BY_STRANGERS, key]] : [own])
    return {
      wasRight: () => {
        counted.wasRight()
        this.#remember(place)
      },
    }
  }

  /** In a session, which is known by itself. */
  countInSession(name: string, session: string): CountedTry {
    return this.#take([[BY_PLACE, `${name.toLowerCase()} session ${session}`]])
  }

  #take(allowances: readonly (readonly [Allowance, string])[]): CountedTry {
    const limits = this.#limits
    const taken: (readonly [Allowance, string])[] = []
    const giveBack = (): void => {
      for (const [allowance, who] of taken) limits.giveBack(allowance, who)
    }
    try {
      for (const one of allowances) {
        limits.take(...one)
        taken.push(one)
      }
    } catch (error) {
      // What was not tried does not count.
      giveBack()
      throw error
    }
    return { wasRight: giveBack }
  }

  #isKnown(place: string): boolean {
    const at = this.#places.get(place)
    return at !== undefined && this.#station.clock.now() - at < KNOWN_FOR_MS
  }

  #remember(place: string): void {
    this.#places.delete(place)
    this.#places.set(place, this.#station.clock.now())
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= PLACES_MOST) break
      this.#places.delete(oldest)
    }
  }

  /** For a browser that showed the right password; worth nothing for another name, and no log-in. */
  deviceFor(name: string): string {
    const { clock, secrets } = this.#station
    const id = newId('browser')
    const until = clock.now() + KNOWN_FOR_MS
    return `${id}.${until}.${sign(secrets.current, { key: name.toLowerCase(), id, until })}`
  }

  /** The id of a browser that is known for this name; null of any other. */
  #deviceOf(key: string, device: string | null): string | null {
    const [, id, until, shown] = /^(\w{1,60})\.(\d{1,15})\.([\w-]{1,60})$/.exec(device ?? '') ?? []
    if (id === undefined || until === undefined || shown === undefined) return null
    const { clock, secrets } = this.#station
    const now = clock.now()
    if (Number(until) <= now) return null
    const isOurs = secrets.accepted(now).some((secret) => {
      const own = Buffer.from(sign(secret, { key, id, until: Number(until) }))
      return own.length === shown.length && timingSafeEqual(own, Buffer.from(shown))
    })
    return isOurs ? id : null
  }
}

function sign(secret: string, { key, id, until }: { key: string; id: string; until: number }) {
  return createHmac('sha256', secret).update(`known ${id} ${until} ${key}`).digest('base64url')
}
