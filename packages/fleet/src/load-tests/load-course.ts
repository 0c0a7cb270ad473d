/**
 * The course of one load test as a state machine without clock and network: machines join and
 * report, time is an argument, and the results are orders, figures and an end.
 *
 *   gathering → running (step by step) → stopping → over
 *
 * A machine that falls silent is given up when its own dead man's switch has surely stopped it;
 * only then do the others take over its visitors, so no ceiling is ever exceeded by two who count
 * as one.
 */
import {
  LatencyHistogram,
  LOAD_DEAD_MAN_MS,
  type LoadOrder,
  type LoadReport,
  type LoadShare,
} from '@minga/protocol'
import { nextVisitors, shareOut, type LoadPlan } from './plan.ts'
import { StopWindow, stopReason, type WindowView } from './stop-rule.ts'
import { addErrors, doesBear, type ErrorCounts, type StepFigures } from './step-figures.ts'

/** A busy machine asks for work after its current requests: most do within seconds. */
const GATHER_MS = 10_000
/**
 * Without a machine by then, none will come: a machine asks when half of its buffered work is done,
 * which at the pace of polite hosts can take a while.
 */
const GATHER_MS_MAX = 120_000
/** Beyond the dead man's switch: for clocks that run a little differently. */
const SILENT_MS = LOAD_DEAD_MAN_MS + 1_000
/** Near the ceiling, visitors wait for their turn more than for the site. */
const HELD_BACK_SHARE = 0.8
/** A step in which nothing was counted, because machines or site were busy, lasts up to so many times its time. */
const EMPTY_STEPS_MAX = 4
/** An unfinished step with fewer requests is no measurement. */
const REQUESTS_MIN = 20

export type CoursePhase = 'gathering' | 'running' | 'stopping' | 'over'

export interface CourseEnd {
  state: 'finished' | 'aborted'
  reason: string | null
}

interface MachineState {
  isIn: boolean
  isLost: boolean
  hasStopped: boolean
  heardAtMs: number
  lastNo: number
  /** Its `bytesLeft` is of the last division; what came since is in `bytesSince`. */
  share: LoadShare
  bytesSince: number
  /** Of the current step: when counting began with its first report, and what came since. */
  countedFromMs: number | null
  countedToMs: number
  requests: number
}

interface StepTally {
  requests: number
  bytes: number
  errors: ErrorCounts
  latencies: LatencyHistogram
}

export class LoadCourse {
  readonly #plan: LoadPlan
  readonly #machines = new Map<string, MachineState>()
  readonly #window = new StopWindow()
  readonly #openedAtMs: number
  readonly steps: StepFigures[] = []
  readonly notes: string[] = []
  #phase: CoursePhase = 'gathering'
  #end: CourseEnd | null = null
  #startedAtMs = 0
  #stepAtMs = 0
  #step = 0
  #visitors = 0
  #bytes = 0
  #requests = 0
  #tally = newTally()
  readonly #dismissed = new Set<string>()

  constructor(plan: LoadPlan, machines: readonly string[], atMs: number) {
    this.#plan = plan
    this.#openedAtMs = atMs
    for (const machine of machines) this.#machines.set(machine, newMachine(atMs))
  }

  get phase(): CoursePhase {
    return this.#phase
  }

  get end(): CourseEnd | null {
    return this.#end
  }

  get step(): number {
    return this.#step
  }

  get visitors(): number {
    return this.#visitors
  }

