/**
 * Who may check whom. Friends must not vouch for each other: an auditor is proven, belongs to
 * another owner and sits in another network than the subject. The station's own devices have no
 * friends, so for them neither counts: they often share the only network of a small station, and
 * strangers that an operator invited belong to the operator's account, as they do.
 */
import { isIPv4, isIPv6 } from 'node:net'
import type { StandingState } from './standing.ts'

export interface Party {
  readonly device: string
  readonly owner: string
  /** As `networkOf` says; null when unknown. */
  readonly network: string | null
}

export interface Checker extends Party {
  readonly isTrusted: boolean
  readonly isProven: boolean
  readonly state: StandingState
}

/** One of those of whom one is drawn. */
export interface Auditor extends Checker {
  /** The owner with all its devices, or a device that answers for itself: each is drawn as often as the next. */
  readonly party: string
}

/** A network is its autonomous system if known, else the /16 (IPv4) or /32 (IPv6) around the
 * address: about what one provider hands to one customer at most. */
export function networkOf(address: string, asn: number | null = null): string | null {
  if (asn !== null) return `as${asn}`
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv4(plain)) return `4:${plain.split('.').slice(0, 2).join('.')}`
  if (!isIPv6(plain)) return null
  const [high, low] = firstGroups(plain)
  return `6:${high}:${low}`
}

/** The first 32 bits of an IPv6 address as two numbers in hexadecimal. */
function firstGroups(address: string): [string, string] {
  const [before = '', after] = address.split('::')
  const groups = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  // An IPv4 tail counts as two groups, but never reaches the first two.
  const missing = after === undefined ? 0 : 8 - groups.length - tail.length
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...tail]
  const plain = (group: string | undefined): string =>
    Number.parseInt(group ?? '0', 16).toString(16)
  return [plain(all[0]), plain(all[1])]
}

export function mayAudit(subject: Party, checker: Checker): boolean {
  if (checker.state !== 'active') return false
  if (checker.device === subject.device) return false
  if (checker.isTrusted) return true
  if (!checker.isProven || checker.owner === subject.owner) return false
  // An unknown network may be the same one.
  if (checker.network === null || subject.network === null) return false
  return checker.network !== subject.network
}

/** The last word in a disagreement is the station's own. */
export function mayJudge(subject: Party, checker: Checker): boolean {
  return checker.isTrusted && mayAudit(subject, checker)
}
