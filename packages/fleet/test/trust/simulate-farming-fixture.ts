/**
 * A client whose own site is what is fetched, and who has friends among the volunteers: what the friends are paid, less
 * what the client pays. The site lets in friends alone, or refuses others, or has only a robots.txt, or only leads on.
 */
import type { SeededRandom } from '@minga/testkit'
import { mayBeCharged, mayBePaid, type Chargeable } from '../../src/trust/paid-opinions.ts'
import { auditProbability, canaryProbability, type Reputation } from '../../src/trust/reputation.ts'

export const FARMING_WAYS = [
  'complaints',
  'failures',
  'refusals',
  'robots',
  'redirects',
  'pages',
] as const
export type FarmingWay = (typeof FARMING_WAYS)[number]

/** Whose result it is. */
export interface FarmedSubject {
  readonly reputation: Reputation
  readonly isProven: boolean
  /** Whether a friend of the client is drawn to look again. */
  readonly isFriendDrawn: (kind: 'audit' | 'complaint', draws: number) => boolean
}

/** What a client pays for a page, of which its volunteer gets the second, and the deposit of a complaint. An audit is paid
 * as a page is. All at the usual prices. */
const PRICE_MICROS = 1_000
const PAY_MICROS = 700
const DEPOSIT_MICROS = 1_000
/** Afterwards one of the station's own devices is drawn. */
const FREE_DRAWS = 2

const SHOWN = 200
const OF_PAGE = { isRobots: false }

export class Farming {
  readonly micros: Record<FarmingWay, number> = {
    complaints: 0,
    failures: 0,
    refusals: 0,
    robots: 0,
    redirects: 0,
    pages: 0,
  }
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  /** One request in each of the ways. */
  play({ friend, outsider }: { friend: FarmedSubject; outsider: FarmedSubject }): void {
    const { micros } = this
    micros.complaints -= DEPOSIT_MICROS
    if (friend.isFriendDrawn('complaint', 0)) micros.complaints += PAY_MICROS
    // What ends a request is always audited.
    micros.failures += this.#payOfOpinion(outsider, { ...OF_PAGE, status: 0 })
    micros.refusals += this.#payOfOpinion(outsider, { ...OF_PAGE, status: 403 })
    micros.robots += this.#payBeside(friend, { isRobots: true, status: SHOWN })
    micros.redirects += this.#payBeside(friend, { ...OF_PAGE, status: 302 })
    micros.pages += PAY_MICROS - PRICE_MICROS
    micros.pages += this.#payBeside(friend, { ...OF_PAGE, status: SHOWN })
  }

  /** What its audit and its canary bring to friends, if there are any. */
  #payBeside(friend: FarmedSubject, result: Chargeable): number {
    const { reputation, isProven } = friend
    const isAudited =
      (result.isRobots && !isProven) || this.#random.chance(auditProbability(reputation))
    const opinion = isAudited ? this.#payOfOpinion(friend, result) : 0
    const isTested =
      mayBeCharged(result) && this.#random.chance(canaryProbability(reputation, true))
    return opinion + (isTested ? PAY_MICROS : 0)
  }

  /**
   * The site lets in only friends: any other auditor that is drawn cannot fetch it and is replaced.
   */
  #payOfOpinion(subject: FarmedSubject, result: Chargeable): number {
    for (let draws = 0; draws < FREE_DRAWS; draws++) {
      if (subject.isFriendDrawn('audit', draws)) {
        return mayBePaid(result, { status: SHOWN }) ? PAY_MICROS : 0
      }
    }
    return 0
  }
}
