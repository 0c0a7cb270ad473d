/** Times as people write them: 2026, 202601, 20260131120000, 2026-01-31, 2026-01-31T12:00:00Z. */
import { parseTimestamp } from '@minga/archive'
import { BadOption } from '../errors.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * The last millisecond that a time covers: a capture of that day is "at" the day, and one that
 * `archive list` shows with its second is "at" that second.
 */
export function lastInstantOf(text: string): number {
  const digits = text.replace(/Z$/, '').replaceAll(/[-:T. ]/g, '')
  const start = /^\d+$/.test(digits) ? parseTimestamp(digits) : null
  if (start !== null) return start + lengthMs(start, digits.length) - 1
  // What is left has an offset, such as +02:00.
  const exact = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(exact)) {
    throw new BadOption('--at', 'a time such as 20260131 or 2026-01-31T12:00:00Z', text)
  }
  return exact % SECOND_MS === 0 ? exact + SECOND_MS - 1 : exact
}

function lengthMs(start: number, digits: number): number {
  const date = new Date(start)
  if (digits === 4) return Date.UTC(date.getUTCFullYear() + 1, 0) - start
  if (digits === 6) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - start
  const lengths: Record<number, number> = { 8: DAY_MS, 10: HOUR_MS, 12: MINUTE_MS, 14: SECOND_MS }
  return lengths[digits] ?? 1
}
