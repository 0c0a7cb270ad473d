/**
 * How fast an archive grows, and when its room will be full.
 *
 * The growth of whole weeks, counted back from now, so that no rhythm of weekdays enters: every week
 * holds one of each. Their mean, with a week that lies far outside drawn in to the next one (a
 * winsorised mean): one import does not become a trend, while what comes back, as a monthly harvest
 * does, is counted. The interval is Student's as fitted to winsorised means (Dixon and Tukey 1968). Below two weeks days take the
 * place of weeks, and the answer says so. Cost: one sort of the samples, then a scan.
 */
import type { Growth, GrowthSample, GrowthSpan } from '@minga/protocol'
import { DAY_MS } from '../estimate/grid.ts'

export interface GrowthRoom {
  now: number
  /** Total capacity, including what is stored; null when no limit was set. */
  capacityBytes: number | null
}

const WEEK_MS = 7 * DAY_MS
/** What lies further back says little about the days to come. */
const WEEKS_MOST = 26
const WEEKS_LEAST = 2
const DAYS_LEAST = 3
/** No one can forecast a disk ten years ahead. */
const FORESEEABLE_MS = 3_653 * DAY_MS
/** With fewer values an exception cannot be distinguished from a habit. */
const COMPARABLE_LEAST = 6
/** Tukey's outer fence. */
const FAR_SPANS = 3

export function projectGrowth(given: readonly GrowthSample[], room: GrowthRoom): Growth {
  const samples = usable(given, room.now)
  const bytes = samples.at(-1)?.bytes ?? 0
  const weeks = increments(samples, WEEK_MS, WEEKS_MOST)
  const isWeekly = weeks.length >= WEEKS_LEAST
  const parts = isWeekly ? weeks : increments(samples, DAY_MS, WEEKS_MOST * 7)
  const isKnown = isWeekly || parts.length >= DAYS_LEAST
  const perPart = isKnown ? robustMean(parts) : null
  const scale = isWeekly ? WEEK_MS / DAY_MS : 1
  const bytesPerDay = perPart && {
    likely: perPart.likely / scale,
    low: perPart.low / scale,
    high: perPart.high / scale,
  }
  return {
    bytes,
    bytesPerDay,
    basis: isKnown ? (isWeekly ? 'weeks' : 'days') : null,
    setAsideBytes: perPart?.setAside ?? 0,
    ...whenFull(bytes, bytesPerDay, room),
  }
}

/** In order of time, none from the future, and up to now: what was not written has not grown. */
function usable(given: readonly GrowthSample[], now: number): GrowthSample[] {
  const samples = given
    .filter(({ at, bytes }) => at <= now && Number.isFinite(at) && Number.isFinite(bytes))
    .toSorted((a, b) => a.at - b.at)
  const last = samples.at(-1)
  return last === undefined ? [] : [...samples, { at: now, bytes: last.bytes }]
}

/** The growth of every whole span that ends now or a number of spans before, the newest first. */
function increments(samples: readonly GrowthSample[], spanMs: number, most: number): number[] {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return []
  const count = Math.min(most, Math.floor((last.at - first.at) / spanMs))
  const totals = totalsAt(
    samples,
    Array.from({ length: count + 1 }, (_, i) => last.at - i * spanMs),
  )
  return totals.slice(1).map((before, i) => totals[i]! - before)
}

/** Totals at instants that go back in time; between two samples growth is taken to be even. */
function totalsAt(samples: readonly GrowthSample[], instants: readonly number[]): number[] {
  let next = samples.length - 1
  return instants.map((at) => {
    while (next > 0 && samples[next - 1]!.at >= at) next--
    const [before, after] = [samples[Math.max(0, next - 1)]!, samples[next]!]
    const share = after.at === before.at ? 1 : (at - before.at) / (after.at - before.at)
    return before.bytes + Math.min(1, Math.max(0, share)) * (after.bytes - before.bytes)
  })
}

function robustMean(parts: readonly number[]): GrowthSpan & { setAside: number } {
  const count = parts.length
  const sorted = parts.toSorted((a, b) => a - b)
  const [low, high] = extremes(sorted)
  const [least, most] = [sorted[low]!, sorted[count - 1 - high]!]
  const held = sorted.map((part) => Math.min(most, Math.max(least, part)))
  const likely = sum(held) / count
  const squares = sum(held.map((part) => (part - likely) ** 2))
  // What was drawn in stands where others stand and is no evidence of its own.
  const free = count - low - high - 1
  const error = Math.sqrt(squares / (count - 1) / count) * ((count - 1) / free)
  const reach = error * studentT95(free)
  const setAside = sum(sorted) - sum(held)
  return { likely, low: likely - reach, high: likely + reach, setAside }
}

/** How many at each end, one at most, lie far outside of what the middle half spans. */
function extremes(sorted: readonly number[]): [low: number, high: number] {
  const count = sorted.length
  if (count < COMPARABLE_LEAST) return [0, 0]
  const [lower, upper] = [sorted[Math.floor(count / 4)]!, sorted[Math.ceil((count * 3) / 4) - 1]!]
  const far = FAR_SPANS * (upper - lower)
  return [Number(sorted[0]! < lower - far), Number(sorted[count - 1]! > upper + far)]
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The 95th percentile of Student's t: from a table, then by its expansion in 1/ν. */
function studentT95(freedom: number): number {
  const small = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812]
  return small[freedom - 1] ?? 1.6449 + 1.524 / freedom + 1.42 / freedom ** 2
}

function whenFull(
  bytes: number,
  rate: GrowthSpan | null,
  { now, capacityBytes }: GrowthRoom,
): Pick<Growth, 'outlook' | 'fullAt'> {
  if (capacityBytes === null) return { outlook: 'unknown', fullAt: null }
  if (bytes >= capacityBytes) {
    return { outlook: 'full', fullAt: { earliest: now, likely: now, latest: now } }
  }
  if (rate === null) return { outlook: 'unknown', fullAt: null }
  const at = (bytesPerDay: number): number | null => {
    if (bytesPerDay <= 0) return null
    const inMs = ((capacityBytes - bytes) / bytesPerDay) * DAY_MS
    return inMs <= FORESEEABLE_MS ? now + Math.round(inMs) : null
  }
  const fullAt = { earliest: at(rate.high), likely: at(rate.likely), latest: at(rate.low) }
  // A small chance of it is no forecast: the likely date decides.
  return { outlook: fullAt.likely === null ? 'never' : 'dated', fullAt }
}
