/**
 * Policies that solve one objective for the whole set under a budget and then visit every URL at
 * steady gaps of 1/ρ (Azar et al. report that such a schedule reaches 99 % of the random one's
 * optimum). They differ in their objective alone: all take their rates from the same belief.
 */
import { DAY_MS, GRID_POINTS, LOG_RATES } from '../estimate/grid.ts'
import { rateIn } from '../estimate/packed.ts'
import {
  azarAt,
  followedAt,
  followedShare,
  freshnessAt,
  lambdaCrawlAt,
  proportionalAt,
  type VisitsAt,
} from './objectives.ts'
import {
  NEVER_MS,
  withinFloor,
  type Known,
  type Plan,
  type PlanContext,
  type Policy,
  type Seen,
} from './policy.ts'
import { solvePrice, visitsOf } from './solve.ts'

interface Priced {
  name: string
  visitsAt: VisitsAt
  /** Rate to plan with; absent: the belief's mean. */
  rate?: (known: Known) => number
  /** The policy's memory after a visit; absent: none. */
  remember?: (known: Known, seen: Seen) => unknown
}

export function priced({ name, visitsAt, rate = beliefRate, remember }: Priced): Policy {
  const planFrom = (known: Known, from: number, { price }: PlanContext): Plan => {
    const perDay = rate(known)
    const perCost = price?.perCost ?? 0
    const visits = visitsAt(perDay, known.weight, Math.max(perCost * known.cost, 1e-12))
    const gapMs = Math.min(DAY_MS / visits, NEVER_MS)
    const at = withinFloor(from + gapMs, known, from)
    const chance = -Math.expm1((-perDay * (at - from)) / DAY_MS)
    const why = { policy: name, rule: ruleOf(visits), chance, perDay, low: null, high: null }
    return { at, state: known.state, why: { ...why, price: perCost } }
  }
  return {
    name,
    usesBudget: true,
    rate,
    price: (set, budgetPerDay) => solvePrice(set, budgetPerDay, visitsAt),
    gapDays: (set, { perCost }) =>
      set.rates.map((_, i) => 1 / visitsOf(set, i, Math.max(perCost, 1e-12), visitsAt)),
    next: (known, seen, context) => {
      const state = remember?.(known, seen) ?? null
      return planFrom({ ...known, state }, seen.at, context)
    },
    replan: (known, at, context) => later(planFrom(known, known.lastVisitAt, context), at),
  }
}

function beliefRate(known: Known): number {
  return rateIn(known.belief.weights)
}

/** The posterior's geometric mean. Freshness starves what seems too fast, and the arithmetic mean of
 * a broad posterior always seems so: these objectives do markedly better with this one. */
export function typicalRate(weights: ArrayLike<number>): number {
  let log = 0
  for (let i = 0; i < GRID_POINTS; i++) log += weights[i]! * LOG_RATES[i]!
  return Math.exp(log)
}

const typicalOf = ({ belief }: Known): number => typicalRate(belief.weights)

function ruleOf(visits: number): string {
  return visits > 0 ? `${visits.toPrecision(2)} visits a day` : 'not worth a visit at this price'
}

/** A plan whose moment has passed already is due now. */
export function later(plan: Plan, now: number): Plan {
  return plan.at >= now ? plan : { ...plan, at: now }
}

export const proportionalPolicy = priced({ name: 'proportional', visitsAt: proportionalAt })
export const choPolicy = priced({ name: 'cho', visitsAt: freshnessAt, rate: typicalOf })
export const azarPolicy = priced({ name: 'azar', visitsAt: azarAt, rate: typicalOf })
export const lambdaCrawlPolicy = priced({
  name: 'lambda-crawl',
  visitsAt: lambdaCrawlAt,
  rate: typicalOf,
})

/**
 * Notified URLs are visited at a share of their notices, the others as LambdaCrawl does, at one
 * price for both (Kolobov et al. 2019, the mixed case).
 */
export const completeObservationPolicy: Policy = {
  ...lambdaCrawlPolicy,
  name: 'complete-observation',
  wantsNotices: true,
  price: (set, budgetPerDay) => solvePrice(set, budgetPerDay, lambdaCrawlAt, followedAt),
  next: (known, seen, context) =>
    known.isNotified ? waiting(known, seen.at) : lambdaCrawlPolicy.next(known, seen, context),
  replan: (known, at, context) =>
    known.isNotified
      ? waiting(known, known.lastVisitAt)
      : lambdaCrawlPolicy.replan!(known, at, context),
  notice: (known, at, { price, random }) => {
    const perCost = price?.perCost ?? 0
    const share = followedShare(typicalOf(known), known.weight, perCost * known.cost)
    if (random() >= share) return null
    const rule = `${(100 * share).toFixed(0)} % of the notices are followed`
    const why = { policy: 'complete-observation', rule, chance: 1, perDay: null }
    return { at, state: null, why: { ...why, low: null, high: null, price: perCost } }
  },
}

/** For a signalled URL: not before a signal comes, or the guaranteed interval ends. */
function waiting(known: Known, from: number): Plan {
  const why = { policy: 'complete-observation', rule: 'waits for a notice', chance: null }
  return {
    at: withinFloor(from + NEVER_MS, known, from),
    state: null,
    why: { ...why, perDay: null, low: null, high: null, price: null },
  }
}