  get totals(): { requests: number; bytes: number } {
    return { requests: this.#requests, bytes: this.#bytes }
  }

  get machines(): { asked: number; joined: number; lost: number } {
    const all = [...this.#machines.values()]
    return {
      asked: all.length,
      joined: all.filter(({ isIn }) => isIn).length,
      lost: all.filter(({ isLost }) => isLost).length,
    }
  }

  lately(atMs: number): WindowView {
    return this.#window.view(atMs)
  }

  /** Whether this machine is called and has not come yet. */
  awaits(machine: string): boolean {
    return this.#phase === 'gathering' && this.#machines.get(machine)?.isIn === false
  }

  join(machine: string, atMs: number): void {
    const state = this.#machines.get(machine)
    if (state === undefined || !this.awaits(machine)) return
    state.isIn = true
    state.heardAtMs = atMs
    this.tick(atMs)
  }

  heard(machine: string, report: LoadReport, atMs: number): LoadOrder {
    const state = this.#machines.get(machine)
    if (state === undefined || !state.isIn || state.isLost) return this.#dismissal()
    state.heardAtMs = atMs
    if (report.no > state.lastNo) {
      state.lastNo = report.no
      this.#count(state, report, atMs)
    }
    if (report.hasStopped) this.#stopped(state, report.reason)
    this.tick(atMs)
    return {
      ...shareOf(state),
      goOn: this.#goesOn && !state.hasStopped && !this.#dismissed.has(machine),
      step: this.#step,
    }
  }

  /**
   * Its owner has paused it, or the station trusts it no more: it learns so with its next report.
   */
  dismissAllBut(machines: readonly string[]): void {
    for (const machine of this.#machines.keys()) {
      if (!machines.includes(machine)) this.#dismissed.add(machine)
    }
  }

  get #goesOn(): boolean {
    return this.#phase === 'gathering' || this.#phase === 'running'
  }

  #dismissal(): LoadOrder {
    return { goOn: false, step: this.#step, visitors: 0, requestsPerSecond: 0, bytesLeft: 0 }
  }

  #count(state: MachineState, report: LoadReport, atMs: number): void {
    this.#requests += report.requests
    this.#bytes += report.bytes
    state.bytesSince += report.bytes
    this.#window.add(report, atMs)
    if (this.#phase !== 'running' || report.step !== this.#step) return
    // The first report of a step is of a second in which visitors were still coming.
    if (state.countedFromMs === null) {
      state.countedFromMs = atMs
      state.countedToMs = atMs
      return
    }
    state.countedToMs = atMs
    state.requests += report.requests
    this.#tally.requests += report.requests
    this.#tally.bytes += report.bytes
    addErrors(this.#tally.errors, report.errors)
    this.#tally.latencies.merge(report.latencies)
  }

  #stopped(state: MachineState, reason: string | null): void {
    if (state.hasStopped) return
    state.hasStopped = true
    if (!this.#goesOn) return
    this.notes.push(
      `A machine stopped by itself during step ${this.#step}: ${reason ?? 'no reason given'}`,
    )
    this.#divide()
  }

  tick(atMs: number): void {
    if (this.#phase !== 'over') this.#loseSilent(atMs)
    if (this.#phase === 'gathering') this.#gather(atMs)
    if (this.#phase === 'running') this.#run(atMs)
    const isStill = [...this.#machines.values()].every((state) => isDone(state))
    if (this.#phase === 'stopping' && isStill) this.#phase = 'over'
  }

  #gather(atMs: number): void {
    const waitedMs = atMs - this.#openedAtMs
    const { asked, joined } = this.machines
    if (joined === 0) {
      if (waitedMs >= GATHER_MS_MAX)
        this.stop('aborted', 'No machine of the station came to take part.', atMs)
      return
    }
    if (joined < asked && waitedMs < GATHER_MS) return
    this.#phase = 'running'
    this.#startedAtMs = atMs
    this.#begin(nextVisitors(this.#plan, [])!, atMs)
  }

  #run(atMs: number): void {
    const { ceilings, stepMs } = this.#plan
    const left = this.#present()
    if (left.length === 0) return this.stop('aborted', 'No machine is left that takes part.', atMs)
    if (this.#bytes >= ceilings.bytes) {
      return this.stop('aborted', `The ceiling of ${ceilings.bytes} bytes is reached.`, atMs)
    }
    if (atMs - this.#startedAtMs >= ceilings.durationMs) {
      return this.stop(
        'aborted',
        `The ceiling of ${ceilings.durationMs / 1_000} s is reached.`,
        atMs,
      )
    }
    const reason = stopReason(this.#window.view(atMs), ceilings)
    if (reason !== null) return this.stop('aborted', reason, atMs)
    const steps = (atMs - this.#stepAtMs) / stepMs
    if (steps < 1 || (this.#tally.requests === 0 && steps < EMPTY_STEPS_MAX)) return
    this.#close()
    const next = nextVisitors(this.#plan, this.#verdicts())
    if (next === null) this.stop('finished', null, atMs)
    else this.#begin(next, atMs)
  }

  #verdicts(): { visitors: number; doesBear: boolean; isHeldBack: boolean }[] {
    return this.steps.map((step) => ({ ...step, doesBear: doesBear(step, this.#plan.bears) }))
  }

  #begin(visitors: number, atMs: number): void {
    this.#step++
    this.#stepAtMs = atMs
    this.#visitors = visitors
    this.#tally = newTally()
    // Of another number of visitors: it says nothing about this one.
    this.#window.clear()
    for (const state of this.#machines.values()) {
      state.countedFromMs = null
      state.requests = 0
    }
    this.#divide()
  }

  #close(): void {
    const spans = [...this.#machines.values()].filter(({ countedFromMs }) => countedFromMs !== null)
    const ms = (state: MachineState): number => state.countedToMs - state.countedFromMs!
    let perSecond = 0
    for (const state of spans) {
      if (ms(state) > 0) perSecond += (state.requests * 1_000) / ms(state)
    }
    const { requests, bytes, errors, latencies } = this.#tally
    this.steps.push({
      visitors: this.#visitors,
      countedMs: Math.round(Math.max(0, ...spans.map(ms))),
      requests,
      perSecond: Math.round(perSecond * 10) / 10,
      bytes,
      errors,
      latencies: latencies.buckets(),
      isHeldBack: perSecond >= this.#plan.ceilings.requestsPerSecond * HELD_BACK_SHARE,
    })
  }

  /** Ends the test: from now on every machine is ordered to stop. */
  stop(state: CourseEnd['state'], reason: string | null, atMs: number): void {
    if (!this.#goesOn) return
    if (this.#phase === 'running' && state === 'aborted' && this.#tally.requests >= REQUESTS_MIN) {
      this.#close()
    }
    this.#phase = 'stopping'
    this.#end = { state, reason }
    this.tick(atMs)
  }

  #loseSilent(atMs: number): void {
    for (const state of this.#machines.values()) {
      if (!state.isIn || isDone(state) || atMs - state.heardAtMs < SILENT_MS) continue
      state.isLost = true
      const others = this.#goesOn ? '; the others took over its visitors' : ''
      this.notes.push(`A machine fell silent during step ${this.#step}${others}.`)
      this.#divide()
    }
  }

  #present(): MachineState[] {
    return [...this.#machines.values()].filter((state) => state.isIn && !isDone(state))
  }

  /** Visitors among the machines, and the ceilings as the visitors. */
  #divide(): void {
    const present = this.#present()
    const { requestsPerSecond, bytes } = this.#plan.ceilings
    const bytesLeft = Math.max(0, bytes - this.#bytes)
    const visitors = this.#phase === 'running' ? this.#visitors : 0
    const shares = present.length === 0 ? [] : shareOut(visitors, present.length)
    for (const [i, state] of present.entries()) {
      const share = visitors === 0 ? 0 : shares[i]! / visitors
      state.share = {
        visitors: shares[i]!,
        requestsPerSecond: requestsPerSecond * share,
        bytesLeft: Math.floor(bytesLeft * share),
      }
      state.bytesSince = 0
    }
  }
}

function shareOf({ share, bytesSince }: MachineState): LoadShare {
  return { ...share, bytesLeft: Math.max(0, share.bytesLeft - bytesSince) }
}

function isDone({ isIn, isLost, hasStopped }: MachineState): boolean {
  return !isIn || isLost || hasStopped
}

function newTally(): StepTally {
  return { requests: 0, bytes: 0, errors: {}, latencies: new LatencyHistogram() }
}

function newMachine(atMs: number): MachineState {
  return {
    isIn: false,
    isLost: false,
    hasStopped: false,
    heardAtMs: atMs,
    lastNo: 0,
    share: { visitors: 0, requestsPerSecond: 0, bytesLeft: 0 },
    bytesSince: 0,
    countedFromMs: null,
    countedToMs: 0,
    requests: 0,
  }
}
