/** Times as people write them: 2026, 202601, 20260131120000, 2026-01-31, 2026-01-31T12:00:00Z. */
import { endOfTime } from '@minga/archive'
import { BadOption } from '../errors.ts'

/**
 * The last millisecond that a time covers: a capture of that day is "at" the day, and one that
 * `archive list` shows with its second is "at" that second.
 */
export function lastInstantOf(text: string): number {
  const end = endOfTime(text)
  if (end !== null) return end
  throw new BadOption('--at', 'a time such as 20260131 or 2026-01-31T12:00:00Z', text)
}
