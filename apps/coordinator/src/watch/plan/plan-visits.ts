/**
 * Step 9: what a visit teaches about its URL, and when to come back. The belief takes in the visit,
 * the watch's policy answers with a moment and its reasons, at the price of the latest replanning.
 */
import {
  decodeBelief,
  encodeBelief,
  newBelief,
  observeChanges,
  observeVisit,
  rateOf,
  type Belief,
  type Known,
  type Plan,
  type PlanContext,
  type Policy,
  type Seen,
  type Why,
} from '@minga/forecast'
import type { ReportedChanges } from '../signals/reported-changes.ts'
import type { Visit } from '../visits/decide-visit.ts'
import type { ForecastRow, WatchRow } from './forecast-rows.ts'
import { priceAt, priceFor, visitsPerByteOf, type Planning } from './planning.ts'
import { planBy } from './policy-for.ts'

/** Who tells may fall silent: a look this often finds out. */
const SILENCE_MS = 30 * 86_400_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A page is not visited more often, however fast it changes: for that there are feeds and hubs. */
export const GAP_LEAST_MS = 600_000
/** After failures in a row: soon at first, since most pass, and then ever more rarely. */
const RETRY_FIRST_MS = HOUR_MS
const RETRY_MOST_MS = 7 * 24 * HOUR_MS

/** A plan as it is kept: its reasons, and the moment itself (a second look may come in between). */
export interface KeptPlan extends Why {
  at: number
}

export interface Planned {
  at: number | null
  rate: number
  belief: Uint8Array
  plan: KeptPlan | null
  state: unknown
}

export interface PlanningVisit {
  forecast: ForecastRow
  watch: WatchRow
  visit: Visit
  /** Set when a source reported the time of the change; null: no source that is believed. */
  reported: ReportedChanges | null
}

export function planAfter(
  { forecast, watch, visit, reported }: PlanningVisit,
  planning: Planning,
): Planned {
  const belief = beliefOf(forecast)
  const isFailed = visit.outcome === 'failed'
  const sinceMs = forecast.last_visit_at === null ? null : visit.at - forecast.last_visit_at
  const changed = visit.outcome === 'changed' && visit.change.isImportant
  if (!isFailed && !visit.isTwin && sinceMs !== null) {
    learn(belief, { at: visit.at, sinceMs, changed, reported })
  }
  const kept = { rate: rateOf(belief).perDay, belief: encodeBelief(belief) }
  const former = { ...kept, plan: planOf(forecast), state: stateOf(forecast) }
  if (!watch.settings.isActive) return { ...former, at: null }
  if (isFailed) return { ...former, at: visit.at + retryPauseMs(forecast) }
  if (visit.isTwin && former.plan !== null) return { ...former, at: former.plan.at }
  const seen = { at: visit.at, sinceMs, changed, magnitude: visit.change.magnitude }
  const plan = planBy({ role: forecast.role, watch, planning }, (policy) => {
    const known = knownAfter(forecast, { watch, belief, seen, planning, policy })
    const context = contextOf(watch, policy, planning, forecast)
    return policy.usesBudget && context.price === null && policy.price !== undefined
      ? unpriced(policy, seen.at, planning)
      : policy.next(known, seen, context)
  })
  return { ...kept, ...asKept(soonest(plan, seen.at, { watch, forecast, planning })) }
}

interface Lesson {
  at: number
  sinceMs: number
  changed: boolean
  reported: ReportedChanges | null
}

/** A visit caused by a notice always finds a change, so only the reported times reveal the rate. */
function learn(belief: Belief, { at, sinceMs, changed, reported }: Lesson): void {
  if (!changed || reported === null) return observeVisit(belief, { at, sinceMs, changed })
  const { times, unsureMs } = reported
  observeChanges(belief, {
    at,
    count: times.length,
    spanMs: sinceMs,
    times,
    unsureMs,
    isVisit: true,
  })
}

/** What is new may be visited before the first replanning after it: its share of the budget holds. */
function unpriced({ name }: Policy, from: number, { budgetPerUrlPerDay }: Planning): Plan {
  const why = { policy: name, rule: 'not priced yet', chance: null, perDay: null }
  return {
    at: from + DAY_MS / budgetPerUrlPerDay,
    state: null,
    why: { ...why, low: null, high: null, price: null },
  }
}

/** Applies to every policy, unless a user set the period manually. */
export function soonest(plan: Plan, from: number, within: Within): Plan {
  return { ...plan, at: Math.max(plan.at, from + leastGapMs(within)) }
}

