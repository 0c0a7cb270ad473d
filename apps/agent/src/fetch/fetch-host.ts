/**
 * Step 4: one host's requests, in their order, `threads` at a time and one at a time wherever there
 * is a delay, which is waited out after the end of each response. Whatever may not be dialled any
 * more is given back.
 */
import { fetchFailure, type FetchOutcome } from '@minga/net'
import { faultPoint, type BlockRequest, type HostBlock, type RefusedLogIn } from '@minga/protocol'
import { logInFor } from '@minga/wiki/log-in'
import { toLeasedRequest, type LeasedRequest } from './leased-request.ts'
import type { WorkBuffer } from './work-buffer.ts'
import type { Permit } from './resizable-semaphore.ts'
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

export async function fetchHost(buffer: WorkBuffer, group: Group): Promise<void> {
  const { host } = group
  const { hostFloor } = buffer.machine
  const isSpaced = host.delayMs > 0 || host.bytesPerSecond !== null || hostFloor !== undefined
  const threads = isSpaced ? 1 : Math.min(host.threads, THREADS_PER_HOST_MAX)
  await Promise.all(Array.from({ length: threads }, () => runThread(buffer, group)))
}

/** Whatever no thread has taken up yet: it need not wait for a response that is in the air. */
export function giveBackRest(buffer: WorkBuffer, group: Group): void {
  group.goOn = false
  const { fence, host, left } = group
  for (const request of left) giveBack(buffer, toLeasedRequest(fence, host, request))
}

async function runThread(buffer: WorkBuffer, group: Group): Promise<void> {
  const { fence, host, left } = group
  const lane = new Lane(buffer, group)
  for (const request of left) {
    const leased = toLeasedRequest(fence, host, request)
    const isWanted = group.goOn && !buffer.machine.ownerHooks?.refuses(request.url)
    const goOn = isWanted ? await fetchOne(lane, leased) : giveBack(buffer, leased)
    if (isWanted) group.goOn &&= goOn
  }
  await lane.end()
}

/** One thread's way to its host: its permit among all lanes, and when the host may be asked again. */
class Lane {
  readonly buffer: WorkBuffer
  readonly host: HostBlock
  /** Requests that went out and came to an end. */
  dialled = 0
  readonly #permit: Permit
  #restUntilMs = 0

  constructor(buffer: WorkBuffer, { host }: Group) {
    this.buffer = buffer
    this.host = host
    this.#permit = buffer.semaphore.permit()
  }

