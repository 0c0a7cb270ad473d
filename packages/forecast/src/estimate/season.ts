/**
 * The rhythm of a page's week: how much faster than its average it changes on each weekday and in
 * each three hours of the day, as factors around 1 that multiply. 7 + 8 factors instead of 168, so
 * that a few months of visits can tell them.
 *
 * Learnt by expectation–maximisation, one step per visit (Dempster, Laird, Rubin 1977): a visit
 * that finds a change spreads the expected number of changes over the hours since the last one, in
 * proportion to what is believed so far; each bin holds changes `found` and changes `expected` of a
 * page without rhythm. A bin's factor is their ratio, drawn to 1 by `SHRINK` imaginary changes.
 * O(bins touched) per visit, O(1) per integral. Times in milliseconds, spans in days.
 */
import { DAY_MS } from './grid.ts'

const WEEKDAYS = 7
const DAY_PARTS = 8
const WEEK_BINS = WEEKDAYS * DAY_PARTS
const BIN_MS = DAY_MS / DAY_PARTS
const BIN_DAYS = 1 / DAY_PARTS
const WEEK_MS = WEEKDAYS * DAY_MS
/** 1970-01-01 was a Thursday; weeks here begin on Monday. */
const MONDAY_MS = 4 * DAY_MS

/** Found and expected changes of every bin, and the variance of all that was found. */
export const SEASON_TALLIES = 2 * (WEEKDAYS + DAY_PARTS) + 1

/** Imaginary changes per bin at the average rate. More hides weak rhythms, less invents them. */
const SHRINK = 4
/** Found changes before a rhythm is believed at all. */
const LEAST_FOUND = 20
/**
 * χ² beyond which a flat week (6 degrees of freedom) or day (7) is ruled out, one chance in two
 * thousand: it is asked at every visit, so it must say no very often.
 */
const WEEK_CHI2 = 24
const DAY_CHI2 = 26
/** A visit that was sure to find a change scatters hardly at all; no less than this is believed. */
const LEAST_SCATTER = 0.1
/** Rhythms are forgotten slowly: they change with the editors, not with the news. */
const HALF_LIFE_DAYS = 365

/** Offsets in the tallies: found by weekday, by part of day, then expected in the same order. */
const FOUND_DAY = 0
const FOUND_PART = WEEKDAYS
const EXPECTED_DAY = WEEKDAYS + DAY_PARTS
const EXPECTED_PART = EXPECTED_DAY + WEEKDAYS
const VARIANCE = EXPECTED_PART + DAY_PARTS

/** One rhythm's place in the tallies. */
interface Family {
  found: number
  expected: number
  n: number
  chi2: number
}

const WEEK: Family = { found: FOUND_DAY, expected: EXPECTED_DAY, n: WEEKDAYS, chi2: WEEK_CHI2 }
const DAY: Family = { found: FOUND_PART, expected: EXPECTED_PART, n: DAY_PARTS, chi2: DAY_CHI2 }

export interface Season {
  /** Found, then expected changes by weekday and part of day; last the variance. */
  readonly tallies: Float32Array
  /** Local time of the page's editors minus UTC. */
  utcOffsetMs: number
  /** Which rhythms the evidence supports now. */
  weekly: boolean
  daily: boolean
  /** Follows from the rest; null until it is asked for. */
  shape: Shape | null
}

interface Shape {
  /** Monday first, mean 1. */
  readonly weekdays: Float64Array
  /** From midnight, three hours each, mean 1. */
  readonly dayParts: Float64Array
  /** Days of average activity that have passed at the start of each bin of a week. */
  readonly passed: Float64Array
}

const FLAT = shapeOfFactors(new Float64Array(WEEKDAYS).fill(1), new Float64Array(DAY_PARTS).fill(1))

export function newSeason(utcOffsetMs = 0): Season {
  const tallies = new Float32Array(SEASON_TALLIES)
  return { tallies, utcOffsetMs, weekly: false, daily: false, shape: null }
}

/** The factors in use: all 1 while the evidence does not suffice. */
export function shapeOf(season: Season): Shape {
  if (!season.weekly && !season.daily) return FLAT
  season.shape ??= shapeOfFactors(
    season.weekly ? factors(season.tallies, WEEK) : FLAT.weekdays,
    season.daily ? factors(season.tallies, DAY) : FLAT.dayParts,
  )
  return season.shape
}

function shapeOfFactors(weekdays: Float64Array, dayParts: Float64Array): Shape {
  const passed = new Float64Array(WEEK_BINS + 1)
  for (let bin = 0; bin < WEEK_BINS; bin++) {
    const factor = weekdays[Math.floor(bin / DAY_PARTS)]! * dayParts[bin % DAY_PARTS]!
    passed[bin + 1] = passed[bin]! + factor * BIN_DAYS
  }
  return { weekdays, dayParts, passed }
}

/** Days of average activity between two moments: a quiet night is short, a busy morning long. */
export function integratedSeason(season: Season, from: number, to: number): number {
  if (!season.weekly && !season.daily) return (to - from) / DAY_MS
  const { passed } = shapeOf(season)
  return passedAt(passed, localTime(season, to)) - passedAt(passed, localTime(season, from))
}

const localTime = (season: Season, at: number): number => at + season.utcOffsetMs - MONDAY_MS

