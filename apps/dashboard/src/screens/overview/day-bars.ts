/** Where the bars of a day's throughput stand. */
import type { ThroughputPoint } from '@minga/protocol'
import { POINTS_LEAST, shareOf, timeAxis, type TimeAxis } from '../../components/time-axis.ts'
import type { Zone } from '../../zone.ts'

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
  axis: TimeAxis
}

const MINUTE_MS = 60_000
/** As many labels as fit under the plot of a narrow screen. */
const LABELS_MOST = 5

const perMinute = ({ done, spanMs }: ThroughputPoint): number => done / (spanMs / MINUTE_MS)

/** Null when there are too few spans for a plot. */
export function dayBars(
  points: readonly ThroughputPoint[],
  { width, height, zone }: { width: number; height: number; zone: Zone },
): DayBars | null {
  if (points.length < POINTS_LEAST) return null
  const edges = points.flatMap(({ at, spanMs }) => [at, at + spanMs])
  const axis = timeAxis(edges, { zone, labelsMost: LABELS_MOST })
  if (axis === null) return null
  const most = Math.max(...points.map(perMinute))
  const bars = points.map((point) => {
    const tall = most === 0 ? 0 : (perMinute(point) / most) * height
    const x = shareOf(axis, point.at) * width
    const wide = shareOf(axis, point.at + point.spanMs) * width - x
    return { point, x, y: height - tall, width: wide * 0.8, height: tall }
  })
  return { bars, most, axis }
}