  /** One request, when the host has rested and there is room for its answer. */
  async dial(leased: LeasedRequest, asked: Asked): Promise<FetchOutcome | Undialled> {
    const { buffer } = this
    const { address } = this.host
    const { clock, fetcher, ownerHooks, hostFloor } = buffer.machine
    let hasTurn: boolean
    do {
      if (!(await this.#ready(asked.url))) return 'halted'
      await buffer.roomForResults()
      hasTurn = await buffer.turn(leased.fence)
      // Another lane to the same machine may have been quicker.
    } while (hasTurn && this.#floorMs(asked.url) > 0)
    faultPoint('agent:before-dial')
    // Nothing may come between this question and the dial: a pause there would go unnoticed.
    if (!hasTurn || !buffer.mayDial(leased.fence)) return buffer.halt.aborted ? 'halted' : 'late'
    const signal = buffer.signalOf(leased.fence)
    const fetching = fetcher.fetch({
      ...asked,
      address,
      mayStart: () => buffer.mayDial(leased.fence),
      ...(signal ? { signal } : {}),
    })
    hostFloor?.began(asked.url, address)
    ownerHooks?.began(leased)
    const outcome = await fetching
    hostFloor?.ended(asked.url)
    ownerHooks?.ended(leased, outcome)
    if (!isCancelled(outcome)) this.dialled++
    this.#restUntilMs = clock.monotonicMs() + restMs(this.host, outcome)
    return outcome
  }

  /** An outcome without a dial, which the owner's log shows as well. */
  refuse(leased: LeasedRequest, reason: string): FetchOutcome {
    const { clock, ownerHooks } = this.buffer.machine
    const where = { address: this.host.address, startedAt: clock.now(), totalMs: 0 }
    const outcome = fetchFailure('MINGA_VOLUNTEER_REFUSED', reason, where)
    ownerHooks?.began(leased)
    ownerHooks?.ended(leased, outcome)
    return outcome
  }

  #floorMs(url: string): number {
    return this.buffer.machine.hostFloor?.waitMs(url, this.host.address) ?? 0
  }

  async #ready(url: string): Promise<boolean> {
    const { buffer } = this
    const nowMs = buffer.machine.clock.monotonicMs()
    const untilMs = Math.max(this.#restUntilMs, nowMs + this.#floorMs(url))
    // A lane that need not rest keeps its permit: hosts then end one after the other and are free
    // for new work, instead of all together at the end of a block.
    if (untilMs > nowMs) this.#permit.release()
    await restUntil(buffer, untilMs, buffer.halt)
    return !buffer.halt.aborted && (await this.#permit.acquire())
  }

  /** The lane ends with the host rested, so that another lane may begin at once. */
  async end(): Promise<void> {
    this.#permit.release()
    await restUntil(this.buffer, this.#restUntilMs, this.buffer.signal)
  }
}

/** Timers may fire a millisecond early; a host's clock may not. */
async function restUntil(
  { machine }: WorkBuffer,
  untilMs: number,
  signal: AbortSignal,
): Promise<void> {
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
async function fetchOne(lane: Lane, leased: LeasedRequest): Promise<boolean> {
  const { buffer } = lane
  const before = lane.dialled
  const outcome = await outcomeOf(lane, leased)
  const isUndialled = typeof outcome === 'string'
  if (!isUndialled && !isCancelled(outcome)) return record(buffer, leased, outcome)
  if (!isUndialled && buffer.isAbandoned) {
    buffer.requestEnded()
    return false
  }
  if (lane.dialled === before) return giveBack(buffer, leased, outcome === 'late')
  // After a partial login the host counts as contacted: its delay begins with this end.
  return record(buffer, leased, BROKEN_OFF)
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
  leased: LeasedRequest,
): Promise<FetchOutcome | LogInFailure | Undialled> | FetchOutcome | LogInFailure {
  const { url, previous } = leased.request
  const { authorization, logIns } = lane.host
  const logIn = logIns === undefined ? null : logInFor(url, logIns)
  const isAnonymous = authorization === undefined && logIn === null
  if (lane.buffer.machine.refusesLogIns && !isAnonymous) {
    return lane.refuse(leased, 'it carries a log-in, which lent machines never send')
  }
  if (logIn === null) {
    return lane.dial(leased, {
      url,
      ...(authorization === undefined ? {} : { headers: [['authorization', authorization]] }),
      ...(previous?.etag ? { etag: previous.etag } : {}),
      ...(previous?.lastModified ? { lastModified: previous.lastModified } : {}),
    })
  }
  if ('refused' in logIn) return refusalOf(logIn)
  return lane.buffer.sessions.of(logIn).ask((asked) => lane.dial(leased, asked), url)
}

/**
 * The station remembers that the wiki refused the login: it is not contacted again in the meantime.
 */
function refusalOf({ refused }: RefusedLogIn): LogInFailure {
  return { ok: false, ...refused, retry: 'never', retryAfterMs: null, totalMs: 0 }
}

function record(
  buffer: WorkBuffer,
  leased: LeasedRequest,
  outcome: FetchOutcome | LogInFailure,
): boolean {
  const { clock, recorder } = buffer.machine
  const endedAtMs = clock.monotonicMs()
  faultPoint('agent:after-response')
  recorder.put({ leased, outcome, endedAtMs })
  buffer.requestEnded()
  faultPoint('agent:after-record')
  if (!outcome.ok) return outcome.retry === 'never' && !('retryAfterMs' in outcome)
  return outcome.status !== 429 && outcome.status !== 503
}

function giveBack(buffer: WorkBuffer, leased: LeasedRequest, isLate = false): false {
  buffer.machine.recorder.put({ leased, outcome: null, endedAtMs: 0 })
  buffer.machine.ownerHooks?.gaveBack(isLate)
  buffer.requestEnded()
  return false
}
