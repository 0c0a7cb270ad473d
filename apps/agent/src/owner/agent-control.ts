/**
 * What the owner of a volunteer's agent controls. To the owner it is what they see and may change
 * (`AgentControl`); to the stages of the pipeline it is what they must ask before they act
 * (`OwnerHooks`). It decides nothing by itself: the limits do, and the owner does.
 */
import type { FetchOutcome } from '@minga/net'
import type { Block, Clock, Instant, LeaseResponse } from '@minga/protocol'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import type { LeasedRequest } from '../fetch/leased-request.ts'
import type { WorkBuffer } from '../fetch/work-buffer.ts'
import type { Power } from '../system/os.ts'
import { Tuner, type Pace } from '../fetch/tuning.ts'
import type { ActivityLog, ActivityQuery } from './activity/activity-log.ts'
import { RunStatistics } from './run-statistics.ts'
import type {
  ActivityLine,
  AgentCondition,
  AgentControl,
  AgentView,
  VolunteerLimits,
} from './control.ts'
import type { OwnerHooks, TurnRequest } from './owner-hooks.ts'
import type { Gate } from './limits/gate.ts'
import type { OwnerSettings } from './limits/limits-file.ts'
import type { MonthBytes } from './limits/month-bytes.ts'
import { changedLimits, neverHostTest } from './limits/volunteer-limits.ts'
import { isWithinHours, nextOpening, parseHours } from './limits/hours.ts'

/** Time to give back what was not dialled when the owner wants it to end at once. */
const LAST_WORDS_MS = 2_000
/** A window for the tuning is at least so long, and at most: then it is judged by what there is. */
const WINDOW_MIN_MS = 2_000
const WINDOW_MAX_MS = 20_000
/** What an owner who allows few requests per second may have in progress: half a minute of them. */
const IN_HAND_S = 30
const IN_HAND_MAX = 2_000

export interface ControlParts {
  clock: Clock
  station: string
  name: string
  gate: Gate
  month: MonthBytes
  log: ActivityLog
  ownerSettings: OwnerSettings
  save(ownerSettings: OwnerSettings): Promise<void>
  /** Given by the owner: then only the number of requests in progress is tuned. */
  concurrency: number | null
}

