/** A span of days that a list is narrowed to, as the archive is asked for it: both ends are included. */
import type { Span } from '../../components/list/list-match.ts'

export function askedSpan(span: Span | undefined): {
  from: number | undefined
  to: number | undefined
} {
  const { fromMs = null, toMs = null } = span ?? {}
  return { from: fromMs ?? undefined, to: toMs === null ? undefined : toMs - 1 }
}
