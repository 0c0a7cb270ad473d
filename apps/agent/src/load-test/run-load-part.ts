/**
 * This machine's part of a load test, from the station's word to the last report. It stops when the
 * station says so, when the station is silent for too long (whatever became of it), when a ceiling
 * is reached, and when the owner or the agent wants to.
 */
import { isIP } from 'node:net'
import { hostKeyOf, type Fetcher } from '@minga/net'
import {
  LOAD_DEAD_MAN_MS,
  LOAD_MOST,
  LOAD_REPORT_EVERY_MS,
  type Clock,
  type LoadOrder,
  type LoadPart,
  type LoadReport,
} from '@minga/protocol'
import { StationRefused, StationUnreachable } from '../errors.ts'
import type { OwnerHooks } from '../owner/owner-hooks.ts'
import { LoadVisitors } from './load-visitors.ts'

export interface LoadPartTools {
  clock: Clock
  /** A number from 0 up to, not including, 1. */
  random: () => number
  isAbandoned: () => boolean
  /** Whether this machine takes part in load tests at all. */
  isAllowed: boolean
  ownerHooks?: OwnerHooks
  /** Connections of its own: those of a test say nothing about other work. */
  openFetcher: (part: LoadPart) => Fetcher
  report: (test: string, report: LoadReport, signal: AbortSignal) => Promise<LoadOrder>
}

/** How often the last report is tried: the station finds out by our silence too. */
const LAST_TRIES = 3

export async function runLoadPart(
  tools: LoadPartTools,
  part: LoadPart,
  signal: AbortSignal,
): Promise<void> {
  const run = new PartRun(tools, part)
  const refusal = partRefusal(part) ?? ownersRefusal(tools, part)
  if (refusal !== null) return run.leave(refusal)
  signal.addEventListener('abort', run.stopSoon, { once: true })
  try {
    await run.untilStopped()
  } finally {
    signal.removeEventListener('abort', run.stopSoon)
  }
}

function ownersRefusal(
  { isAllowed, ownerHooks }: LoadPartTools,
  { urls }: LoadPart,
): string | null {
  if (!isAllowed) return 'Its owner has not allowed load tests (minga agent join --load-tests).'
  return urls.some((url) => ownerHooks?.refuses(url))
    ? 'The owner of this machine never visits this host.'
    : null
}

class PartRun {
  readonly #tools: LoadPartTools
  readonly #part: LoadPart
  readonly #over = new AbortController()
  readonly #startedAtMs: number
  #reason: string | null = null
  #heard: { atMs: number; wallMs: number }
  #no = 0
  /** Reports that the station has not answered yet: sent again as they are, so that it counts them once. */
  #unsent: LoadReport[] = []

  constructor(tools: LoadPartTools, part: LoadPart) {
    this.#tools = tools
    this.#part = part
    this.#startedAtMs = tools.clock.monotonicMs()
    this.#heard = { atMs: this.#startedAtMs, wallMs: tools.clock.now() }
  }

  readonly stopSoon = (): void => this.#stop('The agent is stopping.')

