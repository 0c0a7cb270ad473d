/**
 * A policy from a file of the operator. Its exports are checked before it is accepted, and every
 * answer before it is used: one that throws or returns nonsense fails with a code of its own, so
 * that the caller can plan otherwise. It is trusted code all the same: an endless loop in it cannot
 * be prevented.
 */
import { BadPolicyFile, PolicyFailed } from './errors.ts'
import { isPolicyName } from './names.ts'
import { NEVER_MS, type Plan, type Policy, type Price, type Why } from './policy.ts'

/** `loaded`: the module's exports. */
export function policyIn(path: string, loaded: { default?: unknown }): Policy {
  const policy = loaded.default as Partial<Policy> | undefined
  const isPolicy =
    typeof policy?.name === 'string' &&
    typeof policy.usesBudget === 'boolean' &&
    typeof policy.next === 'function'
  if (!isPolicy) {
    throw new BadPolicyFile(path, 'must export an object with name, usesBudget and next by default')
  }
  return policy as Policy
}

/** The same policy, each answer checked. In bulk it is not asked: plans would come without reasons. */
export function guardedPolicy(path: string, policy: Policy): Policy {
  const { name, usesBudget, firstVisitAfterMs, wantsNotices } = policy
  if (!/^[\w.+-]{1,100}$/.test(name)) {
    throw new BadPolicyFile(path, 'must have a name of letters, digits, dots and dashes')
  }
  if (isPolicyName(name)) throw new BadPolicyFile(path, `cannot be called ${name}: that is taken`)
  const plan = (what: string, ask: () => Plan): Plan => checkedPlan(name, what, asked(name, ask))
  return {
    name,
    usesBudget,
    ...(firstVisitAfterMs === undefined ? {} : { firstVisitAfterMs }),
    ...(wantsNotices === undefined ? {} : { wantsNotices }),
    next: (known, seen, context) => plan('next', () => policy.next(known, seen, context)),
    ...(policy.price && {
      price: (set, budget) =>
        checkedPrice(
          name,
          asked(name, () => policy.price!(set, budget)),
        ),
    }),
    ...(policy.replan && {
      replan: (known, at, context) => plan('replan', () => policy.replan!(known, at, context)),
    }),
    ...(policy.notice && {
      notice: (known, at, context) => {
        const answer = asked(name, () => policy.notice!(known, at, context))
        return answer === null ? null : checkedPlan(name, 'notice', answer)
      },
    }),
  }
}

function asked<T>(name: string, ask: () => T): T {
  try {
    return ask()
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new PolicyFailed(name, `threw “${message.slice(0, 200)}”`, { cause })
  }
}

function checkedPlan(name: string, what: string, plan: Plan): Plan {
  const refuse = (problem: string): never => {
    throw new PolicyFailed(name, `answered ${what} with ${problem}`)
  }
  if (typeof plan !== 'object' || plan === null) return refuse('no plan')
  const { at, state, why } = plan
  // A time more than a century ahead is a mistake of units.
  if (!Number.isFinite(at) || at < 0 || at > NEVER_MS + YEAR_2100) {
    return refuse('a moment that is none')
  }
  if (!isWhy(why)) return refuse('a plan without its reasons')
  if (!isJson(state)) return refuse('a state that is not JSON')
  return { at, state: state ?? null, why: { ...why, policy: name } }
}

/** The year 2100, in milliseconds since 1970. */
const YEAR_2100 = 4_102_444_800_000

function isWhy(why: unknown): why is Why {
  const given = why as Record<string, unknown> | null | undefined
  const isFigure = (value: unknown): boolean => value === null || Number.isFinite(value)
  return (
    typeof given?.['rule'] === 'string' &&
    ['chance', 'perDay', 'low', 'high', 'price'].every((key) => isFigure(given[key]))
  )
}

function isJson(value: unknown): boolean {
  try {
    return typeof JSON.stringify(value ?? null) === 'string'
  } catch {
    return false
  }
}

function checkedPrice(name: string, price: Price): Price {
  if (Number.isFinite(price?.perCost) && price.perCost >= 0) return price
  throw new PolicyFailed(name, 'answered price with no number')
}
