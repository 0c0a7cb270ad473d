/**
 * Which results a client is charged for, and which second opinions on them may be paid. The user
 * who chooses what is fetched must not earn from the cost to the platform: a client with a site and
 * friends among the volunteers can have robots.txt files, redirects and refusals fetched in any
 * number, and pays for none of them.
 */
import { isFailure, isLasting, isUnfetched } from './selection.ts'

export interface Chargeable {
  readonly isRobots: boolean
  readonly status: number
}

export function mayBeCharged({ isRobots, status }: Chargeable): boolean {
  return !isRobots && !isUnfetched(status) && !isRedirect(status)
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304

/**
 * `status` is that of the second fetch. A server in trouble proves nothing, and anyone can claim
 * one; a refusal that another device contradicts is not charged, for its page is fetched again.
 */
export function mayBePaid(subject: Chargeable, { status }: { status: number }): boolean {
  if (!isLasting(status) || (isFailure(subject.status) && !isFailure(status))) return false
  return mayBeCharged(subject)
}
