/** What the registrar passes on: collections that have ended everywhere, and URLs that all know by now. */
import type { CollectionReport, StationReport } from '@minga/protocol'

/** A few hundred URLs are linked from everywhere; more would only cost memory. */
const HOT_MAX = 1_000

const isStirring = ({ queued, leased, outbox }: CollectionReport): boolean =>
  queued + leased + outbox > 0

export class RegistrarNews {
  /** Identities of ended collections, which are sent to stations that still have them open. */
  readonly #ended = new Set<string>()
  /** The oldest first; a URL's number says when it came. */
  readonly #hot = new Map<string, number>()
  readonly #toldHot = new Map<string, number>()
  #lastHot = 0

  /** A collection that a user started again has not ended. */
  note({ collections, hot }: StationReport): void {
    for (const report of collections) {
      if (isStirring(report)) this.#ended.delete(report.identity)
    }
    for (const url of hot) {
      if (!this.#hot.has(url)) this.#hot.set(url, ++this.#lastHot)
    }
    for (const url of this.#hot.keys()) {
      if (this.#hot.size <= HOT_MAX) break
      this.#hot.delete(url)
    }
  }

  addEnded(identities: readonly string[]): void {
    for (const identity of identities) this.#ended.add(identity)
  }

  endedIn({ collections }: StationReport): string[] {
    return collections.map(({ identity }) => identity).filter((name) => this.#ended.has(name))
  }

  /** The ones that this station has not received yet. */
  hotFor(station: string): string[] {
    const told = this.#toldHot.get(station) ?? 0
    this.#toldHot.set(station, this.#lastHot)
    return [...this.#hot].filter(([, number]) => number > told).map(([url]) => url)
  }
}
