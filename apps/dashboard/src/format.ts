/** Numbers, sizes and times in the reader's language and time zone. */
import type { TickUnit } from './components/time-axis.ts'
import type { Zone } from './zone.ts'

export interface Format {
  count(value: number): string
  rate(value: number): string
  bytes(value: number): string
  /** A span of time, in its one or two largest units. */
  span(ms: number): string
  /** A countdown of a few seconds, with tenths. */
  countdown(ms: number): string
  /** A pause between requests, from milliseconds to days. */
  delay(ms: number): string
  /** Micro-units of the station's currency, exact. */
  money(micros: number): string
  /** A share of one. */
  percent(share: number): string
  /** The name of a country by its two letters. */
  country(code: string): string
  clock(at: number): string
  moment(at: number): string
  /** The date of a moment, without its hour. */
  date(at: number): string
  /** A date of the calendar in UTC, as days are counted by the station. */
  day(at: number): string
  /** A moment under a plot, as exact as its axis; days of the station are days of UTC. */
  tick(at: number, unit: TickUnit, isDaily?: boolean): string
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const MICROS = 1_000_000

export function createFormat(locale: string, zone: Zone = 'local'): Format {
  const inZone = zone === 'utc' ? { timeZone: 'UTC' } : {}
  const whole = new Intl.NumberFormat(locale)
  const tenths = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })
  const money = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hourCycle: 'h23', ...inZone })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...inZone })
  const full = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    ...inZone,
  })
  return {
    count: (value) => whole.format(value),
    rate: (value) => (value >= 100 ? whole.format(Math.round(value)) : tenths.format(value)),
    bytes: (value) => bytesIn(locale, value),
    span: (ms) => spanIn(locale, ms),
    countdown: (ms) =>
      ms >= 10_000 ? spanIn(locale, ms) : `${tenths.format(Math.max(0, ms) / 1_000)} s`,
    delay: (ms) => {
      if (ms < 1_000) return `${whole.format(ms)} ms`
      return ms >= 10_000 ? spanIn(locale, ms) : `${whole.format(Math.round(ms / 100) / 10)} s`
    },
    money: (micros) => money.format(micros / MICROS),
    percent: (share) => percent.format(share),
    country: (code) => countryIn(locale, code),
    clock: (at) => time.format(at),
    // With times of the whole world, the reader must see which clock they are by.
    moment: (at) => (zone === 'utc' ? `${full.format(at)} UTC` : full.format(at)),
    date: (at) => date.format(at),
    day: (at) => day.format(at),
    tick: (at, unit, isDaily = false) => tickIn(locale, isDaily ? 'utc' : zone, unit).format(at),
  }
}

/** What is no code of a country is shown as it came. */
function countryIn(locale: string, code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  return new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code
}

function bytesIn(locale: string, bytes: number): string {
  let value = Math.abs(bytes)
  let unit = 0
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: BYTE_UNITS[unit]!,
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(bytes < 0 ? -value : value)
}

function spanIn(locale: string, ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const unit = (value: number, name: string): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)
  if (seconds * 1_000 < MINUTE_MS) return unit(seconds, 'second')
  if (ms < HOUR_MS) return unit(Math.round(ms / MINUTE_MS), 'minute')
  if (ms < DAY_MS) {
    const hours = Math.floor(ms / HOUR_MS)
    const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
    return minutes === 0 ? unit(hours, 'hour') : `${unit(hours, 'hour')} ${unit(minutes, 'minute')}`
  }
  return unit(Math.floor(ms / DAY_MS), 'day')
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const TICKS: Record<TickUnit, Intl.DateTimeFormatOptions> = {
  second: { ...CLOCK, second: '2-digit' },
  minute: CLOCK,
  hour: { ...CLOCK, month: 'short', day: 'numeric' },
  day: { month: 'short', day: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  year: { year: 'numeric' },
}

const tickFormats = new Map<string, Intl.DateTimeFormat>()

/** Made once for each: a plot asks for them at every change of its data. */
function tickIn(locale: string, zone: Zone, unit: TickUnit): Intl.DateTimeFormat {
  const key = `${locale} ${zone} ${unit}`
  const known = tickFormats.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(locale, {
    ...TICKS[unit],
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  })
  tickFormats.set(key, format)
  return format
}
