/** When a site must be left alone at once, whatever the plan says. */
import { LatencyHistogram, type LoadReport } from '@minga/protocol'
import type { LoadCeilings } from './plan.ts'
import { addErrors, errorCountOf, type ErrorCounts } from './step-figures.ts'

/** Long enough that one slow answer is not a trend, short enough to spare the site. */
const WINDOW_MS = 3_000
/** Fewer requests say nothing about a share of them. */
const REQUESTS_MIN = 20

export type Figures = Pick<LoadReport, 'requests' | 'bytes' | 'errors' | 'latencies'>

export interface WindowView {
  requests: number
  perSecond: number
  errorRate: number
  p95Ms: number | null
}

/** What was heard in the last seconds, of all machines together. */
export class StopWindow {
  #heard: { atMs: number; figures: Figures }[] = []

  add(figures: Figures, atMs: number): void {
    this.#heard.push({ atMs, figures })
  }

  clear(): void {
    this.#heard = []
  }

  view(atMs: number): WindowView {
    this.#heard = this.#heard.filter((report) => report.atMs > atMs - WINDOW_MS)
    const latencies = new LatencyHistogram()
    const errors: ErrorCounts = {}
    let requests = 0
    for (const { figures } of this.#heard) {
      latencies.merge(figures.latencies)
      addErrors(errors, figures.errors)
      requests += figures.requests
    }
    return {
      requests,
      perSecond: (requests * 1_000) / WINDOW_MS,
      errorRate: requests === 0 ? 0 : errorCountOf(errors) / requests,
      p95Ms: latencies.quantile(0.95),
    }
  }
}

/** Why the test must stop, as a sentence; null when it may go on. */
export function stopReason(
  { requests, errorRate, p95Ms }: WindowView,
  ceilings: LoadCeilings,
): string | null {
  if (requests < REQUESTS_MIN) return null
  if (errorRate > ceilings.errorRate) {
    return `${percent(errorRate)} of the requests failed, more than the ceiling of ${percent(ceilings.errorRate)}.`
  }
  if (p95Ms !== null && p95Ms > ceilings.p95Ms) {
    return `5 % of the answers took longer than ${Math.round(p95Ms)} ms, the ceiling is ${ceilings.p95Ms} ms.`
  }
  return null
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