  #stop(reason: string | null): void {
    this.#reason ??= reason
    this.#over.abort()
  }

  async untilStopped(): Promise<void> {
    const { clock, random, ownerHooks } = this.#tools
    const fetcher = this.#tools.openFetcher(this.#part)
    const visitors = new LoadVisitors(
      this.#part,
      {
        clock,
        random,
        ...(ownerHooks ? { ownerHooks } : {}),
        fetch: (request) => fetcher.fetch(request),
        mayDial: () => this.#mayDial(),
        onFull: () => this.#stop('The ceiling of bytes is reached.'),
      },
      this.#over.signal,
    )
    visitors.obey({ ...bounded({ ...this.#part, goOn: true }) })
    const watching = this.#watch()
    while (!this.#over.signal.aborted) {
      await this.#reportOnce(visitors)
      await clock.sleep(LOAD_REPORT_EVERY_MS, this.#over.signal)
    }
    await Promise.all([visitors.gone(), watching])
    await fetcher.close()
    this.#collect(visitors)
    await this.leave(this.#reason)
  }

  /** Both clocks: a suspended machine's monotonic one may have stood still. */
  #mayDial(): boolean {
    const { clock, isAbandoned, ownerHooks } = this.#tools
    return (
      !this.#over.signal.aborted &&
      clock.monotonicMs() - this.#heard.atMs < LOAD_DEAD_MAN_MS &&
      clock.now() - this.#heard.wallMs < LOAD_DEAD_MAN_MS &&
      !isAbandoned() &&
      !ownerHooks?.isPaused()
    )
  }

  /** Looks often, and is not held up by a call that hangs. */
  async #watch(): Promise<void> {
    const { clock, ownerHooks } = this.#tools
    while (!this.#over.signal.aborted) {
      await clock.sleep(LOAD_REPORT_EVERY_MS / 4, this.#over.signal)
      const nowMs = clock.monotonicMs()
      if (nowMs - this.#heard.atMs >= LOAD_DEAD_MAN_MS) this.#stop('The station was silent.')
      if (nowMs - this.#startedAtMs >= this.#part.durationMsMax) this.#stop('Its time was over.')
      if (ownerHooks?.isPaused()) this.#stop('The owner of this machine has paused it.')
    }
  }

  #collect(visitors: LoadVisitors): void {
    for (const taken of visitors.figures.take(visitors.step)) {
      this.#unsent.push({ ...taken, no: ++this.#no, hasStopped: false, reason: null })
    }
  }

  async #reportOnce(visitors: LoadVisitors): Promise<void> {
    const { clock, report } = this.#tools
    this.#collect(visitors)
    try {
      for (const next of this.#unsent.slice()) {
        const [atMs, wallMs] = [clock.monotonicMs(), clock.now()]
        const order = await report(this.#part.test, next, this.#over.signal)
        this.#unsent.shift()
        this.#heard = { atMs, wallMs }
        if (!order.goOn) return this.#stop(null)
        const most = this.#tools.ownerHooks?.concurrencyMax ?? Infinity
        // Fewer than ordered would be measured as if they were all: others shall play them.
        if (order.visitors > most) {
          return this.#stop(`Its owner allows ${most} requests in flight, no ${order.visitors}.`)
        }
        visitors.obey(bounded(order))
      }
    } catch (error) {
      if (error instanceof StationRefused) this.#stop('The station refused a report.')
      else if (!(error instanceof StationUnreachable)) throw error
    }
  }

  /** Says what is still unsaid, and that nothing is under way any more. */
  async leave(reason: string | null): Promise<void> {
    const { clock, report } = this.#tools
    const last = this.#unsent.pop() ?? NOTHING
    this.#unsent.push({ ...last, no: Math.max(1, this.#no), hasStopped: true, reason })
    const late = AbortSignal.timeout(LOAD_DEAD_MAN_MS)
    for (let tries = 0; tries < LAST_TRIES && this.#unsent.length > 0; tries++) {
      try {
        for (const next of this.#unsent.slice()) {
          await report(this.#part.test, next, late)
          this.#unsent.shift()
        }
      } catch (error) {
        if (error instanceof StationRefused) return
        if (!(error instanceof StationUnreachable)) throw error
        await clock.sleep(LOAD_REPORT_EVERY_MS, late)
      }
    }
  }
}

const NOTHING = {
  no: 0,
  step: 0,
  requests: 0,
  bytes: 0,
  errors: {},
  latencies: [],
  hasStopped: true,
  reason: null,
} satisfies LoadReport

/**
 * Why the part is not begun, as a sentence; null when it may be. In addition, the address guard
 * checks every request.
 */
function partRefusal(part: LoadPart): string | null {
  const hosts = new Set(part.urls.map(hostOf))
  const [host] = hosts
  if (hosts.size !== 1 || host === null) return 'Its addresses are not all on one host.'
  if (part.urls.length > LOAD_MOST.urls) return `It has more than ${LOAD_MOST.urls} addresses.`
  if (isIP(part.address) === 0) return 'It names no IP address to dial.'
  if (!(part.durationMsMax > 0 && part.durationMsMax <= LOAD_MOST.durationMs)) {
    return `It lasts longer than ${LOAD_MOST.durationMs / 1_000} s.`
  }
  return null
}

function hostOf(text: string): string | null {
  const url = URL.parse(text)
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
  return isPlain ? hostKeyOf(text) : null
}

/** An order within what any machine ever does. */
function bounded(order: LoadOrder): LoadOrder {
  return {
    ...order,
    visitors: Math.floor(within(order.visitors, LOAD_MOST.visitors)),
    requestsPerSecond: within(order.requestsPerSecond, LOAD_MOST.requestsPerSecond),
    bytesLeft: within(order.bytesLeft, LOAD_MOST.bytes),
  }
}

function within(value: number, most: number): number {
  return value > 0 ? Math.min(value, most) : 0
}
