/**
 * When a volunteer's machine works, in its own time. Asked of the local clock at each look and
 * never reckoned ahead: on the days when clocks change, 22:00 is when the clock on the wall says so.
 */
import type { Instant } from '@minga/protocol'

/** From the first minute up to, not including, the last; over midnight when it ends before it begins. */
export interface HoursWindow {
  fromMinute: number
  toMinute: number
}

const DAY_MINUTES = 24 * 60
const WINDOW = /^(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})$/

/** `22:00-06:30,12:00-13:00`; null when it cannot be read. */
export function parseHours(text: string): HoursWindow[] | null {
  const windows = text.split(',').map((part) => parseWindow(part.trim()))
  return windows.every((window) => window !== null) ? windows : null
}

function parseWindow(text: string): HoursWindow | null {
  const match = WINDOW.exec(text)
  if (!match) return null
  const fromMinute = minuteOf(match[1]!, match[2]!)
  const toMinute = minuteOf(match[3]!, match[4]!)
  if (fromMinute === null || toMinute === null) return null
  // Ambiguous: it could mean nothing or everything, so the owner has to be explicit.
  if (fromMinute === toMinute || fromMinute === DAY_MINUTES) return null
  return { fromMinute, toMinute }
}

function minuteOf(hours: string, minutes: string): number | null {
  const minute = Number(hours) * 60 + Number(minutes)
  return Number(minutes) < 60 && minute <= DAY_MINUTES ? minute : null
}

export function isWithinHours(windows: readonly HoursWindow[], now: Instant): boolean {
  const minute = localMinute(now)
  return windows.some(({ fromMinute, toMinute }) =>
    fromMinute < toMinute
      ? minute >= fromMinute && minute < toMinute
      : minute >= fromMinute || minute < toMinute,
  )
}

/** The next beginning, as a clock shows it: `22:00`. */
export function nextOpening(windows: readonly HoursWindow[], now: Instant): string {
  const minute = localMinute(now)
  const untilMinutes = ({ fromMinute }: HoursWindow): number =>
    (fromMinute - minute + DAY_MINUTES) % DAY_MINUTES
  const { fromMinute } = windows.toSorted((a, b) => untilMinutes(a) - untilMinutes(b))[0]!
  const [hours, minutes] = [Math.floor(fromMinute / 60), fromMinute % 60]
  return `${hours}:${String(minutes).padStart(2, '0')}`
}

function localMinute(now: Instant): number {
  const local = new Date(now)
  return local.getHours() * 60 + local.getMinutes()
}
