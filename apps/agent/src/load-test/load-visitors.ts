/**
 * The visitors that this machine plays: each asks for a page, waits for the answer, thinks, and
 * asks for the next one. GET only, one host, one address, and no redirect is followed.
 */
import type { FetchOutcome, FetchRequest } from '@minga/net'
import {
  LatencyHistogram,
  type Clock,
  type LoadError,
  type LoadOrder,
  type LoadPart,
  type LoadReport,
} from '@minga/protocol'
import type { LeasedRequest } from '../fetch/leased-request.ts'
import type { OwnerHooks } from '../owner/owner-hooks.ts'

interface Counts {
  requests: number
  bytes: number
  errors: Partial<Record<LoadError, number>>
  latencies: LatencyHistogram
}

type Taken = Pick<LoadReport, 'step' | 'requests' | 'bytes' | 'errors' | 'latencies'>

/** What visitors met, counted by the step in which each request went out. */
class VisitFigures {
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

/** Requests bunch up a little on their way: a tenth below the ceiling keeps every second below it. */
const MARGIN = 0.9
const SECOND_MS = 1_000

/** Requests per second as moments that are given out one after the other, never two together. */
class Pace {
  readonly #clock: Clock
  #perSecond = 0
  #nextAtMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  set(perSecond: number): void {
    this.#perSecond = perSecond
  }

  /** Resolves at this caller's moment, or when the signal aborts. */
  async turn(signal: AbortSignal): Promise<void> {
    while (this.#perSecond <= 0 && !signal.aborted) await this.#clock.sleep(SECOND_MS / 10, signal)
    const atMs = Math.max(this.#clock.monotonicMs(), this.#nextAtMs)
    this.#nextAtMs = atMs + SECOND_MS / (this.#perSecond * MARGIN)
    // A timer may fire a millisecond early.
    for (;;) {
      const leftMs = atMs - this.#clock.monotonicMs()
      if (leftMs <= 0 || signal.aborted) return
      await this.#clock.sleep(Math.ceil(leftMs), signal)
    }
  }
}

export interface VisitorTools {
  clock: Clock
  fetch: (request: FetchRequest) => Promise<FetchOutcome>
  /** A number from 0 up to, not including, 1. */
  random: () => number
  ownerHooks?: OwnerHooks
  /** Asked immediately before every dial. */
  mayDial: () => boolean
  /** What may still come in is used up. */
  onFull: () => void
}

/** How long a request may wait for its turn within the owner's limits, before it is left out. */
const TURN_MS = 10_000

export class LoadVisitors {
  readonly figures = new VisitFigures()
  readonly #part: LoadPart
  readonly #tools: VisitorTools
  readonly #stop: AbortSignal
  readonly #pace: Pace
  readonly #here = new Map<number, Promise<void>>()
  #wanted = 0
  #step: number
  #bytesLeft: number

  constructor(part: LoadPart, tools: VisitorTools, stop: AbortSignal) {
    this.#part = part
    this.#tools = tools
    this.#stop = stop
    this.#pace = new Pace(tools.clock)
    this.#step = part.step
    this.#bytesLeft = part.bytesLeft
  }

  get step(): number {
    return this.#step
  }

  obey({ step, visitors, requestsPerSecond, bytesLeft }: LoadOrder): void {
    this.#step = step
    this.#wanted = visitors
    this.#bytesLeft = bytesLeft
    this.#pace.set(requestsPerSecond)
    for (let no = 0; no < visitors; no++) {
      if (this.#here.has(no)) continue
      const visit = this.#visit(no).finally(() => this.#here.delete(no))
      this.#here.set(no, visit)
    }
  }

  async gone(): Promise<void> {
    await Promise.all(this.#here.values())
  }

  async #visit(no: number): Promise<void> {
    const { clock, random } = this.#tools
    const { urls, thinkMs } = this.#part
    // Not all at once: people do not come in step.
    await clock.sleep(random() * thinkMs, this.#stop)
    for (let page = no; no < this.#wanted && !this.#stop.aborted; page++) {
      await this.#ask(urls[page % urls.length]!)
      await clock.sleep(thinkMs, this.#stop)
    }
  }

  async #ask(url: string): Promise<void> {
    const { clock, ownerHooks, mayDial, onFull } = this.#tools
    await this.#pace.turn(this.#stop)
    const turn = {
      deadlineMs: clock.monotonicMs() + TURN_MS,
      signal: this.#stop,
      isWanted: mayDial,
    }
    if (ownerHooks && !(await ownerHooks.turn(turn))) return
    if (!mayDial()) return
    const step = this.#step
    const leased = leasedRequestFor(url)
    const { address } = this.#part
    const fetching = this.#tools.fetch({ url, address, signal: this.#stop, mayStart: mayDial })
    ownerHooks?.began(leased)
    const outcome = await fetching
    ownerHooks?.ended(leased, outcome)
    if (!outcome.ok && outcome.code === 'MINGA_CANCELLED') return
    this.figures.note(step, outcome)
    if (outcome.ok) this.#bytesLeft -= outcome.body.length
    if (this.#bytesLeft <= 0) onFull()
  }
}

/** For the owner's log: it is a request like any other, of no block. */
function leasedRequestFor(url: string): LeasedRequest {
  const request = {
    hash: 0,
    url,
    kind: 'document' as const,
    hops: 0,
    depth: 0,
    via: null,
    previous: null,
  }
  return { fence: 0, hostId: 0, collectionId: 0, request }
}
