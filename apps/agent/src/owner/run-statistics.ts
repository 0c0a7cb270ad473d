/** What a volunteer's agent does and has done since it started, for its owner and for the tuning. */
import type { FetchOutcome } from '@minga/net'
import type { Clock } from '@minga/protocol'
import type { AgentView } from './control.ts'
import type { LeasedRequest } from '../fetch/leased-request.ts'
import type { Window } from '../fetch/tuning.ts'

/** A request's own line, its headers and the answer's status line, about; what TCP and TLS add is not seen. */
const ENVELOPE_BYTES = 400

/** Failures of requests that never left this machine. */
const UNDIALLED = new Set([
  'MINGA_ADDRESS_REFUSED',
  'MINGA_REQUEST_INVALID',
  'MINGA_VOLUNTEER_REFUSED',
])

/** Of what came over the line as far as a program can tell: body and headers as received. */
function wireBytesOf(outcome: FetchOutcome): number {
  if (!outcome.ok) return UNDIALLED.has(outcome.code) ? 0 : ENVELOPE_BYTES
  let bytes = ENVELOPE_BYTES + outcome.body.length
  for (const [name, value] of outcome.rawHeaders) bytes += name.length + value.length + 4
  return bytes
}

/** Failures that too many requests at once can bring about. */
const OF_THE_LINE = new Set([
  'MINGA_CONNECT_TIMEOUT',
  'MINGA_RESPONSE_TIMEOUT',
  'MINGA_CONNECTION_LOST',
])

const NO_COUNTS = { completed: 0, failed: 0, bytes: 0, laneMs: 0, late: 0 }

export class RunStatistics {
  readonly requests = { captured: 0, failed: 0, returned: 0 }
  readonly bytes = { down: 0, up: 0 }
  readonly #clock: Clock
  readonly #inFlight = new Map<LeasedRequest, number>()
  #window = { ...NO_COUNTS }
  #windowFromMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#windowFromMs = clock.monotonicMs()
  }

  began(leased: LeasedRequest): void {
    this.#inFlight.set(leased, this.#clock.monotonicMs())
  }

  /** Returns the bytes that it took; null when it was cancelled, of which nothing is written down. */
  ended(leased: LeasedRequest, outcome: FetchOutcome): number | null {
    const beganAtMs = this.#inFlight.get(leased)
    this.#inFlight.delete(leased)
    if (beganAtMs !== undefined) this.#countLane(beganAtMs)
    // Cancelled: given back, or given up by us. It says nothing of the line.
    if (!outcome.ok && outcome.code === 'MINGA_CANCELLED') return null
    const bytes = wireBytesOf(outcome)
    this.bytes.down += bytes
    this.#window.bytes += bytes
    this.requests[outcome.ok ? 'captured' : 'failed']++
    const isOfTheLine = !outcome.ok && OF_THE_LINE.has(outcome.code)
    this.#window[isOfTheLine ? 'failed' : 'completed']++
    return bytes
  }

  #countLane(beganAtMs: number): void {
    this.#window.laneMs += this.#clock.monotonicMs() - Math.max(beganAtMs, this.#windowFromMs)
  }

  gaveBack(isLate: boolean): void {
    this.requests.returned++
    if (isLate) this.#window.late++
  }

  get inFlight(): AgentView['inFlight'] {
    const nowMs = this.#clock.monotonicMs()
    return [...this.#inFlight].map(([{ request }, beganAtMs]) => ({
      url: request.url,
      sinceMs: Math.round(nowMs - beganAtMs),
    }))
  }

  /** What happened since the last window was taken. */
  window(): Omit<Window, 'isOutOfWork'> {
    const nowMs = this.#clock.monotonicMs()
    let { laneMs } = this.#window
    // Requests that are under way have used their lanes as well.
    for (const beganAtMs of this.#inFlight.values()) {
      laneMs += nowMs - Math.max(beganAtMs, this.#windowFromMs)
    }
    return { ...this.#window, laneMs, ms: nowMs - this.#windowFromMs }
  }

  nextWindow(): void {
    this.#window = { ...NO_COUNTS }
    this.#windowFromMs = this.#clock.monotonicMs()
  }
}
