/** Where the bars of a day's throughput stand. */
import type { ThroughputPoint } from '@minga/protocol'

export interface DayBar {
  point: ThroughputPoint
  x: number
  y: number
  width: number
  height: number
}

export interface DayBars {
  bars: DayBar[]
  /** URLs a minute in the busiest span. */
  most: number
  from: number
  to: number
}

/** A short past is not squeezed into the corner of a day. */
const SPANS_LEAST = 30
const MINUTE_MS = 60_000

const perMinute = ({ done, spanMs }: ThroughputPoint): number => done / (spanMs / MINUTE_MS)

export function dayBars(
  points: readonly ThroughputPoint[],
  { width, height }: { width: number; height: number },
): DayBars {
  const last = points.at(-1)!
  const to = last.at + last.spanMs
  const from = Math.min(points[0]!.at, to - SPANS_LEAST * last.spanMs)
  const most = Math.max(...points.map(perMinute))
  const one = (last.spanMs / (to - from)) * width
  const bars = points.map((point) => {
    const tall = most === 0 ? 0 : (perMinute(point) / most) * height
    const x = ((point.at - from) / (to - from)) * width
    return { point, x, y: height - tall, width: one * 0.8, height: tall }
  })
  return { bars, most, from, to }
}
