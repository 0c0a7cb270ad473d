/**
 * What stations exchange and how long their hosts take, as the registrar receives it with every
 * renewal: the measures whose drift is a reason to reassign hosts. Counts come as totals; older
 * ones weigh ever less.
 */
import type { StationReport } from '@minga/protocol'

/** After so long a URL counts half. A crawl changes its ground within hours, a plan pays within minutes. */
const HALF_LIFE_MS = 600_000
/** Of fewer URLs the share says little: at a third, 2,000 of them are right within a tenth. */
const URLS_LEAST = 2_000

interface Totals {
  kept: number
  sent: number
}

export interface Measured {
  /** Of the URLs that were found, those that were sent to other stations. */
  exchangeShare: number | null
  /** The mean of the stations' medians. */
  latencyMs: number | null
}

export class Traffic {
  readonly #urlsLeast: number
  readonly #last = new Map<string, Totals>()
  readonly #waits = new Map<string, number>()
  #recent: Totals = { kept: 0, sent: 0 }
  #atMs = -Infinity

  constructor(urlsLeast = URLS_LEAST) {
    this.#urlsLeast = urlsLeast
  }

  hear(station: string, { exchange, waitMs }: StationReport, nowMs: number): void {
    const sent = exchange.peers.reduce((sum, peer) => sum + peer.sent, 0)
    const last = this.#last.get(station)
    const { kept } = exchange
    this.#last.set(station, { kept, sent })
    if (waitMs !== null) this.#waits.set(station, waitMs)
    // The time of counts from before its first report is unknown.
    if (last === undefined) return
    this.#fade(nowMs)
    this.#recent.kept += growth(last.kept, kept)
    this.#recent.sent += growth(last.sent, sent)
  }

  #fade(nowMs: number): void {
    const left = 0.5 ** (Math.max(0, nowMs - this.#atMs) / HALF_LIFE_MS)
    this.#recent = { kept: this.#recent.kept * left, sent: this.#recent.sent * left }
    this.#atMs = nowMs
  }

  /** `working`: the stations that have agents. One that has not said how long its hosts take leaves all open. */
  measured(working: readonly string[]): Measured {
    const { kept, sent } = this.#recent
    const waits = working.flatMap((id) => this.#waits.get(id) ?? [])
    const isWhole = waits.length === working.length && waits.length > 0
    return {
      exchangeShare: kept + sent < this.#urlsLeast ? null : sent / (kept + sent),
      latencyMs: isWhole ? waits.reduce((sum, ms) => sum + ms, 0) / waits.length : null,
    }
  }

  /** Hosts were moved: what was measured before is of another division. */
  forget(): void {
    this.#recent = { kept: 0, sent: 0 }
    this.#waits.clear()
  }
}

/** A total that is smaller than before started again at zero: the station was restarted. */
const growth = (before: number, now: number): number => (now >= before ? now - before : now)
