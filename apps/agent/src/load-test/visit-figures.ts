/** What visitors met, counted by the step in which each request went out. */
import type { FetchOutcome } from '@minga/net'
import { LatencyHistogram, type LoadError, type LoadReport } from '@minga/protocol'

interface Counts {
  requests: number
  bytes: number
  errors: Partial<Record<LoadError, number>>
  latencies: LatencyHistogram
}

type Taken = Pick<LoadReport, 'step' | 'requests' | 'bytes' | 'errors' | 'latencies'>

export class VisitFigures {
  #bySteps = new Map<number, Counts>()

  note(step: number, outcome: FetchOutcome): void {
    const counts = this.#bySteps.get(step) ?? newCounts()
    this.#bySteps.set(step, counts)
    counts.requests++
    const error = errorOf(outcome)
    if (error !== null) counts.errors[error] = (counts.errors[error] ?? 0) + 1
    // A fast error is no fast answer; one that did not come is a slow one.
    if (error === null || error === 'timeout') counts.latencies.add(outcome.totalMs)
    if (outcome.ok) counts.bytes += outcome.body.length
  }

  /** What was counted since the last time, oldest step first; at least the current one's. */
  take(current: number): Taken[] {
    const taken = new Map(this.#bySteps)
    this.#bySteps = new Map()
    if (!taken.has(current)) taken.set(current, newCounts())
    return [...taken]
      .toSorted(([a], [b]) => a - b)
      .map(([step, counts]) => ({ ...counts, step, latencies: counts.latencies.buckets() }))
  }
}

function newCounts(): Counts {
  return { requests: 0, bytes: 0, errors: {}, latencies: new LatencyHistogram() }
}

const ERROR_OF: Partial<Record<string, LoadError>> = {
  MINGA_CONNECT_REFUSED: 'refused',
  MINGA_CONNECT_TIMEOUT: 'timeout',
  MINGA_RESPONSE_TIMEOUT: 'timeout',
  MINGA_CONNECTION_LOST: 'lost',
  MINGA_TLS_FAILED: 'tls',
}

function errorOf(outcome: FetchOutcome): LoadError | null {
  if (!outcome.ok) return ERROR_OF[outcome.code] ?? 'other'
  if (outcome.status >= 500) return '5xx'
  if (outcome.status >= 400) return '4xx'
  if (outcome.truncated === 'time') return 'timeout'
  return outcome.truncated === 'disconnect' ? 'lost' : null
}
