/**
 * By which policy a URL is planned: the manual one, else Minga's own choice (`policy/choose.ts` of
 * the forecast). A plug-in that fails, or is not loaded any more, must not stop its watch: Minga's
 * own plans instead, and the plan says why.
 */
import {
  choosePolicy,
  kindOf,
  PolicyAbsent,
  PolicyFailed,
  policyNamed,
  type Belief,
  type Choice,
  type Plan,
  type Policy,
} from '@minga/forecast'
import type { WatchSettings } from '@minga/protocol'
import type { ForecastRow, WatchRow } from './forecast-rows.ts'
import { livePolicy } from './live-policies.ts'
import type { Planning } from './planning.ts'

export const DEFAULT_POLICY = 'minga'
const HOUR_MS = 3_600_000

/**
 * A manual period is a policy, too. It is meant for pages: a feed or sitemap that reports their
 * changes is visited as often as it changes itself.
 */
function nameFor(
  { role }: Pick<ForecastRow, 'role'>,
  { periodMs, policy }: WatchSettings,
  chosen: Choice | undefined,
): string {
  if (role === 'feed' || role === 'sitemap') return DEFAULT_POLICY
  if (periodMs !== null) return `fixed:${periodMs / HOUR_MS}`
  return policy ?? chosen?.policy ?? DEFAULT_POLICY
}

type Watched = Pick<WatchRow, 'settings' | 'collectionId'>

/** The policy by which a URL is planned at this moment. */
export function policyFor(
  forecast: Pick<ForecastRow, 'role'>,
  { settings, collectionId }: Watched,
  { chosen }: Pick<Planning, 'chosen'>,
): Policy {
  const name = nameFor(forecast, settings, chosen[collectionId])
  return livePolicy(name) ?? policyNamed(DEFAULT_POLICY)
}

/** Asks a policy, and Minga's own where it is a plug-in that fails or is absent. */
export function planBy<P extends Plan | null>(
  { role, watch, planning }: { role: ForecastRow['role']; watch: Watched; planning: Planning },
  ask: (policy: Policy) => P,
): P {
  const name = nameFor({ role }, watch.settings, planning.chosen[watch.collectionId])
  const policy = livePolicy(name)
  const failed = planning.failed[name]
  if (policy === null) return askInstead(ask, new PolicyAbsent(name))
  if (failed !== undefined) {
    return askInstead(ask, { code: 'MINGA_POLICY_FAILED', message: failed })
  }
  try {
    return ask(policy)
  } catch (error) {
    if (!(error instanceof PolicyFailed)) throw error
    return askInstead(ask, error)
  }
}

function askInstead<P extends Plan | null>(
  ask: (policy: Policy) => P,
  { code, message }: { code: string; message: string },
): P {
  const plan = ask(policyNamed(DEFAULT_POLICY))
  if (plan === null) return plan
  const instead = `${message.replace(/\.$/, '')} (${code})`
  return { ...plan, why: { ...plan.why, instead } }
}

/** Why a URL has its policy, where no user set one; null: a user did. */
export function reasonFor(
  { role }: Pick<ForecastRow, 'role'>,
  { settings, collectionId }: Watched,
  { chosen, belief }: Pick<Planning, 'chosen'> & { belief: Belief },
): string | null {
  if (role === 'feed' || role === 'sitemap') return 'it is visited as often as it changes itself'
  if (settings.periodMs !== null || settings.policy !== null) return null
  const choice = chosen[collectionId]
  if (choice !== undefined) return choice.reason
  return choosePolicy({ kind: kindOf(belief), isTold: false, passesGate: null }).reason
}
