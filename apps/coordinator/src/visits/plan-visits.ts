/**
 * Step 9: what a visit teaches about its URL, and when to come back. The belief takes in the visit,
 * the watch's policy answers with a moment and its reasons, at the price of the latest replanning.
 */
import {
  decodeBelief,
  encodeBelief,
  newBelief,
  observeVisit,
  policyNamed,
  rateOf,
  type Belief,
  type Known,
  type Plan,
  type PlanContext,
  type Policy,
  type Price,
  type Seen,
  type Why,
} from '@minga/forecast'
import type { WatchSettings } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { readFact } from '../station-facts.ts'
import type { Visit } from './decide-visit.ts'
import type { ForecastRole, ForecastRow, WatchRow } from './forecast-rows.ts'

/** What plans are made with; written by each replanning. */
export interface Planning {
  budgetPerUrlPerDay: number
  /** By name of the policy: what a visit must be worth. */
  prices: Record<string, KeptPrice>
  /** The prices at which all plans were last timed: those drift away from what is planned. */
  timedAt: Record<string, number>
  /** Of watches that may use a share of the budget only, by id. */
  shares: Record<string, Record<string, KeptPrice>>
  /** Watches of whose changes somebody tells, by id: what a hub or hook said was true of late. */
  notified: number[]
}

/** A price as it is kept: `population` are the factors of the whole set, if the policy has any. */
export interface KeptPrice {
  perCost: number
  population?: number[]
}

export function keptPrice({ perCost, population }: Price): KeptPrice {
  return population === undefined ? { perCost } : { perCost, population: [...population] }
}

export const PLANNING_FACT = 'visitPrices'
/** Before the first replanning. */
const UNPRICED: Planning = {
  budgetPerUrlPerDay: 1,
  prices: {},
  timedAt: {},
  shares: {},
  notified: [],
}

/**
 * What the policy is while nobody chose one. The experiments (docs/experiments-revisit.md) leave two
 * classes to be told apart: rhythm, bursts and rare changes `minga` finds by itself and no other policy
 * was ahead of it, but where somebody tells of every change `complete-observation` was.
 */
const CHOSEN_BY_MINGA = 'minga'
const CHOSEN_WHEN_TOLD = 'complete-observation'
/** Who tells may fall silent: a look this often finds out. */
const SILENCE_MS = 30 * 86_400_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** More often a page is not looked at, however fast it changes: for that there are feeds and hubs. */
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

export async function readPlanning(sql: Sql): Promise<Planning> {
  const stored = await readFact(sql, { name: PLANNING_FACT })
  return stored === null ? UNPRICED : (JSON.parse(stored) as Planning)
}

/** A period set by hand is a policy, too. It is meant for pages: a feed or sitemap that is to tell of
 * their changes is looked at as often as it changes itself. */
export function policyOf({ periodMs, policy }: WatchSettings, url: Planless): Policy {
  if (url.role === 'feed' || url.role === 'sitemap') return policyNamed(CHOSEN_BY_MINGA)
  if (periodMs !== null) return policyNamed(`fixed:${periodMs / HOUR_MS}`)
  return policyNamed(policy ?? (url.isNotified ? CHOSEN_WHEN_TOLD : CHOSEN_BY_MINGA))
}

interface Planless {
  role: ForecastRole
  /** Somebody tells of its changes, and what they told of late was true. */
  isNotified: boolean
}

