/** The coordinator's pulse: each of its parts looks, in turn and again and again, whether time has made work for it. */
import { isMingaError, type Clock } from '@minga/protocol'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import type { EventLog } from './event-log/event-log.ts'

const TICK_MS = 500
/**
 * Of the silence, so that what becomes due in the meantime is never late by more than a tenth of
 * the wait.
 */
const REST_SHARE = 0.1
/** Interval while a caller is being served: an open page, a waiting client. */
const SERVING_REST_MS = 1_000
/** Of steady parts: leases are renewed every two seconds. */
const STEADY_REST_MS = 2_000
/** Of all others. They are two dozen questions to the store each time, and an idle station is to cost its machine
 * less than a hundredth of a core. */
export const REST_MS = 30_000
/** A full disk is met at every tick; the same sentence is said again only so long after. */
const SAME_TROUBLE_MS = 60_000
/** By which agents and workers say that they are there, with nothing to do. */
const IDLE_CALLS = /^\/(agent\/(ask|beat)|worker\/lease)\b/

export interface Part {
  /** Twice a second while there are calls, and more rarely the longer there are none. */
  tick(): Promise<void>
  /** Keeps promises to others by time, and may not rest as long as the others. */
  readonly isSteady?: boolean
}

export interface Ticking {
  parts: readonly Part[]
  clock: Clock
  /** Whose callers keep the pulse quick; null when they are in this process. */
  server: Pick<Server, 'on'> | null
  eventLog: Pick<EventLog, 'note'>
}

export async function tickUntil(
  { parts, clock, server, eventLog }: Ticking,
  signal: AbortSignal,
): Promise<void> {
  const callers = new Callers(clock, server)
  let allAtMs = -Infinity
  const said = new Map<string, number>()
  while (!signal.aborted) {
    const areAllDue = clock.monotonicMs() >= allAtMs
    try {
      for (const part of parts) if (areAllDue || part.isSteady) await part.tick()
    } catch (error) {
      // A full disk or an absent database passes; agents keep their results in the meantime.
      if (!isMingaError(error) || error.retry === 'never') throw error
      const { code: subject, message } = error
      const line = `minga: ${message} (${subject})\n`
      if (isNew(said, line, clock.monotonicMs())) process.stderr.write(line)
      const noted = { subject, sentence: message, details: { message } }
      eventLog.note({ code: 'station:trouble', ...noted })
    }
    const nowMs = clock.monotonicMs()
    if (areAllDue) allAtMs = nowMs + callers.restMs()
    // Steady parts alone may have taken until all were due, and longer.
    const untilAllMs = Math.max(0, allAtMs - nowMs)
    const isCalled = await callers.rest(Math.min(untilAllMs, STEADY_REST_MS), signal)
    if (isCalled) allAtMs = -Infinity
  }
}

/** Whether a line was not printed lately; notes it as printed. */
function isNew(said: Map<string, number>, line: string, nowMs: number): boolean {
  for (const [old, atMs] of said) if (nowMs - atMs >= SAME_TROUBLE_MS) said.delete(old)
  if (said.has(line)) return false
  said.set(line, nowMs)
  return true
}

/** How long there have been no calls, and the first call after a pause. */
class Callers {
  readonly #clock: Clock
  readonly #isAlone: boolean
  readonly #changed = new ConditionVariable()
  #calledMs: number
  #served = 0

  constructor(clock: Clock, server: Ticking['server']) {
    this.#clock = clock
    this.#isAlone = server === null
    this.#calledMs = clock.monotonicMs()
    server?.on('request', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
      if (IDLE_CALLS.test(url)) return
      this.#served += 1
      this.#heard()
      response.once('close', () => {
        this.#served -= 1
        this.#calledMs = clock.monotonicMs()
      })
    })
  }

  restMs(): number {
    if (this.#isAlone) return TICK_MS
    const most = this.#served > 0 ? SERVING_REST_MS : REST_MS
    const silentMs = this.#clock.monotonicMs() - this.#calledMs
    return Math.min(Math.max(TICK_MS, silentMs * REST_SHARE), most)
  }

  /** True when a call ended it. */
  async rest(ms: number, signal: AbortSignal): Promise<boolean> {
    const before = this.#calledMs
    await this.#changed.waitFor(ms, this.#clock, signal)
    return this.#calledMs !== before
  }

  #heard(): void {
    // Not at every call: then many callers would be ticks without a pause.
    const isRested = this.restMs() > TICK_MS
    this.#calledMs = this.#clock.monotonicMs()
    if (isRested) this.#changed.notifyAll()
  }
}
