/**
 * The time axis of every plot: it spans the data and a little more, has a few labels that differ from one another, and
 * stands at round moments of the reader's clock.
 */
import type { Zone } from '../zone.ts'

/** How much of a moment its label says. */
export type TickUnit = 'second' | 'minute' | 'hour' | 'day' | 'month' | 'year'

export interface TimeAxis {
  from: number
  to: number
  unit: TickUnit
  ticks: number[]
}

export interface TimeAxisOptions {
  zone: Zone
  /** Labels that fit; never more than seven. */
  labelsMost?: number
  /** Days as the station counts them have no hours. */
  isDaily?: boolean
}

/** Two points make a straight line, whatever happened between them. */
export const POINTS_LEAST = 3
const LABELS_MOST = 7
/** Beyond the first and the last moment, of the span between them. */
const MARGIN = 0.05
/** So that a span of nothing has a width; shorter than the finest step. */
const SPAN_LEAST_MS = 1_000

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const times = (unitMs: number, counts: readonly number[]): number[] =>
  counts.map((count) => count * unitMs)
const SECONDS = times(SECOND_MS, [1, 2, 5, 10, 15, 30])
const MINUTES = times(MINUTE_MS, [1, 2, 5, 10, 15, 30])
const HOURS = times(HOUR_MS, [1, 2, 3, 6, 12])
const DAYS = [1, 2, 3, 7, 14]
const MONTHS = [1, 2, 3, 6]
const YEARS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** Null for fewer than three moments: a sentence says more than a plot of them. */
export function timeAxis(moments: readonly number[], options: TimeAxisOptions): TimeAxis | null {
  if (new Set(moments).size < POINTS_LEAST) return null
  const first = moments.reduce((least, at) => Math.min(least, at))
  const last = moments.reduce((most, at) => Math.max(most, at))
  const margin = Math.max(SPAN_LEAST_MS, last - first) * MARGIN
  const [from, to] = [first - margin, last + margin]
  return { from, to, ...ticksOf(from, to, options) }
}

/** Where a moment stands, from 0 to 1. */
export const shareOf = ({ from, to }: TimeAxis, at: number): number => (at - from) / (to - from)

type Ticks = Pick<TimeAxis, 'unit' | 'ticks'>

function ticksOf(from: number, to: number, options: TimeAxisOptions): Ticks {
  const most = Math.max(1, Math.min(LABELS_MOST, options.labelsMost ?? LABELS_MOST))
  for (const { unit, list } of candidates(from, to, options)) {
    const ticks = list()
    if (ticks.length > 0 && ticks.length <= most) return { unit, ticks }
  }
  return { unit: 'year', ticks: [] }
}

interface Candidate {
  unit: TickUnit
  list: () => number[]
}

/** From the finest steps to the coarsest; a step of which there would be hundreds is not listed. */
function* candidates(from: number, to: number, options: TimeAxisOptions): Generator<Candidate> {
  const { zone, isDaily = false } = options
  const span = to - from
  if (!isDaily) {
    for (const stepMs of [...SECONDS, ...MINUTES, ...HOURS]) {
      const isFar = span / stepMs > 2 * LABELS_MOST
      if (!isFar) yield { unit: unitOf(stepMs, span), list: () => even(from, to, stepMs, zone) }
    }
  }
  for (const step of DAYS) {
    if (span / (step * DAY_MS) > 2 * LABELS_MOST) continue
    yield { unit: 'day', list: () => byDays(from, to, zone, step) }
  }
  for (const step of MONTHS) {
    yield { unit: 'month', list: () => byMonths(from, to, zone, step) }
  }
  for (const step of YEARS) {
    yield { unit: 'year', list: () => byMonths(from, to, zone, 12 * step) }
  }
}

/** Hours of several days are distinguished by their dates. */
function unitOf(stepMs: number, span: number): TickUnit {
  if (stepMs < MINUTE_MS) return 'second'
  return span < DAY_MS ? 'minute' : 'hour'
}

function even(from: number, to: number, stepMs: number, zone: Zone): number[] {
  const ticks: number[] = []
  const offset = offsetMs(from, zone)
  for (let at = Math.ceil((from + offset) / stepMs) * stepMs - offset; at <= to; at += stepMs) {
    ticks.push(at)
  }
  return ticks
}

type CalendarDay = [year: number, month: number, day: number]

/** From the first day that begins within the axis. */
function byDays(from: number, to: number, zone: Zone, step: number): number[] {
  const [year, month, today] = calendarDay(from, zone)
  const first = startOf([year, month, today], zone) >= from ? today : today + 1
  const ticks: number[] = []
  for (let day = first; startOf([year, month, day], zone) <= to; day += step) {
    ticks.push(startOf([year, month, day], zone))
  }
  return ticks
}

/** Months that begin within the axis, every so many of them counted from January of the year 0. */
function byMonths(from: number, to: number, zone: Zone, step: number): number[] {
  const [year, month] = calendarDay(from, zone)
  const ticks: number[] = []
  for (let count = Math.ceil((year * 12 + month) / step) * step; ; count += step) {
    const at = startOf([0, count, 1], zone)
    if (at > to || ticks.length > LABELS_MOST) return ticks
    if (at >= from) ticks.push(at)
  }
}

function calendarDay(at: number, zone: Zone): CalendarDay {
  const date = new Date(at + offsetMs(at, zone))
  return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
}

/** A month of the year 0 may be any number: it is carried over to its own year. */
function startOf([year, month, day]: CalendarDay, zone: Zone): number {
  const date = new Date(0)
  if (zone === 'utc') return date.setUTCFullYear(year, month, day)
  date.setFullYear(year, month, day)
  return date.setHours(0, 0, 0, 0)
}

/** How far the reader's clock is ahead of UTC. */
const offsetMs = (at: number, zone: Zone): number =>
  zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * MINUTE_MS

/** Whole figures from zero to above the highest one: neither bytes nor pages come in halves. */
export function wholeTicks(highest: number, about = 5): number[] {
  const rough = Math.max(1, highest) / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((count) => count * power).find((size) => size >= rough)!,
  )
  const count = Math.max(1, Math.ceil(highest / step))
  return Array.from({ length: count + 1 }, (_, i) => i * step)
}
