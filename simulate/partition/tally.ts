/** Counts while a crawl runs, and the figures of it. */
import type { CrawlResult } from './crawl-rules.ts'
import type { Outboxes } from './outboxes.ts'
import type { PolitenessWatch } from './politeness-watch.ts'
import type { Workload } from './workload.ts'

export class Tally {
  /** Pages that were fetched or given up. */
  ended = 0
  readonly #workload: Workload
  readonly #loads: Float64Array
  readonly #lastS: Float64Array
  readonly #fetchedOf: Int32Array
  #fetched = 0
  #links = 0
  #remote = 0
  #rttMs = 0
  #movedPages = 0
  #to90S = 0
  #to99S = 0
  #makespanS = 0

  constructor(k: number, workload: Workload) {
    this.#workload = workload
    this.#loads = new Float64Array(k)
    this.#lastS = new Float64Array(k)
    this.#fetchedOf = new Int32Array(workload.hosts)
  }

  fetched(page: number, robot: number, { nowS, rttMs }: { nowS: number; rttMs: number }): void {
    this.ended++
    this.#fetched++
    this.#fetchedOf[this.#workload.hostOf[page]!]!++
    this.#loads[robot]!++
    this.#lastS[robot] = nowS
    this.#rttMs += rttMs
    this.#makespanS = nowS
    if (this.#fetched <= 0.9 * this.#workload.pages) this.#to90S = nowS
    if (this.#fetched <= 0.99 * this.#workload.pages) this.#to99S = nowS
  }

  failed(): void {
    this.ended++
  }

  links(all: number, remote: number): void {
    this.#links += all
    this.#remote += remote
  }

  moved(before: Int32Array, after: Int32Array): void {
    const { pageCounts } = this.#workload
    for (let host = 0; host < before.length; host++) {
      if (before[host] !== after[host])
        this.#movedPages += pageCounts[host]! - this.#fetchedOf[host]!
    }
  }

  result(watch: PolitenessWatch, { urlsSent, messages }: Outboxes): CrawlResult {
    const k = this.#loads.length
    const most = this.#loads.reduce((a, b) => Math.max(a, b))
    const idleS = this.#lastS.reduce((sum, lastS) => sum + this.#makespanS - lastS, 0)
    return {
      makespanS: this.#makespanS,
      to90S: this.#to90S,
      to99S: this.#to99S,
      fetched: this.#fetched,
      failed: this.ended - this.#fetched,
      exchangeShare: this.#links === 0 ? 0 : this.#remote / this.#links,
      urlsSent,
      messages,
      rttMs: this.#rttMs / this.#fetched,
      imbalance: (most * k) / this.#fetched - 1,
      idleTail: idleS / (k * this.#makespanS),
      hostViolations: watch.hostViolations,
      addressViolations: watch.addressViolations,
      movedShare: this.#movedPages / this.#workload.pages,
    }
  }
}
