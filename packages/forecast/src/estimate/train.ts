/**
 * A belief from history that was made elsewhere: revision dates (every change is named) or captures
 * of an archive (CDX, WARC), of which neighbours with different digests hide at least one change.
 * Input in any order; what lies outside the span, is twice there or is no moment at all is left out.
 */
import { observeChanges, observeVisit, type Belief } from './belief.ts'

/** `times`: every change between `from` and `to`, as from revision dates or a feed. */
export function trainBelief(
  belief: Belief,
  times: readonly number[],
  from: number,
  to: number,
): void {
  if (!(to > from)) return
  const inside = [...new Set(times)].filter((at) => at > from && at <= to).toSorted((a, b) => a - b)
  let before = from
  // One by one, so that a burst or a drift in the history is met as it was lived.
  for (const at of inside) {
    observeChanges(belief, { at, count: 1, spanMs: at - before, times: [at] })
    before = at
  }
  observeChanges(belief, { at: to, count: 0, spanMs: to - before })
}

export interface CaptureSeen {
  at: number
  digest: string
}

export function trainFromCaptures(belief: Belief, captures: readonly CaptureSeen[]): void {
  const known = captures.filter(({ at }) => Number.isFinite(at)).toSorted((a, b) => a.at - b.at)
  for (const [i, { at, digest }] of known.entries()) {
    const before = known[i - 1]
    if (before === undefined) continue
    observeVisit(belief, { at, sinceMs: at - before.at, changed: digest !== before.digest })
  }
}
