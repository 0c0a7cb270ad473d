/** Times as people write them: 2026, 202601, 20260131120000, 2026-01-31, 2026-01-31T12:00:00Z. */
import { endOfTime, parseTimestamp } from '@minga/archive'
import { BadOption } from '../../errors.ts'

/**
 * The last millisecond that a time covers: a capture of that day is "at" the day, and one that
 * `archive list` shows with its second is "at" that second.
 */
export function lastInstantOf(text: string, option = '--at'): number {
  const end = endOfTime(text)
  if (end !== null) return end
  throw new BadOption(option, 'a time such as 20260131 or 2026-01-31T12:00:00Z', text)
}

/** The first millisecond that a time covers: `2026` begins with its first second's. */
export function firstInstantOf(text: string, option: string): number {
  const end = lastInstantOf(text, option)
  const digits = text.replace(/Z$/, '').replaceAll(/[-:T. ]/g, '')
  const start = parseTimestamp(digits)
  // What is left has an offset, and ends with its second.
  return start ?? end - (end % 1_000)
}
