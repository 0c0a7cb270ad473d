/**
 * One policy on many traces, event by event in virtual time: visits when they are due, notices when
 * they come, a new price every day. A policy learns what its visits see and nothing else.
 *
 * Budget: `budget` visits per URL and day. The first visits at the start are part of it; what is left
 * is offered to policies with a price evenly over the days that remain, and they never get more than
 * budget × URLs × days visits. Policies without a price keep to the budget by their gaps.
 */
import {
  DAY_MS,
  GRID_POINTS,
  newBelief,
  observeChanges,
  observeVisit,
  rateAt,
  type Known,
  type Plan,
  type PlanContext,
  type Policy,
  type Price,
  type RateSet,
  type Seen,
} from '@minga/forecast'
import { Calibration } from './calibration.ts'
import { DueQueue } from './due-queue.ts'
import { randomStream } from './random.ts'
import type { Trace } from './trace.ts'

/**
 * What the visits to one URL come to. A URL begins in an initial state, and every change brings a
 * new one. Rules at the edges:
 *   - a change at the very instant of a visit is seen by it;
 *   - a visit captures a version when it is the first, or something changed since the one before;
 *     every other visit is redundant, so crawls = versions + redundant;
 *   - a change is caught when a visit saw its state before the next change, else lost; two changes
 *     at one instant: the former is lost;
 *   - the copy is fresh while nothing changed since it was made; before the first visit there is none,
 *     and nothing is fresh;
 *   - age is the time since the first change that no visit has seen yet, 0 without one.
 */
export class Tally {
  crawls = 0
  versions = 0
  caught = 0
  freshMs = 0
  /** Age integrated over time, in ms². */
  ageMs2 = 0
  /** Of what the last visit found; 0 without a change. */
  magnitude = 0
  readonly trace: Trace
  /** Changes up to the last visit. */
  #seen = 0
  #lastAt: number

  constructor(trace: Trace) {
    this.trace = trace
    this.#lastAt = trace.start
  }

  /** Did anything change since the visit before? */
  visit(at: number): boolean {
    const { changes, magnitudes } = this.trace
    let upTo = this.#seen
    let magnitude = 0
    while (upTo < changes.length && changes[upTo]! <= at) {
      magnitude = Math.max(magnitude, magnitudes?.[upTo] ?? 1)
      upTo++
    }
    this.#passUntil(at)
    const changed = upTo > this.#seen
    if (changed) this.caught++
    if (changed || this.crawls === 0) this.versions++
    this.crawls++
    this.magnitude = magnitude
    this.#seen = upTo
    this.#lastAt = at
    return changed
  }

  /** Has the change of this number not been seen by any visit? */
  isUnseen(change: number): boolean {
    return change >= this.#seen
  }

  end(): void {
    this.#passUntil(this.trace.end)
    this.#lastAt = this.trace.end
  }

  #passUntil(at: number): void {
    const firstUnseen = this.trace.changes[this.#seen] ?? Infinity
    const staleFrom = Math.min(firstUnseen, at)
    if (this.crawls > 0) this.freshMs += staleFrom - this.#lastAt
    this.ageMs2 += (at - staleFrom) ** 2 / 2
  }
}

/** The price is found again daily, and sooner when visits run ahead of the budget: after a tenth of a
 * day's visits at more than so many times their pace. Beliefs move fast when much is new. */
const REPLAN_MS = DAY_MS
const EARLY_SHARE = 0.1
const EARLY_PACE = 1.3

export interface RunOptions {
  budget: number
  seed: number
  /** What a policy knows of a URL before its first visit; absent: nothing. */
  stateOf?: (trace: Trace) => unknown
}

export interface RunResult {
  name: string
  tallies: Tally[]
  calibration: Calibration
}

export function runPolicy(
  policy: Policy,
  traces: readonly Trace[],
  options: RunOptions,
): RunResult {
  const run = new Run(policy, traces, options)
  run.live()
  return { name: policy.name, tallies: run.tallies, calibration: run.calibration }
}

