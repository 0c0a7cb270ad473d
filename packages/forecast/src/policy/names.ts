/** From the name that people write to the policy. */
import { UnknownPolicy } from './errors.ts'
import { exponentialGapPolicy } from './exponential-gap.ts'
import { mingaFreshness, mingaVersions } from './minga.ts'
import type { Policy } from './policy.ts'
import {
  azarPolicy,
  choPolicy,
  completeObservationPolicy,
  lambdaCrawlPolicy,
  proportionalPolicy,
} from './priced.ts'
import { fixedPolicy, nutchPolicy, randomPolicy, uniformPolicy } from './simple-rules.ts'
import { thesisPolicy, TYPES, type Type } from './thesis.ts'

/** Names of the predictors by type; `+` composes more of them. */
const THESIS: Readonly<Record<string, readonly Type[]>> = {
  simple: ['simple'],
  notification: ['simple', 'notification'],
  history: ['simple', 'history'],
  'day-type': ['day-type'],
}

const WHOLE: readonly Policy[] = [
  randomPolicy,
  uniformPolicy,
  proportionalPolicy,
  exponentialGapPolicy,
  nutchPolicy,
  choPolicy,
  azarPolicy,
  lambdaCrawlPolicy,
  completeObservationPolicy,
  mingaVersions,
  mingaFreshness,
]

/** As `policyNamed` takes them; `fixed:24` stands for any number of hours. */
export const POLICY_NAMES: readonly string[] = [
  'fixed:24',
  ...Object.keys(THESIS),
  ...WHOLE.map(({ name }) => name),
]

/**
 * `fixed:12`, a name of the list, or types and a volume: `simple+notification+volume:0.2`.
 * `extra`: names that the caller knows besides, for the message.
 */
export function policyNamed(name: string, extra: readonly string[] = []): Policy {
  const found = builtIn(name)
  if (found) return found
  throw new UnknownPolicy(name, [...POLICY_NAMES, 'simple+notification+volume:0.2', ...extra])
}

export function isPolicyName(name: string): boolean {
  return builtIn(name) !== undefined
}

function builtIn(name: string): Policy | undefined {
  return WHOLE.find((policy) => policy.name === name) ?? fixed(name) ?? composed(name)
}

function fixed(name: string): Policy | undefined {
  const hours = Number(/^fixed:(\d+(?:\.\d+)?)$/.exec(name)?.[1])
  return hours > 0 ? fixedPolicy(name, hours) : undefined
}

function composed(name: string): Policy | undefined {
  const known = Object.hasOwn(THESIS, name) ? THESIS[name] : undefined
  if (known) return thesisPolicy(name, { types: known, volume: 0 })
  const types: Type[] = []
  let volume = 0
  for (const part of name.split('+')) {
    const least = Number(/^volume:(0?\.\d+|[01])$/.exec(part)?.[1])
    if (least >= 0) volume = least
    else if (isType(part)) types.push(part)
    else return undefined
  }
  return types.length > 0 ? thesisPolicy(name, { types, volume }) : undefined
}

function isType(part: string): part is Type {
  return (TYPES as readonly string[]).includes(part)
}
