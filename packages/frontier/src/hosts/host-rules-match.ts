/**
 * Which rules concern a host, as pure functions. A rule names a host (`example.org`: on every port;
 * `example.org:8080`: on that one) or a domain with everything below it (`*.example.org`).
 */
import { canonicalUrl, hostKeyOf } from '@minga/net'
import { hostNameOf, literalAddress } from './host-key.ts'

export type RuleEffect = 'close' | 'slow' | 'exempt'

export interface HostRule {
  pattern: string
  /** Who decides: `owner`, `operator`, a list's name. One rule per pattern and source. */
  source: string
  effect: RuleEffect
  /** What a refused URL ends with; an exemption lifts closings with the same code. */
  code: string
  delayMs: number
  reason: string
  madeBy: string
  since: number
}

/** What sites' owners decide. */
export const OWNER_SOURCE = 'owner'

/** All rules that match a host, summed up. */
export interface HostEffect {
  /** The closing that decides, or null when the host is open. */
  closed: HostRule | null
  /** Least pause between two requests, whatever else is said. */
  delayMs: number
}

/** The rule as it is kept, or null when the text is none. */
export function parseHostRule(text: string): string | null {
  const asked = text.trim().toLowerCase()
  const isWide = asked.startsWith('*.')
  const rest = isWide ? asked.slice(2) : asked
  if (rest === '' || /[\s/?#@*\\]/.test(rest)) return null
  const url = canonicalUrl(`http://${rest}/`)
  if (url === null) return null
  const key = withoutRootDot(hostKeyOf(url)).replace(/:(80|443)$/, '')
  if (!isWide) return key
  return key !== hostNameOf(key) || literalAddress(key) !== null ? null : `*.${key}`
}

/** `example.org.` is `example.org` written out: adding the dot must not evade a rule. */
function withoutRootDot(hostKey: string): string {
  return hostKey.replace(/\.(?=:\d+$|$)/, '')
}

/** Every pattern that would match a host, the narrowest first. */
export function patternsFor(hostKey: string): string[] {
  const key = withoutRootDot(hostKey)
  const name = hostNameOf(key)
  const patterns = name === key ? [name] : [key, name]
  if (literalAddress(key) !== null) return patterns
  for (let domain = name; ;) {
    patterns.push(`*.${domain}`)
    const dot = domain.indexOf('.')
    if (dot < 0) return patterns
    domain = domain.slice(dot + 1)
  }
}

/**
 * Of one code's rules the narrowest decides, and of two equally narrow ones the closing: an
 * exemption from the operator's list lifts that list's closing, never the owner's. Where both close,
 * the operator's word is the one that counts: an owner's proof is fetched despite an owner's closing
 * (`reserved_urls.despite`), never despite a kill switch. Delays add no further than the longest.
 */
export function effectOn(hostKey: string, rules: readonly HostRule[]): HostEffect {
  const narrowness = new Map(patternsFor(hostKey).map((pattern, i) => [pattern, i]))
  const rankOf = ({ pattern }: HostRule): number => narrowness.get(pattern)!
  const matching = rules
    .filter(({ pattern }) => narrowness.has(pattern))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.source.localeCompare(b.source))
  const closings = matching.filter(
    (rule) =>
      rule.effect === 'close' &&
      !matching.some(
        (other) =>
          other.effect === 'exempt' && other.code === rule.code && rankOf(other) < rankOf(rule),
      ),
  )
  const decisive = closings.find(({ source }) => source !== OWNER_SOURCE) ?? closings[0]
  const delays = matching.filter(({ effect }) => effect === 'slow').map(({ delayMs }) => delayMs)
  return { closed: decisive ?? null, delayMs: Math.max(0, ...delays) }
}
