/** Times as dates are written: one impossible number must not make everything unreadable that lists it. */
import type { Instant } from '@minga/protocol'

/** The years that four digits can write. */
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** A date whose `toISOString` never throws: the nearest that four digits of a year can write. */
export function writableDate(at: Instant): Date {
  return new Date(Number.isNaN(at) ? 0 : Math.min(Math.max(at, EARLIEST), LATEST))
}
