/** The days of a year as a calendar of weeks, and which of them a key leads to. Days are those of UTC. */
const DAY_MS = 86_400_000
const WEEK = 7
/** The first of January 1970 was a Thursday; weeks begin with Monday. */
const FIRST_WEEKDAY = 3

export interface HeatDay {
  /** Whole days since the Unix epoch. */
  day: number
  value: number
}

export interface HeatCell {
  day: number
  /** Null: nothing happened, or nothing was checked. */
  value: number | null
  /** From 0 (nothing) to 4 (as much as on the fullest days). */
  level: number
}

export interface HeatYear {
  /** One list of days for each weekday, Monday first; null before the first and after the last day. */
  rows: (HeatCell | null)[][]
  weeks: number
  /** In which week each month begins, January first. */
  months: number[]
}

const LEVELS = 4

export function heatYear(year: number, days: readonly HeatDay[]): HeatYear {
  const first = Date.UTC(year, 0, 1) / DAY_MS
  const end = Date.UTC(year + 1, 0, 1) / DAY_MS
  const lead = weekdayOf(first)
  const weeks = Math.ceil((lead + end - first) / WEEK)
  const values = new Map(days.map(({ day, value }) => [day, value]))
  const inYear = days.filter(({ day }) => day >= first && day < end)
  const most = inYear.reduce((max, { value }) => Math.max(max, value), 0)
  const cellAt = (weekday: number, week: number): HeatCell | null => {
    const day = first - lead + week * WEEK + weekday
    if (day < first || day >= end) return null
    const value = values.get(day) ?? null
    return { day, value, level: levelOf(value, most) }
  }
  return {
    weeks,
    rows: Array.from({ length: WEEK }, (_, weekday) =>
      Array.from({ length: weeks }, (_unused, week) => cellAt(weekday, week)),
    ),
    months: Array.from({ length: 12 }, (_, month) =>
      Math.floor((lead + Date.UTC(year, month, 1) / DAY_MS - first) / WEEK),
    ),
  }
}

function weekdayOf(day: number): number {
  return (((day + FIRST_WEEKDAY) % WEEK) + WEEK) % WEEK
}

/** By the root: one day of a hundred captures must not make all others look alike. */
function levelOf(value: number | null, most: number): number {
  if (value === null || value <= 0 || most <= 0) return 0
  return Math.max(1, Math.ceil(LEVELS * Math.sqrt(value / most)))
}

export function yearsOf(days: readonly HeatDay[]): number[] {
  const years = new Set(days.map(({ day }) => new Date(day * DAY_MS).getUTCFullYear()))
  return [...years].toSorted((a, b) => b - a)
}

/** Of the days that can be chosen, the one that a key leads to; null when it leads nowhere. */
export function dayByKey(key: string, from: number, days: readonly number[]): number | null {
  const earlier = days.filter((day) => day < from)
  const later = days.filter((day) => day > from)
  switch (key) {
    case 'ArrowLeft':
      return earlier.at(-1) ?? null
    case 'ArrowRight':
      return later[0] ?? null
    case 'ArrowUp':
      return earlier.findLast((day) => day <= from - WEEK) ?? earlier[0] ?? null
    case 'ArrowDown':
      return later.find((day) => day >= from + WEEK) ?? later.at(-1) ?? null
    case 'Home':
      return days[0] ?? null
    case 'End':
      return days.at(-1) ?? null
    default:
      return null
  }
}
