/** Where a response redirects to. What is queued for the target is decided by the caller that follows it. */
import type { Result } from '@minga/protocol'

/** Browsers give up after about twenty hops; a chain of ten is already a loop in practice. */
export const REDIRECTS_MAX = 10
export const TOO_MANY_REDIRECTS = 'MINGA_TOO_MANY_REDIRECTS'

export type RedirectStep =
  | { type: 'end' }
  | { type: 'follow'; url: string; hops: number }
  | { type: 'refused'; code: string }

/** After `hops` redirects in a row. Refusals are of targets, by their URLs, with the code of each. */
export function nextRedirect(
  result: Result,
  hops: number,
  refusals: Readonly<Record<string, string>>,
): RedirectStep {
  if (result.type !== 'captured' || !isRedirect(result.status)) return { type: 'end' }
  const { location } = result
  if (location === null) return { type: 'end' }
  const refusal = refusals[location] ?? (hops < REDIRECTS_MAX ? null : TOO_MANY_REDIRECTS)
  if (refusal !== null) return { type: 'refused', code: refusal }
  return { type: 'follow', url: location, hops: hops + 1 }
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}
