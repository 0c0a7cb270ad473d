/**
 * Step 4: one host's requests, in their order, `threads` at a time and one at a time wherever there
 * is a delay, which is waited out after the end of each response. Whatever may not be dialled any
 * more is given back.
 */
import { fetchFailure, type FetchOutcome } from '@minga/net'
import { faultPoint, type BlockRequest, type HostBlock, type RefusedLogIn } from '@minga/protocol'
import { logInFor } from '@minga/wiki/log-in'
import { errandOf, type Errand } from './errand.ts'
import type { Hand } from './hand.ts'
import type { Place } from './turnstile.ts'
import type { Asked, LogInFailure, Undialled } from './wiki-session.ts'

/** One host's requests in a block, and what its threads share. */
export interface Group {
  fence: number
  host: HostBlock
  left: ArrayIterator<BlockRequest>
  /** Whether the host may be asked again in this block. */
  goOn: boolean
}

export function groupOf(fence: number, host: HostBlock): Group {
  return { fence, host, left: host.requests.values(), goOn: true }
}

/** What any agent has in flight at one host, whatever its station says. */
export const THREADS_PER_HOST_MAX = 16

export async function fetchHost(hand: Hand, group: Group): Promise<void> {
  const { host } = group
  const { hostFloor } = hand.machine
  const isSpaced = host.delayMs > 0 || host.bytesPerSecond !== null || hostFloor !== undefined
  const threads = isSpaced ? 1 : Math.min(host.threads, THREADS_PER_HOST_MAX)
  await Promise.all(Array.from({ length: threads }, () => runThread(hand, group)))
}

/** Whatever no thread has taken up yet: it need not wait for a response that is in the air. */
export function giveBackRest(hand: Hand, group: Group): void {
  group.goOn = false
  const { fence, host, left } = group
  for (const request of left) giveBack(hand, errandOf(fence, host, request))
}

async function runThread(hand: Hand, group: Group): Promise<void> {
  const { fence, host, left } = group
  const lane = new Lane(hand, group)
  for (const request of left) {
    const errand = errandOf(fence, host, request)
    const isWanted = group.goOn && !hand.machine.lending?.refuses(request.url)
    const goOn = isWanted ? await fetchOne(lane, errand) : giveBack(hand, errand)
    if (isWanted) group.goOn &&= goOn
  }
  await lane.end()
}

/** One thread's way to its host: its place among all lanes, and when the host may be asked again. */
class Lane {
  readonly hand: Hand
  readonly host: HostBlock
  /** Requests that went out and came to an end. */
  dialled = 0
  readonly #place: Place
  #restUntilMs = 0

  constructor(hand: Hand, { host }: Group) {
    this.hand = hand
    this.host = host
    this.#place = hand.turnstile.place()
  }

