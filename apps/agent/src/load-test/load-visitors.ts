/**
 * The visitors that this machine plays: each asks for a page, waits for the answer, thinks, and
 * asks for the next one. GET only, one host, one address, and no redirect is followed.
 */
import type { FetchOutcome, FetchRequest } from '@minga/net'
import type { Clock, LoadOrder, LoadPart } from '@minga/protocol'
import type { LeasedRequest } from '../fetch/leased-request.ts'
import type { OwnerHooks } from '../owner/owner-hooks.ts'
import { Pace } from './pace.ts'
import { VisitFigures } from './visit-figures.ts'

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
