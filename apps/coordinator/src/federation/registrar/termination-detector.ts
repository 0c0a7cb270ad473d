/**
 * When a collection that stations gather together has ended. A round is a report of every station,
 * each made after the round before was complete. It is quiet when no station has anything queued,
 * in progress or on its way. After two quiet rounds, with nothing arrived in between, there was a
 * moment at which no station had anything left: a station that was idle in the first and got
 * nothing stayed idle until the second.
 */
import type { CollectionReport } from '@minga/protocol'

export interface RoundReport {
  collections: readonly CollectionReport[]
  /** Something is on its way that no collection counts. */
  isBusy: boolean
}

export class TerminationDetector {
  /**
   * Sent with every answer; a report names the latest one that its station had received when it was
   * made.
   */
  round = 1
  /** Of the round that is under way. */
  #reports = new Map<string, RoundReport>()
  /** What had arrived, by identity and station, in the round before, of collections that were quiet. */
  #quiet = new Map<string, Map<string, number>>()

  note(station: string, report: RoundReport, round: number): void {
    if (round === this.round) this.#reports.set(station, report)
  }

  /** Reports from before a station joined or left do not count. */
  reset(): void {
    this.#begin(new Map())
  }

  /** Identities that have ended; empty while the round is not complete. */
  finish(stations: readonly string[]): string[] {
    if (!stations.every((id) => this.#reports.has(id))) return []
    const quiet = quietIn(stations.map((id) => [id, this.#reports.get(id)!]))
    const before = this.#quiet
    this.#begin(quiet)
    const ended = [...quiet].filter(([name, arrived]) => isSame(arrived, before.get(name)))
    return ended.map(([name]) => name)
  }

  #begin(quiet: Map<string, Map<string, number>>): void {
    this.round++
    this.#reports = new Map()
    this.#quiet = quiet
  }
}

function quietIn(round: readonly [string, RoundReport][]): Map<string, Map<string, number>> {
  const quiet = new Map<string, Map<string, number>>()
  if (round.some(([, { isBusy }]) => isBusy)) return quiet
  const stirring = new Set<string>()
  for (const [station, { collections }] of round) {
    for (const { identity, queued, leased, outbox, arrived } of collections) {
      if (queued + leased + outbox > 0) stirring.add(identity)
      const counts = quiet.get(identity) ?? new Map<string, number>()
      quiet.set(identity, counts.set(station, arrived))
    }
  }
  for (const identity of stirring) quiet.delete(identity)
  return quiet
}

function isSame(now: ReadonlyMap<string, number>, before?: ReadonlyMap<string, number>): boolean {
  if (before === undefined || before.size !== now.size) return false
  return [...now].every(([station, arrived]) => before.get(station) === arrived)
}