  /** One request, when the host has rested and there is room for its answer. */
  async dial(errand: Errand, asked: Asked): Promise<FetchOutcome | Undialled> {
    const { hand } = this
    const { address } = this.host
    const { clock, fetcher, lending, hostFloor } = hand.machine
    let hasTurn: boolean
    do {
      if (!(await this.#ready(asked.url))) return 'halted'
      await hand.roomForResults()
      hasTurn = await hand.turn(errand.fence)
      // Another lane to the same machine may have been quicker.
    } while (hasTurn && this.#floorMs(asked.url) > 0)
    faultPoint('agent:before-dial')
    // Nothing may come between this question and the dial: a pause there would go unnoticed.
    if (!hasTurn || !hand.mayDial(errand.fence)) return hand.halt.aborted ? 'halted' : 'late'
    const signal = hand.signalOf(errand.fence)
    const fetching = fetcher.fetch({
      ...asked,
      address,
      mayStart: () => hand.mayDial(errand.fence),
      ...(signal ? { signal } : {}),
    })
    hostFloor?.began(asked.url, address)
    lending?.began(errand)
    const outcome = await fetching
    hostFloor?.ended(asked.url)
    lending?.ended(errand, outcome)
    if (!isCancelled(outcome)) this.dialled++
    this.#restUntilMs = clock.monotonicMs() + restMs(this.host, outcome)
    return outcome
  }

  /** An outcome without a dial, which the owner's log shows as well. */
  refuse(errand: Errand, reason: string): FetchOutcome {
    const { clock, lending } = this.hand.machine
    const where = { address: this.host.address, startedAt: clock.now(), totalMs: 0 }
    const outcome = fetchFailure('MINGA_VOLUNTEER_REFUSED', reason, where)
    lending?.began(errand)
    lending?.ended(errand, outcome)
    return outcome
  }

  #floorMs(url: string): number {
    return this.hand.machine.hostFloor?.waitMs(url, this.host.address) ?? 0
  }

  async #ready(url: string): Promise<boolean> {
    const { hand } = this
    const nowMs = hand.machine.clock.monotonicMs()
    const untilMs = Math.max(this.#restUntilMs, nowMs + this.#floorMs(url))
    // A lane that need not rest keeps its place: hosts then end one after the other and are free
    // for new work, instead of all together at the end of a block.
    if (untilMs > nowMs) this.#place.leave()
    await restUntil(hand, untilMs, hand.halt)
    return !hand.halt.aborted && (await this.#place.enter())
  }

  /** The lane ends with the host rested, so that another lane may begin at once. */
  async end(): Promise<void> {
    this.#place.leave()
    await restUntil(this.hand, this.#restUntilMs, this.hand.signal)
  }
}

/** Timers may fire a millisecond early; a host's clock may not. */
async function restUntil({ machine }: Hand, untilMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const leftMs = untilMs - machine.clock.monotonicMs()
    if (leftMs <= 0) return
    await machine.clock.sleep(Math.ceil(leftMs), signal)
  }
}

function restMs(host: HostBlock, outcome: FetchOutcome): number {
  const { delayMs, bytesPerSecond, restFactor } = host
  const bytes = outcome.ok ? outcome.body.length : 0
  const forBytesMs = bytesPerSecond === null ? 0 : (bytes * 1_000) / bytesPerSecond
  const forTimeMs = restFactor
    ? Math.min(restFactor.atMostMs, restFactor.times * outcome.totalMs)
    : 0
  return Math.max(delayMs, forBytesMs, forTimeMs)
}

/** Answers whether the host may be asked again in this block. */
async function fetchOne(lane: Lane, errand: Errand): Promise<boolean> {
  const { hand } = lane
  const before = lane.dialled
  const outcome = await outcomeOf(lane, errand)
  const isUndialled = typeof outcome === 'string'
  if (!isUndialled && !isCancelled(outcome)) return record(hand, errand, outcome)
  if (!isUndialled && hand.isAbandoned) {
    hand.requestEnded()
    return false
  }
  if (lane.dialled === before) return giveBack(hand, errand, outcome === 'late')
  // After a partial login the host counts as contacted: its delay begins with this end.
  return record(hand, errand, BROKEN_OFF)
}

const BROKEN_OFF: LogInFailure = {
  ok: false,
  code: 'MINGA_CANCELLED',
  message: 'The log-in at the wiki was broken off.',
  retry: 'later',
  retryAfterMs: 0,
  totalMs: 0,
}

const isCancelled = (outcome: FetchOutcome | LogInFailure): boolean =>
  !outcome.ok && outcome.code === 'MINGA_CANCELLED'

function outcomeOf(
  lane: Lane,
  errand: Errand,
): Promise<FetchOutcome | LogInFailure | Undialled> | FetchOutcome | LogInFailure {
  const { url, previous } = errand.request
  const { authorization, logIns } = lane.host
  const logIn = logIns === undefined ? null : logInFor(url, logIns)
  const isAnonymous = authorization === undefined && logIn === null
  if (lane.hand.machine.refusesLogIns && !isAnonymous) {
    return lane.refuse(errand, 'it carries a log-in, which lent machines never send')
  }
  if (logIn === null) {
    return lane.dial(errand, {
      url,
      ...(authorization === undefined ? {} : { headers: [['authorization', authorization]] }),
      ...(previous?.etag ? { etag: previous.etag } : {}),
      ...(previous?.lastModified ? { lastModified: previous.lastModified } : {}),
    })
  }
  if ('refused' in logIn) return refusalOf(logIn)
  return lane.hand.sessions.of(logIn).ask((asked) => lane.dial(errand, asked), url)
}

/**
 * The station remembers that the wiki refused the login: it is not contacted again in the meantime.
 */
function refusalOf({ refused }: RefusedLogIn): LogInFailure {
  return { ok: false, ...refused, retry: 'never', retryAfterMs: null, totalMs: 0 }
}

function record(hand: Hand, errand: Errand, outcome: FetchOutcome | LogInFailure): boolean {
  const { clock, recorder } = hand.machine
  const endedAtMs = clock.monotonicMs()
  faultPoint('agent:after-response')
  recorder.put({ errand, outcome, endedAtMs })
  hand.requestEnded()
  faultPoint('agent:after-record')
  if (!outcome.ok) return outcome.retry === 'never' && !('retryAfterMs' in outcome)
  return outcome.status !== 429 && outcome.status !== 503
}

function giveBack(hand: Hand, errand: Errand, isLate = false): false {
  hand.machine.recorder.put({ errand, outcome: null, endedAtMs: 0 })
  hand.machine.lending?.gaveBack(isLate)
  hand.requestEnded()
  return false
}