export function planAfter(
  { forecast, watch, visit }: { forecast: ForecastRow; watch: WatchRow; visit: Visit },
  planning: Planning,
): Planned {
  const belief = beliefOf(forecast)
  const isFailed = visit.outcome === 'failed'
  const sinceMs = forecast.last_visit_at === null ? null : visit.at - forecast.last_visit_at
  const changed = visit.outcome === 'changed' && visit.change.isImportant
  if (!isFailed && !visit.isTwin && sinceMs !== null) {
    observeVisit(belief, { at: visit.at, sinceMs, changed })
  }
  const kept = { rate: rateOf(belief).perDay, belief: encodeBelief(belief) }
  const former = { ...kept, plan: planOf(forecast), state: stateOf(forecast) }
  if (!watch.settings.isActive) return { ...former, at: null }
  if (isFailed) return { ...former, at: visit.at + retryPauseMs(forecast) }
  if (visit.isTwin && former.plan !== null) return { ...former, at: former.plan.at }
  const seen = { at: visit.at, sinceMs, changed, magnitude: visit.change.magnitude }
  const policy = policyFor(forecast, watch, planning)
  const known = knownAfter(forecast, { watch, belief, seen, planning })
  const context = contextOf(watch, policy, planning, forecast)
  const plan =
    policy.usesBudget && context.price === null && policy.price !== undefined
      ? unpriced(policy, seen.at, planning)
      : policy.next(known, seen, context)
  return { ...kept, ...asKept(soonest(plan, seen.at, { watch, forecast, planning })) }
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

/** Whatever a policy says, unless somebody set the period by hand. */
export function soonest(plan: Plan, from: number, within: Within): Plan {
  const { watch, forecast, planning } = within
  const { periodMs, policy } = watch.settings
  if (periodMs !== null) return plan
  const ceiling = ceilingOf(forecast.weight, planning.budgetPerUrlPerDay)
  const gapMs = policy === null ? DAY_MS / ceiling : GAP_LEAST_MS
  return { ...plan, at: Math.max(plan.at, from + gapMs) }
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
}

function knownAfter(forecast: ForecastRow, { watch, belief, seen, planning }: Learnt): Known {
  const changes = forecast.changes + (seen.changed ? 1 : 0)
  return {
    ...knownOf(forecast, { watch, belief, planning }),
    visits: forecast.visits + 1,
    changes,
    firstVisitAt: forecast.first_visit_at ?? seen.at,
    lastVisitAt: seen.at,
    lastChangeAt: seen.changed ? seen.at : forecast.last_change_at,
  }
}

/**
 * What a usual change of a page is worth beside a wholly new page. A change of one word in a thousand
 * is worth a fifth of it, not a thousandth: a price, a date or a name is often all that people watch.
 */
export function usualWorth({
  changes,
  magnitude,
}: Pick<ForecastRow, 'changes' | 'magnitude'>): number {
  return changes === 0 || magnitude <= 0 ? 1 : magnitude ** 0.25
}

/** The policy by which a URL is planned at this moment. */
export function policyFor(
  { role }: Pick<ForecastRow, 'role'>,
  { settings, collectionId }: WatchRow,
  { notified }: Planning,
): Policy {
  return policyOf(settings, { role, isNotified: notified.includes(collectionId) })
}

export function knownOf(
  forecast: ForecastRow,
  { watch, belief, planning }: Omit<Learnt, 'seen'>,
): Known {
  const isNotified = planning.notified.includes(watch.collectionId)
  const { visits, changes } = forecast
  return {
    weight: forecast.weight,
    cost: 1,
    belief,
    visits,
    changes,
    firstVisitAt: forecast.first_visit_at ?? 0,
    lastVisitAt: forecast.last_visit_at ?? 0,
    lastChangeAt: forecast.last_change_at,
    meanMagnitude: usualWorth(forecast),
    floorMs: watch.settings.floorMs ?? (isNotified ? SILENCE_MS : null),
    isNotified,
    state: ownState(forecast, policyFor(forecast, watch, planning)),
  }
}

export function contextOf(
  watch: WatchRow,
  { name }: Policy,
  planning: Planning,
  forecast: ForecastRow,
): PlanContext {
  const kept = planning.shares[watch.collectionId]?.[name] ?? planning.prices[name]
  return {
    price: kept === undefined ? null : priceIn(kept),
    budgetPerUrlPerDay: planning.budgetPerUrlPerDay,
    random: seeded(forecast.hash ^ forecast.visits),
  }
}

function priceIn({ perCost, population }: KeptPrice): Price {
  return population === undefined
    ? { perCost }
    : { perCost, population: Float64Array.from(population) }
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