export function leastGapMs({ watch, forecast, planning }: Within): number {
  const { periodMs, policy } = watch.settings
  if (periodMs !== null) return 0
  if (policy !== null) return GAP_LEAST_MS
  return DAY_MS / ceilingOf(forecast.weight, planning.budgetPerUrlPerDay)
}

interface Within {
  watch: WatchRow
  forecast: Pick<ForecastRow, 'weight'>
  planning: Pick<Planning, 'budgetPerUrlPerDay'>
}

/** Times the average share of the budget that one URL may use; its importance raises it. */
const SHARES_MOST = 8
const CEILING_LEAST = 2

/** Most visits a day: a few pages that change on every fetch must not eat the budget of all. */
export function ceilingOf(weight: number, budgetPerUrlPerDay: number): number {
  const shares = Math.max(CEILING_LEAST, SHARES_MOST * weight * budgetPerUrlPerDay)
  return Math.min(shares, DAY_MS / GAP_LEAST_MS)
}

export function asKept(plan: Plan): Pick<Planned, 'at' | 'plan' | 'state'> {
  const at = Math.round(plan.at)
  return { at, plan: { ...plan.why, at }, state: plan.state }
}

export function beliefOf({ belief }: Pick<ForecastRow, 'belief'>): Belief {
  return belief === null ? newBelief() : decodeBelief(belief)
}

const planOf = ({ plan }: ForecastRow): KeptPlan | null =>
  plan === null ? null : (JSON.parse(plan) as KeptPlan)

const stateOf = ({ policy_state: state }: ForecastRow): unknown =>
  state === null ? null : JSON.parse(state)

/** What another policy remembered means nothing to this one. */
function ownState(forecast: ForecastRow, policy: Policy): unknown {
  return planOf(forecast)?.policy === policy.name ? stateOf(forecast) : null
}

function retryPauseMs({ failures }: ForecastRow): number {
  return Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** Math.min(failures, 20))
}

interface Learnt {
  watch: WatchRow
  belief: Belief
  seen: Seen
  planning: Planning
  policy: Policy
}

function knownAfter(forecast: ForecastRow, learnt: Learnt): Known {
  const { seen } = learnt
  const changes = forecast.changes + (seen.changed ? 1 : 0)
  return {
    ...knownOf(forecast, learnt),
    visits: forecast.visits + 1,
    changes,
    firstVisitAt: forecast.first_visit_at ?? seen.at,
    lastVisitAt: seen.at,
    lastChangeAt: seen.changed ? seen.at : forecast.last_change_at,
  }
}

/**
 * The value of a page's usual change compared with a wholly new page. A change of one word in a
 * thousand is worth a fifth of it, not a thousandth: a price, a date or a name is often all that
 * people watch.
 */
export function usualWorth({
  changes,
  magnitude,
}: Pick<ForecastRow, 'changes' | 'magnitude'>): number {
  return changes === 0 || magnitude <= 0 ? 1 : magnitude ** 0.25
}

export function knownOf(
  forecast: ForecastRow,
  { watch, belief, planning, policy }: Omit<Learnt, 'seen'>,
): Known {
  const isNotified = planning.notified.includes(watch.collectionId)
  const { visits, changes } = forecast
  return {
    weight: forecast.weight,
    cost: 1 + visitsPerByteOf(policy.name, planning) * forecast.usual_bytes,
    belief,
    visits,
    changes,
    firstVisitAt: forecast.first_visit_at ?? 0,
    lastVisitAt: forecast.last_visit_at ?? 0,
    lastChangeAt: forecast.last_change_at,
    meanMagnitude: usualWorth(forecast),
    floorMs: watch.settings.floorMs ?? (isNotified ? SILENCE_MS : null),
    isNotified,
    state: ownState(forecast, policy),
  }
}

export function contextOf(
  watch: WatchRow,
  { name }: Policy,
  planning: Planning,
  forecast: ForecastRow,
): PlanContext {
  return {
    price: priceAt(forecast.host_id, priceFor(watch, name, planning), planning.hosts[name]),
    budgetPerUrlPerDay: planning.budgetPerUrlPerDay,
    random: seeded(forecast.hash ^ forecast.visits),
  }
}

/** Operations may run again from their start: the same visit draws the same numbers. */
function seeded(seed: number): () => number {
  let state = seed | 0
  return () => {
    // Mulberry32: enough for jitter.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