export class Control implements AgentControl, OwnerHooks {
  readonly #parts: ControlParts
  readonly #statistics: RunStatistics
  readonly #tuner: Tuner
  readonly #startedAt: number
  readonly #changed = new ConditionVariable()
  readonly #finishing = new AbortController()
  readonly #hurry = new AbortController()
  #ownerSettings: OwnerSettings
  #isNeverHost: (url: string) => boolean
  #power: Power = { isOnBattery: null, isMetered: null }
  #pausing = new AbortController()
  #buffer: WorkBuffer | null = null
  #device: string | null = null
  #stationPause: string | null = null
  #message: AgentView['message'] = null
  #isOutOfWork = true
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: ControlParts) {
    this.#parts = parts
    this.#ownerSettings = parts.ownerSettings
    this.#isNeverHost = neverHostTest(parts.ownerSettings.limits.neverHosts)
    this.#statistics = new RunStatistics(parts.clock)
    this.#tuner = new Tuner(tunerOptions(parts.ownerSettings.limits))
    this.#startedAt = parts.clock.now()
    this.reconsider()
  }

  // What the owner sees and does.

  view(): AgentView {
    const { station, name, month } = this.#parts
    const { concurrency, requestsInHand } = this.pace
    const recorder = this.#buffer?.machine.recorder
    return {
      station,
      device: this.#device,
      name,
      startedAt: this.#startedAt,
      ...this.#condition(),
      limits: { ...this.#ownerSettings.limits },
      concurrency,
      blockMax: requestsInHand,
      inFlight: this.#statistics.inFlight,
      inHand: this.#buffer?.requests ?? 0,
      waitingToSend: { results: recorder?.waiting ?? 0, bytes: recorder?.waitingBytes ?? 0 },
      requests: { ...this.#statistics.requests },
      bytes: { ...this.#statistics.bytes },
      monthBytes: month.use.bytes,
      lastHeardMsAgo: this.#buffer?.heardMsAgo() ?? null,
      message: this.#message,
    }
  }

  #condition(): PauseReason {
    if (this.finishing.aborted) {
      return { condition: 'finishing', why: 'It finishes what is in flight, sends it and ends.' }
    }
    const paused = this.#reason()
    if (paused !== null) return paused
    if (this.#buffer === null || !this.#buffer.isHeard()) {
      const why = 'The station does not answer. The agent retries automatically.'
      return { condition: 'station-away', why }
    }
    if (this.#stationPause !== null) {
      return { condition: 'paused-by-station', why: this.#stationPause }
    }
    if (this.#buffer.requests > 0) return { condition: 'working', why: 'It is at work.' }
    const seconds = Math.round(this.#parts.gate.waitMs() / 1_000)
    const why =
      seconds > 0
        ? `It has used what your limits allow for now; it asks for work again in ${seconds} s.`
        : 'The station has no work for this machine now; it is asked again by itself.'
    return { condition: 'waiting-for-work', why }
  }

  activity(query: ActivityQuery): Promise<ActivityLine[]> {
    return this.#parts.log.read(query)
  }

  async setLimits(change: Partial<VolunteerLimits>): Promise<VolunteerLimits> {
    await this.#keep(() => ({
      ...this.#ownerSettings,
      limits: changedLimits(this.#ownerSettings.limits, change),
    }))
    const { limits } = this.#ownerSettings
    this.#isNeverHost = neverHostTest(limits.neverHosts)
    this.#parts.gate.setLimits(limits)
    this.#parts.log.setDisk(limits.diskBytes)
    this.#tuner.setOptions(tunerOptions(limits))
    this.#setPace()
    this.reconsider()
    return { ...limits }
  }

  async pause(): Promise<void> {
    // At once, even when the disk is too full to remember it.
    this.#ownerSettings = { ...this.#ownerSettings, isPaused: true }
    this.reconsider()
    await this.#keep(() => ({ ...this.#ownerSettings, isPaused: true }))
  }

  async resume(): Promise<void> {
    await this.#keep(() => ({ ...this.#ownerSettings, isPaused: false }))
    this.reconsider()
  }

  /** One change after the other: each is made to what the one before has left. */
  #keep(change: () => OwnerSettings): Promise<void> {
    const kept = this.#saving.then(async () => {
      const ownerSettings = change()
      await this.#parts.save(ownerSettings)
      this.#ownerSettings = ownerSettings
    })
    this.#saving = kept.catch(() => {})
    return kept
  }

  finish(): void {
    this.#finishing.abort()
  }

  stopNow(): void {
    this.finish()
    this.#buffer?.abandon()
    void this.#parts.clock.sleep(LAST_WORDS_MS, this.hurry).then(() => this.close())
  }

  /** The agent has ended: no caller waits for anything here any more. */
  close(): void {
    this.#hurry.abort()
  }

  // What the agent itself tells and asks.

  /** Aborts when the owner wants the agent to end. */
  get finishing(): AbortSignal {
    return this.#finishing.signal
  }

  get hurry(): AbortSignal {
    return this.#hurry.signal
  }

  get pausing(): AbortSignal {
    return this.#pausing.signal
  }

  get concurrencyMax(): number {
    return this.#ownerSettings.limits.concurrencyMax
  }

  get uploadBytesMax(): number {
    return this.#parts.gate.uploadBytesMax
  }

  watch(buffer: WorkBuffer, device: string): void {
    this.#buffer = buffer
    this.#device = device
    this.#setPace()
  }

  set power(power: Power) {
    this.#power = power
    this.reconsider()
  }

  /** Begins or ends a pause when what decides about it has changed. To be called every second. */
  reconsider(): void {
    const isPaused = this.#reason() !== null
    if (isPaused === this.#pausing.signal.aborted) return
    if (isPaused) this.#pausing.abort()
    else this.#pausing = new AbortController()
    this.#changed.notifyAll()
  }

  #reason(): PauseReason | null {
    const { clock, month } = this.#parts
    const { limits, isPaused } = this.#ownerSettings
    const facts = { isPaused, limits, now: clock.now(), monthBytes: month.use.bytes }
    return pauseReason({ ...facts, power: this.#power })
  }

  isPaused(): boolean {
    return this.pausing.aborted || this.#reason() !== null
  }

  /** A pause that is over may not have been taken back yet: then it is called after its owner. */
  restsFor(): AgentCondition | null {
    const reason = this.#reason()
    if (reason !== null) return reason.condition
    return this.pausing.aborted ? 'paused-by-owner' : null
  }

  async resumed(signal: AbortSignal): Promise<void> {
    this.reconsider()
    while (this.pausing.aborted && !signal.aborted) await this.#changed.wait(signal)
  }

  refuses(url: string): boolean {
    return this.#isNeverHost(url)
  }

  refusesAll({ hosts }: Block): boolean {
    return hosts.every(({ requests }) => requests.every(({ url }) => this.refuses(url)))
  }

  readyForWork(signal: AbortSignal): Promise<void> {
    return this.#parts.gate.nearlyOpen(signal)
  }

  turn(turn: TurnRequest): Promise<boolean> {
    return this.#parts.gate.turn(turn)
  }

  began(leased: LeasedRequest): void {
    this.#statistics.began(leased)
  }

  ended(leased: LeasedRequest, outcome: FetchOutcome): void {
    const bytes = this.#statistics.ended(leased, outcome)
    if (bytes === null) return
    this.#parts.gate.spendBytes(bytes)
    this.#parts.month.add(bytes)
    this.#parts.log.add({
      at: outcome.startedAt,
      url: leased.request.url,
      status: outcome.ok ? outcome.status : null,
      code: outcome.ok ? null : outcome.code,
      bytes,
      ms: Math.round(outcome.totalMs),
    })
  }

  gaveBack(isLate: boolean): void {
    this.#statistics.gaveBack(isLate)
  }

  stationSaid(answer: LeaseResponse | null): void {
    if (answer === null) return
    this.#stationPause = answer.pause?.message ?? null
    this.#message = messageIn(answer, this.#parts.clock.now())
    this.#isOutOfWork = answer.block === null
  }

  roomToSend(signal: AbortSignal): Promise<void> {
    return this.#parts.gate.roomForBytes(signal)
  }

  uploading(bytes: number): void {
    this.#statistics.bytes.up += bytes
    this.#parts.gate.spendBytes(bytes)
    this.#parts.month.add(bytes)
  }

  /** Looks whether another pace suits better. To be called every second. */
  tune(): void {
    const window = { ...this.#statistics.window(), isOutOfWork: this.#isOutOfWork }
    if (window.ms < WINDOW_MIN_MS) return
    if (Tuner.isTooShort(window) && window.ms < WINDOW_MAX_MS) return
    this.#statistics.nextWindow()
    // By how little was done, and why, a pause would be taken for a slow line.
    if (this.isPaused() || Tuner.isTooShort(window)) return
    this.#tuner.observe(window)
    this.#setPace()
  }

  get pace(): Pace {
    const { concurrency } = this.#parts
    const { pace } = this.#tuner
    const { concurrencyMax } = this.#ownerSettings.limits
    return concurrency === null
      ? pace
      : { ...pace, concurrency: Math.min(concurrency, concurrencyMax) }
  }

  #setPace(): void {
    this.#buffer?.setPace(this.pace)
  }
}