class Run {
  readonly tallies: Tally[]
  readonly calibration = new Calibration()
  readonly #policy: Policy
  readonly #traces: readonly Trace[]
  readonly #known: Known[]
  readonly #plans: (Plan | null)[]
  readonly #visits: DueQueue
  readonly #notices: DueQueue | null
  /** Notices delivered per URL. */
  readonly #sent: Int32Array
  readonly #context: PlanContext
  readonly #set: RateSet
  readonly #start: number
  readonly #end: number
  readonly #allowed: number
  #spent = 0
  #replanAt: number
  /** When the price was last found, and the visits per day it is to lead to. */
  #pricedAt: number
  #perDay = Infinity
  #spentBefore = 0

  constructor(policy: Policy, traces: readonly Trace[], options: RunOptions) {
    const { budget, seed, stateOf } = options
    this.#policy = policy
    this.#traces = traces
    this.tallies = traces.map((trace) => new Tally(trace))
    this.#known = traces.map((trace) => newKnown(trace, policy))
    if (stateOf) this.#known.forEach((known, url) => (known.state = stateOf(traces[url]!)))
    this.#plans = traces.map(() => null)
    const wait = policy.firstVisitAfterMs ?? 0
    this.#visits = new DueQueue(Float64Array.from(traces, ({ start }) => start + wait))
    this.#sent = new Int32Array(traces.length)
    this.#notices = policy.notice
      ? new DueQueue(Float64Array.from(traces, (_, url) => this.#nextNoticeAt(url)))
      : null
    this.#start = traces.reduce((least, { start }) => Math.min(least, start), Infinity)
    this.#end = traces.reduce((most, { end }) => Math.max(most, end), -Infinity)
    this.#replanAt = this.#pricedAt = this.#start
    this.#allowed = allowedVisits(policy, traces, budget)
    const random = randomStream(seed, 99)
    this.#context = { price: null, budgetPerUrlPerDay: budget, random }
    this.#set = newRateSet(this.#known)
  }

  live(): void {
    const notices = this.#notices
    for (;;) {
      const url = this.#visits.first()
      const visitAt = this.#visits.due[url]!
      const noticeAt = notices ? notices.due[notices.first()]! : Infinity
      const at = Math.min(visitAt, noticeAt, this.#replanAt)
      if (at >= this.#end) break
      if (at === this.#replanAt) this.#replan(at)
      else if (visitAt <= noticeAt) this.#visit(url, visitAt)
      else this.#hear(notices!.first(), noticeAt)
    }
    for (const tally of this.tallies) tally.end()
  }

  #visit(url: number, at: number): void {
    const known = this.#known[url]!
    const isFirst = known.visits === 0
    if (at >= this.#traces[url]!.end || (!isFirst && this.#spent >= this.#allowed)) {
      this.#visits.move(url, Infinity)
      return
    }
    this.#spent++
    if (this.#isAhead(at)) this.#replanAt = at
    const tally = this.tallies[url]!
    const changed = tally.visit(at)
    const seen = {
      at,
      sinceMs: isFirst ? null : at - known.lastVisitAt,
      changed,
      magnitude: tally.magnitude,
    }
    const chance = this.#plans[url]?.why.chance ?? null
    if (!isFirst && chance !== null) this.calibration.add(chance, changed)
    remember(known, seen)
    this.#setPlan(url, this.#policy.next(known, seen, this.#context))
  }

  #setPlan(url: number, plan: Plan): void {
    this.#plans[url] = plan
    this.#known[url]!.state = plan.state
    this.#visits.move(url, Math.max(plan.at, this.#known[url]!.lastVisitAt + 1))
  }

  #isAhead(at: number): boolean {
    const visits = this.#spent - this.#spentBefore
    const days = (at - this.#pricedAt) / DAY_MS
    return visits > EARLY_SHARE * this.#perDay && visits > EARLY_PACE * this.#perDay * days
  }

  /** Prices follow from what is known now and from what is left of the budget. */
  #replan(at: number): void {
    const policy = this.#policy
    this.#replanAt = at + REPLAN_MS
    if (!policy.price) return
    for (const known of this.#known) if (known.isNotified) hearSilence(known, at)
    fillRateSet(this.#set, this.#known, policy)
    const days = Math.max(1, this.#end - at) / DAY_MS
    const firstVisits = this.#known.filter(({ visits }) => visits === 0).length
    const left = Math.max(0, this.#allowed - this.#spent - firstVisits)
    this.#perDay = left / days
    this.#pricedAt = at
    // First visits are due at the start whatever the price, and their cost is known.
    this.#spentBefore = this.#spent + firstVisits
    const price: Price = policy.price(this.#set, this.#perDay)
    this.#context.price = price
    if (!policy.replan) return
    for (let url = 0; url < this.#known.length; url++) {
      const known = this.#known[url]!
      if (known.visits === 0 || this.#visits.due[url] === Infinity) continue
      const plan = policy.replan(known, at, this.#context)
      this.#plans[url] = plan
      this.#visits.due[url] = plan.at
    }
    this.#visits.reorder()
  }

  #nextNoticeAt(url: number): number {
    const { notices, changes } = this.#traces[url]!
    return (notices ?? this.#derived(changes))[this.#sent[url]!] ?? Infinity
  }

  /** Where a trace names no notices, only policies that ask for them receive one for every change. */
  #derived(changes: Float64Array): Float64Array {
    return this.#policy.wantsNotices ? changes : new Float64Array(0)
  }

  #hear(url: number, at: number): void {
    const known = this.#known[url]!
    const number = this.#sent[url]!++
    this.#notices!.move(url, this.#nextNoticeAt(url))
    const isNews = this.#traces[url]!.notices !== null || this.tallies[url]!.isUnseen(number)
    if (known.visits === 0 || !isNews) return
    if (known.isNotified) {
      observeChanges(known.belief, { at, count: 1, spanMs: at - known.belief.lastSeenAt })
    }
    const plan = this.#policy.notice!(known, at, this.#context)
    if (plan) this.#setPlan(url, plan)
  }
}

/** First visits are never refused; a policy that keeps to the budget by its gaps may end with a visit
 * begun in the last one. */
function allowedVisits(policy: Policy, traces: readonly Trace[], budget: number): number {
  if (!policy.usesBudget) return Infinity
  let visits = 0
  for (const { start, end } of traces) {
    const share = (budget * (end - start)) / DAY_MS
    visits += policy.price ? share : Math.ceil(share - 1e-9)
  }
  return Math.max(Math.floor(visits + 1e-6), traces.length)
}

function newKnown(trace: Trace, policy: Policy): Known {
  const belief = newBelief()
  belief.lastSeenAt = trace.start
  return {
    weight: trace.weight,
    cost: 1,
    belief,
    visits: 0,
    changes: 0,
    firstVisitAt: trace.start,
    lastVisitAt: trace.start,
    lastChangeAt: null,
    meanMagnitude: 1,
    floorMs: null,
    isNotified: 'notice' in policy && (policy.wantsNotices === true || trace.notices !== null),
    state: null,
  }
}

/** The visit enters what is known before the policy is asked. */
function remember(known: Known, { at, sinceMs, changed, magnitude }: Seen): void {
  if (sinceMs === null) known.firstVisitAt = at
  else if (known.isNotified !== true) observeVisit(known.belief, { at, sinceMs, changed })
  known.visits++
  known.lastVisitAt = at
  if (!changed || sinceMs === null) return
  known.meanMagnitude = (known.meanMagnitude * known.changes + magnitude) / (known.changes + 1)
  known.changes++
  known.lastChangeAt = at
}

/** Where every change is reported, silence is also information. */
function hearSilence({ belief }: Known, at: number): void {
  const spanMs = at - belief.lastSeenAt
  if (spanMs >= DAY_MS) observeChanges(belief, { at, count: 0, spanMs })
}

function newRateSet(known: readonly Known[]): RateSet {
  const count = known.length
  return {
    count,
    rates: new Float32Array(count),
    weights: Float32Array.from(known, ({ weight }) => weight),
    costs: Float32Array.from(known, ({ cost }) => cost),
    floors: new Float32Array(count),
    ceilings: new Float32Array(count).fill(Infinity),
    notified: Uint8Array.from(known, ({ isNotified }) => (isNotified ? 1 : 0)),
    posteriors: new Float32Array(count * GRID_POINTS),
  }
}

function fillRateSet(set: RateSet, known: readonly Known[], policy: Policy): void {
  for (let i = 0; i < known.length; i++) {
    const { belief, weight, meanMagnitude } = known[i]!
    set.posteriors!.set(belief.weights, i * GRID_POINTS)
    set.weights[i] = weight * meanMagnitude
    set.rates[i] = policy.rate ? policy.rate(known[i]!) : rateAt(set.posteriors!, i)
  }
}
