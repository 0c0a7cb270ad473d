/** A small line of figures, and how fast something is by it. */
import type { Rates } from '../../api/station-api.ts'

const MINUTE_MS = 60_000

export interface LineBox {
  width: number
  height: number
}

/** From the left edge to the right, the highest figure at the top; a flat line at the bottom when all are 0. */
export function linePath(values: readonly number[], { width, height }: LineBox): string {
  if (values.length === 0) return ''
  const top = Math.max(...values, 1)
  const step = values.length === 1 ? 0 : width / (values.length - 1)
  const points = values.map((value, i) => {
    const y = height - 1 - (value / top) * (height - 2)
    return `${rounded(i * step)} ${rounded(y)}`
  })
  return `M${points.join('L')}`
}

const rounded = (value: number): number => Math.round(value * 10) / 10

/** Per second over the last whole minute and the one that runs. */
export function perSecond(
  values: readonly number[],
  { from }: Pick<Rates, 'from'>,
  now: number,
): number {
  const last = values.length - 1
  if (last < 0) return 0
  const runsMs = Math.min(MINUTE_MS, Math.max(0, now - (from + last * MINUTE_MS)))
  const sum = values[last]! + (values[last - 1] ?? 0)
  return sum / ((MINUTE_MS + runsMs) / 1_000)
}