function tunerOptions({ concurrencyMax, requestsPerSecond }: VolunteerLimits) {
  const perSecond = requestsPerSecond ?? Infinity
  const requestsInHandMax = Math.max(1, Math.min(IN_HAND_MAX, Math.floor(perSecond * IN_HAND_S)))
  return { concurrencyMax, requestsInHandMax }
}

function messageIn({ message }: LeaseResponse, now: number): AgentView['message'] {
  return message === undefined ? null : { text: message.text, at: now - message.ageMs }
}

export interface PauseFacts {
  isPaused: boolean
  limits: VolunteerLimits
  now: Instant
  monthBytes: number
  power: Power
}

interface PauseReason {
  condition: AgentCondition
  why: string
}

/** What the owner said comes before what the clock says, and that before what the machine says. */
export function pauseReason({
  isPaused,
  limits,
  now,
  monthBytes,
  power,
}: PauseFacts): PauseReason | null {
  if (isPaused) {
    return {
      condition: 'paused-by-owner',
      why: 'You have paused this agent; it goes on when you resume it.',
    }
  }
  const hours = limits.hours === null ? null : parseHours(limits.hours)
  if (hours !== null && !isWithinHours(hours, now)) {
    const why = `This is outside the hours that you lend it (${limits.hours}); it goes on at ${nextOpening(hours, now)}.`
    return { condition: 'outside-hours', why }
  }
  if (limits.bytesPerMonth !== null && monthBytes >= limits.bytesPerMonth) {
    const why =
      'The bytes that you lend it for this month are used up; it goes on when the next month begins (UTC).'
    return { condition: 'month-used-up', why }
  }
  if (limits.pauseOnBattery && power.isOnBattery === true) {
    const why = 'This machine runs on its battery; the agent goes on when it is plugged in.'
    return { condition: 'on-battery', why }
  }
  if (limits.pauseOnMetered && power.isMetered === true) {
    const why = 'The line of this machine is metered; the agent goes on with another line.'
    return { condition: 'on-metered-line', why }
  }
  return null
}
