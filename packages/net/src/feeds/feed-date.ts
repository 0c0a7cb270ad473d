/**
 * Dates as feeds and sitemaps write them: RFC 822 with its old time zones, W3C dates, and what people
 * make of both. The rules for wrong ones, each with a test:
 *   none, unreadable          not known
 *   before 1990               a placeholder (1970 mostly): not known
 *   without a time zone       taken as UTC: at most fourteen hours wrong
 *   a day ahead at most       a clock or a zone that is wrong: now
 *   further ahead             an announcement or a mistake: not known
 */
import type { Instant } from '@minga/protocol'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ZONES: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  cet: 1,
  cest: 2,
  bst: 1,
}
const HOUR_MS = 3_600_000
const AHEAD_MS_MAX = 24 * HOUR_MS
/** The web is younger. */
const EARLIEST = Date.UTC(1990, 0, 1)
const MAX_CHARS = 100

const ISO =
  /^(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:[t ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?)?\s*(\S*)$/i
const MAIL =
  /^(?:[a-z]+,?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{2,4})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s*(.*)$/i

/** Null when it cannot be known. */
export function webDate(text: string, now: Instant): Instant | null {
  const trimmed = text.trim().slice(0, MAX_CHARS)
  const at = isoDate(trimmed) ?? mailDate(trimmed)
  if (at === null || at < EARLIEST || at > now + AHEAD_MS_MAX) return null
  return Math.min(at, now)
}

function isoDate(text: string): Instant | null {
  const found = ISO.exec(text)
  if (found === null) return null
  const [, year, month, day = '1', hour = '0', minute = '0', second = '0', zone = ''] = found
  return instant([year!, Number(month) - 1, day, hour, minute, second], zone)
}

function mailDate(text: string): Instant | null {
  const found = MAIL.exec(text)
  if (found === null) return null
  const [, day, name, year, hour = '0', minute = '0', second = '0', zone = ''] = found
  const month = MONTHS.indexOf(name!.toLowerCase())
  return instant([fullYear(year!), month, day!, hour, minute, second], zone)
}

/** RFC 2822: two digits are of this age or the last. */
function fullYear(year: string): number {
  const number = Number(year)
  if (year.length > 2) return number
  return number < 50 ? 2_000 + number : 1_900 + number
}

function instant(parts: readonly (string | number)[], zone: string): Instant | null {
  const [year, month, day, hour, minute, second] = parts.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const offsetMs = zoneOffset(zone)
  if (offsetMs === null || month < 0 || month > 11) return null
  if (hour > 24 || minute > 59 || second > 60) return null
  const at = Date.UTC(year, month, day, hour, minute, second)
  // 31 February is no day of March.
  const isReal = new Date(Date.UTC(year, month, day)).getUTCDate() === day
  return isReal ? at - offsetMs : null
}

/** None is UTC; an unknown name leaves the date unknown. */
function zoneOffset(text: string): number | null {
  const zone = text
    .trim()
    .toLowerCase()
    .replace(/\s*\(.*\)$/, '')
  if (zone === '') return 0
  const offset = /^(?:gmt|utc)?([+-])(\d{2}):?(\d{2})?$/.exec(zone)
  if (offset === null) return Object.hasOwn(ZONES, zone) ? ZONES[zone]! * HOUR_MS : null
  const [, sign, hours, minutes = '0'] = offset
  const ms = Number(hours) * HOUR_MS + Number(minutes) * 60_000
  return ms > 14 * HOUR_MS ? null : sign === '-' ? -ms : ms
}
