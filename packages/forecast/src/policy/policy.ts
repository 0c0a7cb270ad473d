/**
 * When to come back: one interface for every policy, used by the simulator and by the live
 * coordinator alike. A policy is pure: it receives what is known of one URL and what the last visit
 * found, and returns when to visit next, what to remember, and why.
 *
 * Times are milliseconds since 1970, rates are per day.
 */
import type { Belief } from '../estimate/belief.ts'
import { DAY_MS } from '../estimate/grid.ts'

/** What a policy may know of one URL: only what its visits (and notices) revealed. */
export interface Known {
  /** Importance: what one version of this URL is worth. */
  weight: number
  /** Of one visit, in the unit of the budget: 1 for requests, and more for what its bytes cost. */
  cost: number
  /** The visit that is being answered to is already in it, and in the counts below. */
  belief: Belief
  visits: number
  /** Visits that found a change. */
  changes: number
  firstVisitAt: number
  lastVisitAt: number
  lastChangeAt: number | null
  /** Mean magnitude of the changes found, from 0 to 1; 1 while none was. */
  meanMagnitude: number
  /** Come at least this often; null: no such promise. */
  floorMs: number | null
  /** Every change of this URL is signalled (feed, hub, hook). */
  isNotified?: boolean
  /** The policy's own memory, JSON-able; null before the first visit. */
  state: unknown
}

export interface Seen {
  at: number
  /** Since the visit before; null: first visit. */
  sinceMs: number | null
  changed: boolean
  /** Of the change, from 0 to 1; 0 without one. */
  magnitude: number
}

/** The facts behind a plan, JSON-able; `explain` makes a sentence of them. */
export interface Why {
  policy: string
  /** The rule that set the moment, in a few words. */
  rule: string
  /**
   * Probability that the page has changed by then, from 0 to 1; null when the policy does not use
   * it.
   */
  chance: number | null
  perDay: number | null
  low: number | null
  high: number | null
  /** What a visit must be worth at the margin, so that the budget is just used. */
  price: number | null
  /** Why another policy plans than the one that was set, with the error's code. */
  instead?: string
}

export interface Plan {
  at: number
  state: unknown
  why: Why
}

/** A million URLs as arrays, no objects. Rates and visits are per day. */
export interface RateSet {
  count: number
  rates: Float32Array
  weights: Float32Array
  costs: Float32Array
  /** Least visits per day, 0: none. */
  floors: Float32Array
  /** Most visits per day, Infinity: no bound. */
  ceilings: Float32Array
  /** 1 where every change is signalled; absent: no signals. */
  notified?: Uint8Array
  /** `GRID_POINTS` posterior weights per URL, where the caller has them: prices fit plans better. */
  posteriors?: Float32Array
  /** What the beliefs started from, in the mean of the set; absent: the broad prior. */
  prior?: Float64Array
}

/** Lagrange multiplier of the budget: importance that one unit of cost must bring at the margin. */
export interface Price {
  readonly perCost: number
  /** Factor per rate of the grid by which the whole set sharpens each belief. */
  readonly population?: Float64Array
  /** What a byte costs, in visits, where bytes are scarce as well; absent: nothing. */
  readonly visitsPerByte?: number
}

/** Either is enough for a visit to be possible. */
export interface LeastShown {
  /** Weight × rate × days since the last visit, for a cost of one. */
  expected: number
  rate: number
}

export interface PlanContext {
  /** Of this URL: its host's price where the host is the bottleneck, else the price for all. */
  price: Price | null
  budgetPerUrlPerDay: number
  /** Uniform in [0, 1). */
  random: () => number
}

export interface Policy {
  readonly name: string
  /** False: visits as often as it thinks right, whatever the budget. */
  readonly usesBudget: boolean
  /** From subscription to first visit; absent: at once. */
  readonly firstVisitAfterMs?: number
  /** It receives signals of changes from a third party, and so knows more than its visits. */
  readonly wantsNotices?: boolean
  /** Rate to price this URL with; absent: the belief's. */
  rate?(known: Known): number
  /** For the whole set: the price at which the budget is just used. */
  price?(set: RateSet, budgetPerDay: number): Price
  next(known: Known, seen: Seen, context: PlanContext): Plan
  /** The same URL at a new price, without a visit; absent: plans do not depend on the price. */
  replan?(known: Known, at: number, context: PlanContext): Plan
  /**
   * In bulk and without reasons: days from the last visit to the next, for every URL at a price,
   * within floors and ceilings; Infinity: none. What `replan` would say of pages without a rhythm
   * of which the policy remembers nothing. `within`, days for each: longer ones may be returned as
   * Infinity, which is quicker.
   */
  gapDays?(set: RateSet, price: Price, within?: Float32Array): Float32Array
  /** What a URL shows at least before `replan` brings a visit by then, whatever its belief is besides;
   * of pages without rhythm, promise or memory. Absent: there is no such bound. */
  leastShown?(price: Price): LeastShown
  /** A third party reports a change; null: the plan stays. */
  notice?(known: Known, at: number, context: PlanContext): Plan | null
}

export const HOUR_MS = 3_600_000

/** Starved: no sum of money makes this page worth a visit. Replanned when the price changes. */
export const NEVER_MS = 3_650 * DAY_MS

/** A reason that is a rule alone, for policies that use no probability. */
export function ruleOnly(policy: string, rule: string): Why {
  return { policy, rule, chance: null, perDay: null, low: null, high: null, price: null }
}

/** The later of two visits is never more than the promised time after the earlier. */
export function withinFloor(at: number, known: Known, from: number): number {
  return known.floorMs === null ? at : Math.min(at, from + known.floorMs)
}
