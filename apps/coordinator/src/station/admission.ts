/**
 * Which addresses are accepted, by purpose: one table for every source of addresses. Pure, so that
 * operations in the store's thread can use it as well.
 */
import { abuseIn } from '@minga/fleet'
import { FILTERED, isHostWanted } from '@minga/frontier'
import { canonicalUrl, guardUrl, hostKeyOf, originOf, type GuardPolicy } from '@minga/net'
import type { Filter } from '@minga/partition'

interface Rule {
  /** When an address that looks like an attack or contains a secret is refused; operators are responsible for their own. */
  abuse: 'always' | 'unless-operator' | 'cross-origin' | 'never'
  /** Whether filters apply. Monitors and watches name each of their addresses, so filters do not apply to them. */
  filter: boolean
}

const RULES = {
  seed: { abuse: 'unless-operator', filter: true },
  // A site may link to itself as it likes; to let us attack another one it may not.
  link: { abuse: 'cross-origin', filter: true },
  request: { abuse: 'always', filter: true },
  monitor: { abuse: 'always', filter: false },
  watch: { abuse: 'unless-operator', filter: false },
  // Both were judged when the watch or the task was made.
  harvest: { abuse: 'never', filter: false },
  wikiStep: { abuse: 'never', filter: false },
  // What another station says of where a link was found is not believed.
  received: { abuse: 'always', filter: false },
  sitemap: { abuse: 'never', filter: true },
} as const satisfies Record<string, Rule>

export type Purpose = keyof typeof RULES

export interface AdmissionPolicy {
  guard: GuardPolicy
  /** All of them have to want it; without any, everything is wanted. */
  filters?: readonly Filter[]
}

export interface Origin {
  /** An operator submitted it. */
  isOperator?: boolean
  /** Where a link was found, as `originOf` answers it. */
  page?: string
}

export interface Refusal {
  code: string
  /** As the end of a sentence. */
  reason: string
}

export interface Admission {
  /** Canonical; null when it is no http or https address. */
  url: string | null
  refusal: Refusal | null
}

export function admit(
  text: string,
  purpose: Purpose,
  policy: AdmissionPolicy,
  origin: Origin = {},
): Admission {
  const url = canonicalUrl(text)
  return { url, refusal: url === null ? null : findRefusal(url, purpose, policy, origin) }
}

/** Of a canonical URL: the guard's comes first, then that of abuse, then the filters'. */
export function findRefusal(
  url: string,
  purpose: Purpose,
  { guard, filters = [] }: AdmissionPolicy,
  origin: Origin = {},
): Refusal | null {
  const refusal = guardUrl(url, guard) ?? findAbuse(url, purpose, origin)
  if (refusal !== null || !RULES[purpose].filter || isHostWanted(filters, hostKeyOf(url)))
    return refusal
  return { code: FILTERED, reason: 'a filter leaves it out' }
}

function findAbuse(url: string, purpose: Purpose, { isOperator, page }: Origin): Refusal | null {
  const { abuse: when } = RULES[purpose]
  if (when === 'never' || (when === 'unless-operator' && isOperator === true)) return null
  if (when === 'cross-origin' && page === originOf(url)) return null
  const abuse = abuseIn(url)
  return abuse && { code: abuse.code, reason: `it looks like ${abuse.kind}` }
}

/**
 * For the many links of an upload, by the origins of their pages, without filters. One verdict of the guard serves an
 * origin, but for credentials, which stand before an @.
 */
export function createLinkAdmission(
  guard: GuardPolicy,
): (url: string, page: string) => Refusal | null {
  const verdicts = new Map<string, Refusal | null>()
  return (url, page) => {
    const origin = url.includes('@') ? url : originOf(url)
    let refusal = verdicts.get(origin)
    if (refusal === undefined) {
      refusal = guardUrl(url, guard)
      verdicts.set(origin, refusal)
    }
    return refusal ?? findAbuse(url, 'link', { page })
  }
}

/**
 * Whether filters want the many links of an upload; without a filter everything is wanted. One verdict of a filter
 * serves a host.
 */
export function createFilterAdmission(): (filter: Filter | null, url: string) => boolean {
  const verdicts = new Map<Filter, Map<string, boolean>>()
  return (filter, url) => {
    if (filter === null) return true
    const hosts = verdicts.get(filter) ?? new Map<string, boolean>()
    verdicts.set(filter, hosts)
    const host = hostKeyOf(url)
    const isWanted = hosts.get(host) ?? isHostWanted([filter], host)
    hosts.set(host, isWanted)
    return isWanted
  }
}
