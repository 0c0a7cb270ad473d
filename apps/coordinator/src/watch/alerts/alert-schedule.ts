/** When a message may be sent: digests and quiet hours, in the time zone of its reader. */
import type { AlertSettings } from '@minga/protocol'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES
/** Every zone's offset is a multiple of this. */
const STEP_MS = 15 * MINUTE_MS
/** A week and the day on which clocks change. */
const STEPS_MAX = 8 * 24 * 4

type Times = Pick<AlertSettings, 'quiet' | 'zone' | 'digest' | 'digestHour' | 'digestDay'>

interface WallTime {
  /** 1 is Monday, 7 is Sunday. */
  weekday: number
  minutes: number
}

/** When a change found now is reported: at the next digest, and not in quiet hours. */
export function dueAt(times: Times, now: number): number {
  return endOfQuiet(times, digestAt(times, now))
}

function digestAt({ digest, digestHour, digestDay, zone }: Times, now: number): number {
  if (digest === 'at-once') return now
  const wall = wallClock(zone)
  const hourOf = ({ minutes }: WallTime): number => Math.floor(minutes / HOUR_MINUTES)
  const isHour = (before: WallTime, after: WallTime): boolean => hourOf(before) !== hourOf(after)
  const isDay = (before: WallTime, after: WallTime): boolean => hasPassed(digestHour, before, after)
  const isWeek = (before: WallTime, after: WallTime): boolean =>
    after.weekday === digestDay && isDay(before, after)
  const isDue = digest === 'hourly' ? isHour : digest === 'daily' ? isDay : isWeek
  let at = now - (now % STEP_MS)
  let before = wall(now)
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    at += STEP_MS
    const after = wall(at)
    if (isDue(before, after)) return at
    before = after
  }
  return at
}

/** An hour that a clock skips in spring has passed when the next one begins; of one that it shows
 * twice in autumn the first counts. */
function hasPassed(hour: number, before: WallTime, after: WallTime): boolean {
  const minutes = hour * HOUR_MINUTES
  if (after.minutes < minutes) return false
  return before.weekday !== after.weekday || before.minutes < minutes
}

/** The moment itself when it is not quiet. */
export function endOfQuiet({ quiet, zone }: Pick<Times, 'quiet' | 'zone'>, at: number): number {
  if (quiet === null || quiet.from === quiet.to) return at
  const [from, to] = [minutesIn(quiet.from), minutesIn(quiet.to)]
  const wall = wallClock(zone)
  if (!isWithin(wall(at).minutes, from, to)) return at
  const minute = at - (at % MINUTE_MS)
  const end = minute + past(wall(at).minutes, to) * MINUTE_MS
  // Clocks may change in between, by an hour as a rule.
  for (const shift of [0, -HOUR_MS, HOUR_MS, -HOUR_MS / 2, HOUR_MS / 2]) {
    const candidate = end + shift
    if (candidate > at && wall(candidate).minutes === to) return candidate
  }
  return end
}

/** Of hours that go past midnight, too. */
function isWithin(minutes: number, from: number, to: number): boolean {
  return past(from, minutes) < past(from, to)
}

/** Minutes from one time to the next occurrence of another. */
function past(from: number, to: number): number {
  return (to - from + DAY_MINUTES) % DAY_MINUTES
}

function minutesIn(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * HOUR_MINUTES + minutes
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

function wallClock(zone: string): (at: number) => WallTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return {
      weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? '') + 1,
      minutes: Number(parts.get('hour')) * HOUR_MINUTES + Number(parts.get('minute')),
    }
  }
}
