/**
 * How long a server rests after a page, by the product's own policies. A server is a host or an address,
 * whichever politeness is owed to.
 */
import { politeDelayMs, type PolitenessFacts } from '@minga/frontier'

export const POLITENESS = ['constant-15', 'constant-4.45', 'adjusted', 'tenfold'] as const
export type PolitenessName = (typeof POLITENESS)[number]

const POLICIES: Record<
  PolitenessName,
  { policy: Parameters<typeof politeDelayMs>[0]; delayMs: number }
> = {
  'constant-15': { policy: 'constant', delayMs: 15_000 },
  // The mean of the adjusted pause over requests, as the thesis gives it.
  'constant-4.45': { policy: 'constant', delayMs: 4_450 },
  adjusted: { policy: 'density', delayMs: 15_000 },
  tenfold: { policy: 'tenfold', delayMs: 15_000 },
}
/** The densest server's pause in the adjusted mode. */
const LEAST_MS = 1_000

export class Pauses {
  readonly #policy: (typeof POLICIES)[PolitenessName]
  readonly #pages: Float64Array
  readonly #goodAnswers: Int32Array
  readonly #facts: PolitenessFacts

  /** `pages` of every server, as far as they are known at first. */
  constructor(name: PolitenessName, pages: Float64Array) {
    this.#policy = POLICIES[name]
    this.#pages = pages
    this.#goodAnswers = new Int32Array(pages.length)
    this.#facts = {
      delayMs: this.#policy.delayMs,
      delayMinMs: Math.min(LEAST_MS, this.#policy.delayMs),
      pages: 0,
      pagesMax: pages.reduce((most, count) => Math.max(most, count), 0),
      goodAnswers: 0,
      backoffMs: 0,
      lastMs: 0,
      paceMs: 0,
      firstByteMs: 0,
    }
  }

  /** A page more is known of the server. */
  learn(server: number): void {
    const pages = ++this.#pages[server]!
    if (pages > this.#facts.pagesMax) this.#facts.pagesMax = pages
  }

  /** Seconds after an answer that took so long. */
  after(server: number, downloadS: number): number {
    const facts = this.#facts
    facts.pages = this.#pages[server]!
    facts.goodAnswers = ++this.#goodAnswers[server]!
    facts.lastMs = Math.max(1, downloadS * 1_000)
    return politeDelayMs(this.#policy.policy, facts) / 1_000
  }
}
