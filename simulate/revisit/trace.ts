/**
 * The true history of a URL during an observation: when it changed. A trace file has one JSON object
 * per line, times in Unix seconds:
 *   {"url": "…", "weight": 1, "changes": [1700000000, …], "start": 1699990000, "end": 1702600000}
 * `weight` is 1 where it is left out. Optional: `magnitudes`, one in [0, 1] per change; `notices`,
 * when a third party reported a change.
 *
 * The observation is start ≤ t < end. Changes before it belong to the initial state, later ones did
 * not happen; both are left out. Order does not matter.
 */
import { DAY_MS } from '@minga/forecast'
import { BadTrace } from './errors.ts'

/** Later times are milliseconds mistaken for seconds: thirty thousand years of visits. */
const YEAR_9999_S = 253_402_300_799

export interface Trace {
  url: string
  weight: number
  /** Milliseconds, sorted, start ≤ t < end. */
  changes: Float64Array
  start: number
  end: number
  /** As many as changes; null: all are 1. */
  magnitudes: Float64Array | null
  /** Null: nothing was reported, except to policies that ask for a notice of every change. */
  notices: Float64Array | null
  /** Mean changes per day, as an oracle knows it. */
  rate: number
}

export function tracesOf(text: string): Trace[] {
  const traces = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => {
      return line.trim() === '' ? [] : [traceOf(line, index + 1)]
    })
  if (traces.length === 0) throw new BadTrace(1, 'there is no history in the file')
  return traces
}

function traceOf(line: string, number: number): Trace {
  const fields = parsed(line, number)
  const { url, weight = 1, changes, start, end, magnitudes, notices } = fields
  const refuse = (what: string): never => {
    throw new BadTrace(number, what)
  }
  if (typeof url !== 'string' || url === '') refuse('"url" must be a text')
  if (!isNumber(weight) || weight <= 0) refuse('"weight" must be a number above 0')
  if (!isNumber(start) || !isNumber(end)) refuse('"start" and "end" must be Unix seconds')
  if ((start as number) >= (end as number)) refuse('"start" must be before "end"')
  if ((end as number) > YEAR_9999_S) refuse('"end" must be in Unix seconds, not in milliseconds')
  if (!areNumbers(changes)) refuse('"changes" must be a list of Unix seconds')
  if (magnitudes !== undefined && !areNumbers(magnitudes)) {
    refuse('"magnitudes" must be a list of numbers')
  }
  if (notices !== undefined && !areNumbers(notices)) refuse('"notices" must be Unix seconds')
  const sizes = (magnitudes ?? null) as number[] | null
  if (sizes?.some((size) => size < 0 || size > 1)) refuse('"magnitudes" must lie in [0, 1]')
  if (sizes && sizes.length !== (changes as number[]).length) {
    refuse('"magnitudes" must be as many as "changes"')
  }
  return inObservation({
    url: url as string,
    weight: weight as number,
    start: (start as number) * 1_000,
    end: (end as number) * 1_000,
    changes: (changes as number[]).map((time) => time * 1_000),
    magnitudes: sizes,
    notices: (notices as number[] | undefined)?.map((time) => time * 1_000) ?? null,
  })
}

function parsed(line: string, number: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new BadTrace(number, 'it must be JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadTrace(number, 'it must be an object')
  }
  return value as Record<string, unknown>
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function areNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isNumber)
}

interface RawTrace {
  url: string
  weight: number
  start: number
  end: number
  changes: readonly number[]
  magnitudes?: readonly number[] | null
  notices?: readonly number[] | null
  rate?: number
}

/** Times in milliseconds; `rate`: where it is known better than by counting. */
export function inObservation(raw: RawTrace): Trace {
  const { url, weight, start, end } = raw
  const inside = (time: number): boolean => time >= start && time < end
  const order = raw.changes
    .map((time, i) => ({ time, magnitude: raw.magnitudes?.[i] ?? 1 }))
    .filter(({ time }) => inside(time))
    .toSorted((a, b) => a.time - b.time)
  const changes = Float64Array.from(order, ({ time }) => time)
  return {
    url,
    weight,
    start,
    end,
    changes,
    magnitudes: raw.magnitudes ? Float64Array.from(order, ({ magnitude }) => magnitude) : null,
    notices: raw.notices ? Float64Array.from(raw.notices.filter(inside)).toSorted() : null,
    rate: raw.rate ?? (changes.length * DAY_MS) / (end - start),
  }
}

export function lineOf(trace: Trace): string {
  const seconds = (times: Float64Array): number[] => [...times].map((time) => time / 1_000)
  const { url, weight } = trace
  const line = { url, weight, changes: seconds(trace.changes) }
  return JSON.stringify({ ...line, start: trace.start / 1_000, end: trace.end / 1_000 })
}
