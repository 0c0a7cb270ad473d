/**
 * One load test that this coordinator runs: first ordinary work on the site stops, then the steps
 * run, and in the meantime a heartbeat to the store twice a second shows that the test has an
 * owner.
 */
import { LoadCourse, type LoadResult, type LoadTestRow } from '@minga/fleet'
import {
  LOAD_DEAD_MAN_MS,
  LOAD_MOST,
  type LoadOrder,
  type LoadPart,
  type LoadReport,
} from '@minga/protocol'
import type { HeldLoadTest, HoldLoadTestArgs } from './load-test-operations.ts'
import { ProofWatch } from './proof-watch.ts'
import type { Station } from '../../station/station.ts'

/** How long what is out from before may keep a test waiting: longer than most blocks take. */
const CLEAR_MS_MAX = 120_000
/** A machine comes this long before the last one does, at most; its time runs from then. */
const GATHERING_MS = 120_000
/** Beyond the dead man's switch: between two ticks, and for a clock that runs differently. */
const REST_MARGIN_MS = 4_000

export interface LoadRunOptions {
  test: LoadTestRow
  address: string
  machines: readonly string[]
  /** What the proof file contains. */
  token: string
}

/**
 * Until when no other agent may contact the site: all machines have stopped by then, whatever
 * happens.
 */
export function restUntil({ clock, settings }: Station): number {
  return clock.now() + LOAD_DEAD_MAN_MS + REST_MARGIN_MS + settings.current().delayMs
}

export class LoadRun {
  readonly test: LoadTestRow
  readonly #station: Station
  readonly #address: string
  readonly #machines: readonly string[]
  readonly #openedAtMs: number
  readonly #proof: ProofWatch
  #course: LoadCourse | null = null
  #steps = -1

  constructor(station: Station, { test, address, machines, token }: LoadRunOptions) {
    this.#station = station
    this.test = test
    this.#address = address
    this.#machines = machines
    this.#openedAtMs = station.clock.monotonicMs()
    const { host, plan } = test
    this.#proof = new ProofWatch(station, { urls: plan.urls, host, address, token })
  }

  /** What is known of it at this moment. */
  live(): { visitors: number; perSecond: number; p95Ms: number | null; errorRate: number } | null {
    if (this.#course === null) return null
    const { requests: _requests, ...lately } = this.#course.lately(this.#nowMs)
    return { visitors: this.#course.visitors, ...lately }
  }

  get #nowMs(): number {
    return this.#station.clock.monotonicMs()
  }

  partFor(device: string): LoadPart | null {
    const course = this.#course
    if (course === null || !course.awaits(device)) return null
    const { plan, id } = this.test
    course.join(device, this.#nowMs)
    return {
      test: id,
      step: 0,
      urls: plan.urls,
      address: this.#address,
      thinkMs: plan.thinkMs,
      answerMsMax: plan.answerMsMax,
      durationMsMax: Math.min(LOAD_MOST.durationMs, plan.ceilings.durationMs + GATHERING_MS),
      // Its first report is answered with its share.
      visitors: 0,
      requestsPerSecond: 0,
      bytesLeft: plan.ceilings.bytes,
    }
  }

  heard(device: string, report: LoadReport): LoadOrder {
    return this.#course?.heard(device, report, this.#nowMs) ?? DISMISSAL
  }

  /** Every machine gets the order with its next report. */
  stop(reason: string): void {
    this.#course?.stop('aborted', reason, this.#nowMs)
  }

  /** About twice a second; answers whether the test is over, and its row says so. */
  async tick(): Promise<boolean> {
    const { isToStop, isOut } = await this.#hold()
    if (this.#course === null) return this.#prepare(isToStop, isOut)
    if (isToStop) this.stop('It was asked to stop.')
    const proof = this.#proof.tick()
    if (proof.is === 'gone') this.stop(proof.reason)
    this.#course.dismissAllBut(await this.#eligible())
    this.#course.tick(this.#nowMs)
    if (this.#course.phase !== 'over') return false
    await this.#end(this.#course.end!)
    return true
  }

  #eligible(): Promise<string[]> {
    const { store, clock } = this.#station
    return store.call('loadMachines', { now: clock.now(), among: this.#machines })
  }

  #hold(): Promise<HeldLoadTest> {
    const { store, clock } = this.#station
    const { id, host } = this.test
    const steps = this.#course?.steps.length ?? -1
    const args: HoldLoadTestArgs = {
      id,
      host,
      address: this.#address,
      state: this.#course === null ? 'preparing' : 'running',
      // Written when there is something new: a station that dies leaves what was measured.
      result: steps > this.#steps ? this.#result() : null,
      restUntil: restUntil(this.#station),
      now: clock.now(),
    }
    this.#steps = steps
    return store.call('holdLoadTest', args)
  }

  async #prepare(isToStop: boolean, isOut: boolean): Promise<boolean> {
    if (isToStop) {
      await this.#end({ state: 'aborted', reason: 'It was asked to stop.' })
      return true
    }
    if (!isOut) return this.#begin()
    if (this.#nowMs - this.#openedAtMs < CLEAR_MS_MAX) return false
    const reason = 'Ordinary requests to the site did not end in time.'
    await this.#end({ state: 'aborted', reason })
    return true
  }

  /** No other agent contacts the site now, so reading the file there disturbs no delay. */
  async #begin(): Promise<boolean> {
    const proof = this.#proof.tick()
    if (proof.is === 'gone') {
      await this.#end({ state: 'aborted', reason: proof.reason })
      return true
    }
    if (proof.is === 'seen') {
      this.#course = new LoadCourse(this.test.plan, this.#machines, this.#nowMs)
      this.#station.work.notifyAll()
    }
    return false
  }

  async #end(end: { state: 'finished' | 'aborted'; reason: string | null }): Promise<void> {
    const { store, clock } = this.#station
    const { id } = this.test
    this.#proof.close()
    await store.call('endLoadTest', { id, ...end, result: this.#result(), now: clock.now() })
  }

  #result(): LoadResult | null {
    if (this.#course === null) return null
    const { steps, notes, machines, totals } = this.#course
    return { steps, notes, machines, totals }
  }
}

export const DISMISSAL: LoadOrder = {
  goOn: false,
  step: 0,
  visitors: 0,
  requestsPerSecond: 0,
  bytesLeft: 0,
}
