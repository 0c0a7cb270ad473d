/** Pages as tests describe them: what happens on each visit, and what a policy then does. */
import { newBelief, observeVisit } from '../../src/estimate/belief.ts'
import { DAY_MS } from '../../src/estimate/grid.ts'
import type { Known, Plan, PlanContext, Policy, Seen } from '../../src/policy/policy.ts'

/** 2024-01-01 00:00 UTC, a Monday. */
export const MONDAY = 1_704_067_200_000

export function someKnown(over: Partial<Known> = {}): Known {
  return {
    weight: 1,
    cost: 1,
    belief: newBelief(),
    visits: 0,
    changes: 0,
    firstVisitAt: MONDAY,
    lastVisitAt: MONDAY,
    lastChangeAt: null,
    meanMagnitude: 1,
    floorMs: null,
    state: null,
    ...over,
  }
}

export function someContext(over: Partial<PlanContext> = {}): PlanContext {
  return { price: { perCost: 0.3 }, budgetPerUrlPerDay: 1, random: () => 0.5, ...over }
}

/** Visits at the moments the policy asks for; `changedAt` says what each visit finds. */
export function live(
  policy: Policy,
  visits: number,
  changedAt: (visit: number, sinceDays: number) => boolean,
  over: { context?: Partial<PlanContext>; magnitude?: number } = {},
): { known: Known; plans: Plan[] } {
  const known = someKnown()
  const context = someContext(over.context)
  const plans: Plan[] = []
  let at = MONDAY
  for (let visit = 0; visit < visits; visit++) {
    const sinceMs = visit === 0 ? null : at - known.lastVisitAt
    const changed = changedAt(visit, (sinceMs ?? 0) / DAY_MS)
    const seen: Seen = { at, sinceMs, changed, magnitude: changed ? (over.magnitude ?? 1) : 0 }
    if (sinceMs !== null) observeVisit(known.belief, { at, sinceMs, changed })
    known.visits++
    known.lastVisitAt = at
    if (changed && sinceMs !== null) known.changes++
    const plan = policy.next(known, seen, context)
    known.state = JSON.parse(JSON.stringify(plan.state))
    plans.push(plan)
    at = plan.at
  }
  return { known, plans }
}

/** Hours between the last visit and the planned one, visit by visit. */
export function gapsH(plans: readonly Plan[]): number[] {
  return plans.map(({ at }, i) => (at - (i === 0 ? MONDAY : plans[i - 1]!.at)) / 3_600_000)
}
