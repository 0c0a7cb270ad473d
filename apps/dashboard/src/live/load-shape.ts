/** Where the lines, marks and axes of a load test's plot lie: throughput and p95 against visitors. */
import type { Capacity, StepSummary } from '../api/station-api.ts'

export interface Tick {
  value: number
  /** Pixels along its axis. */
  at: number
}

export interface Point {
  x: number
  y: number
}

export interface LoadShape {
  left: number
  right: number
  top: number
  bottom: number
  visitorTicks: Tick[]
  rateTicks: Tick[]
  latencyTicks: Tick[]
  rates: Point[]
  latencies: Point[]
  /** The p95 up to which visitors count as borne; null when it lies above the plot. */
  limitY: number | null
  /** From what is certainly borne to what is certainly too much, and the estimate between them. */
  estimate: { from: number; to: number; at: number } | null
}

export interface ShapeOptions {
  steps: readonly StepSummary[]
  capacity: Capacity | null
  limitMs: number
  width: number
  height: number
}

/** Room for the labels of the axes. */
const MARGIN = { left: 44, right: 62, top: 12, bottom: 40 }
const TICKS = 5

export function loadShape({ steps, capacity, limitMs, width, height }: ShapeOptions): LoadShape {
  const left = MARGIN.left
  const right = Math.max(left + 1, width - MARGIN.right)
  const top = MARGIN.top
  const bottom = Math.max(top + 1, height - MARGIN.bottom)
  const done = steps.toSorted((a, b) => a.visitors - b.visitors)
  const measured = done.flatMap((step) =>
    step.p95Ms === null ? [] : [{ visitors: step.visitors, p95Ms: step.p95Ms }],
  )
  const visitors = axis({ values: done.map((step) => step.visitors), from: left, to: right })
  const rate = axis({ values: done.map(({ perSecond }) => perSecond), from: bottom, to: top })
  const latency = axis({ values: measured.map(({ p95Ms }) => p95Ms), from: bottom, to: top })
  return {
    left,
    right,
    top,
    bottom,
    // There are no halves of visitors.
    visitorTicks: visitors.ticks.filter(({ value }) => Number.isInteger(value)),
    rateTicks: rate.ticks,
    latencyTicks: latency.ticks,
    rates: done.map((step) => ({ x: visitors.at(step.visitors), y: rate.at(step.perSecond) })),
    latencies: measured.map((step) => ({
      x: visitors.at(step.visitors),
      y: latency.at(step.p95Ms),
    })),
    limitY: limitMs <= latency.most ? latency.at(limitMs) : null,
    estimate:
      capacity === null
        ? null
        : {
            from: visitors.at(capacity.low),
            to: visitors.at(capacity.high ?? visitors.most),
            at: visitors.at(capacity.visitors),
          },
  }
}

interface Axis {
  most: number
  ticks: Tick[]
  at: (value: number) => number
}

function axis({ values, from, to }: { values: number[]; from: number; to: number }): Axis {
  const step = tickStep(Math.max(0, ...values))
  const count = Math.max(1, Math.ceil(Math.max(0, ...values) / step))
  const most = count * step
  const at = (value: number): number => from + (value / most) * (to - from)
  const ticks = Array.from({ length: count + 1 }, (_, i) => ({ value: i * step, at: at(i * step) }))
  return { most, ticks, at }
}

/** One, two or five times a power of ten, so that there are a handful of them. */
export function tickStep(most: number): number {
  if (most <= 0) return 1
  const rough = most / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  return ([1, 2, 5].find((times) => times * power >= rough) ?? 10) * power
}