function passedAt(passed: Float64Array, local: number): number {
  const weeks = Math.floor(local / WEEK_MS)
  const bins = (local - weeks * WEEK_MS) / BIN_MS
  const bin = Math.min(WEEK_BINS - 1, Math.floor(bins))
  const before = passed[bin]!
  return weeks * WEEKDAYS + before + (bins - bin) * (passed[bin + 1]! - before)
}

function factors(tallies: Float32Array, family: Family): Float64Array {
  const { found, expected, n } = family
  const result = new Float64Array(n)
  const level = levelOf(tallies, family)
  let sum = 0
  for (let i = 0; i < n; i++) {
    result[i] = (SHRINK + tallies[found + i]!) / (SHRINK + tallies[expected + i]! * level)
    sum += result[i]!
  }
  for (let i = 0; i < n; i++) result[i]! *= n / sum
  return result
}

/** The rate was believed too high or too low when the tallies were made: only their shape counts. */
function levelOf(tallies: Float32Array, { found, expected, n }: Family): number {
  let [sumFound, sumExpected] = [0, 0]
  for (let i = 0; i < n; i++) {
    sumFound += tallies[found + i]!
    sumExpected += tallies[expected + i]!
  }
  return sumExpected > 0 ? sumFound / sumExpected : 1
}

/**
 * Takes in a span in which `found` changes are believed to have happened and a page that changes
 * `perDay` times without rhythm was watched. Spans longer than a week say nothing of a week.
 */
export function tallySpan(season: Season, span: Span): void {
  const start = localTime(season, span.from)
  const end = localTime(season, span.to)
  if (!(end > start) || end - start > WEEK_MS) return
  const { weekdays, dayParts, passed } = shapeOf(season)
  const { tallies } = season
  const perPassed = span.found / (passedAt(passed, end) - passedAt(passed, start))
  for (let edge = start; edge < end;) {
    const bin = binOf(edge)
    const next = Math.min(end, (Math.floor(edge / BIN_MS) + 1) * BIN_MS)
    const days = (next - edge) / DAY_MS
    const [day, part] = [Math.floor(bin / DAY_PARTS), bin % DAY_PARTS]
    const found = perPassed * days * weekdays[day]! * dayParts[part]!
    tallies[FOUND_DAY + day]! += found
    tallies[FOUND_PART + part]! += found
    // What the other rhythm explains is not this one's doing.
    tallies[EXPECTED_DAY + day]! += span.perDay * days * dayParts[part]!
    tallies[EXPECTED_PART + part]! += span.perDay * days * weekdays[day]!
    edge = next
  }
  tallies[VARIANCE]! += span.variance
  forget(season, (end - start) / DAY_MS)
  judge(season)
}

export interface Span {
  from: number
  to: number
  found: number
  /** Of `found`, as far as this span alone can tell. */
  variance: number
  perDay: number
}

/**
 * Takes in a span of any length in which every change is known by its moment. Whole weeks were
 * watched evenly; the rest is a span like any other.
 */
export function tallyMoments(
  season: Season,
  { from, to, perDay }: { from: number; to: number; perDay: number },
  times: readonly number[],
): void {
  const { tallies } = season
  for (const at of times) {
    const bin = binOf(localTime(season, at))
    tallies[FOUND_DAY + Math.floor(bin / DAY_PARTS)]! += 1
    tallies[FOUND_PART + (bin % DAY_PARTS)]! += 1
  }
  const weeks = Math.max(0, Math.floor((to - from) / WEEK_MS))
  const perWeek = perDay * weeks
  for (let i = 0; i < WEEKDAYS; i++) tallies[EXPECTED_DAY + i]! += perWeek
  for (let i = 0; i < DAY_PARTS; i++) tallies[EXPECTED_PART + i]! += perWeek * WEEKDAYS * BIN_DAYS
  const rest = from + weeks * WEEK_MS
  tallySpan(season, { from: rest, to, found: 0, variance: times.length, perDay })
  forget(season, weeks * WEEKDAYS)
}

function binOf(local: number): number {
  const bin = Math.floor(local / BIN_MS) % WEEK_BINS
  return bin < 0 ? bin + WEEK_BINS : bin
}

function forget(season: Season, days: number): void {
  const kept = 2 ** (-days / HALF_LIFE_DAYS)
  for (let i = 0; i < SEASON_TALLIES; i++) season.tallies[i]! *= kept
}

/** Switches each rhythm on or off by what the tallies say now. */
function judge(season: Season): void {
  season.weekly = isUneven(season.tallies, WEEK)
  season.daily = isUneven(season.tallies, DAY)
  season.shape = null
}

/**
 * Pearson's χ² of found against expected, in units of how much the found changes scatter: those of
 * visits scatter less than single changes. That visits also spread them over neighbouring bins is
 * left out, so the test errs towards saying no.
 */
function isUneven(tallies: Float32Array, family: Family): boolean {
  const level = levelOf(tallies, family)
  let [chi2, sumFound] = [0, 0]
  for (let i = 0; i < family.n; i++) {
    const found = tallies[family.found + i]!
    const expected = tallies[family.expected + i]! * level
    sumFound += found
    if (expected > 0) chi2 += (found - expected) ** 2 / expected
  }
  const scatter = Math.max(LEAST_SCATTER, tallies[VARIANCE]! / sumFound)
  return sumFound >= LEAST_FOUND && chi2 > family.chi2 * scatter
}
