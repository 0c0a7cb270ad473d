/** The sizes of a history as a line of bounded length: of many revisions the extremes are kept. */

interface CurvePoint {
  /** The place of the revision in the history. */
  place: number
  size: number
}

export function curvePoints(sizes: readonly (number | null)[], most: number): CurvePoint[] {
  const known = sizes.flatMap((size, place) => (size === null ? [] : [{ place, size }]))
  if (known.length <= most) return known
  const points: CurvePoint[] = []
  const perGroup = Math.ceil(known.length / (most / 2))
  for (let from = 0; from < known.length; from += perGroup) {
    const group = known.slice(from, from + perGroup)
    const least = group.reduce((a, b) => (b.size < a.size ? b : a))
    const largest = group.reduce((a, b) => (b.size > a.size ? b : a))
    const both = least.place < largest.place ? [least, largest] : [largest, least]
    points.push(...(least === largest ? [least] : both))
  }
  return points
}

/** From 0 to 1 in both directions, y downwards; the line continues level until the next revision. */
export function curvePath(points: readonly CurvePoint[], count: number): string {
  const largest = points.reduce((most, { size }) => Math.max(most, size), 1)
  const x = (place: number): string => (count <= 1 ? 0 : place / (count - 1)).toFixed(5)
  const y = (size: number): string => (1 - size / largest).toFixed(4)
  return points
    .map(({ place, size }, i) => (i === 0 ? `M${x(place)} ${y(size)}` : `H${x(place)}V${y(size)}`))
    .join('')
}

/** Bytes more than in the revision before; null when one of them is unknown. */
export function deltaAt(sizes: readonly (number | null)[], place: number): number | null {
  const size = sizes[place] ?? null
  if (size === null) return null
  if (place === 0) return size
  const former = sizes[place - 1] ?? null
  return former === null ? null : size - former
}

/** A whole history is played in about a minute, whatever its length. */
const STEPS_MAX = 120

export function playStep(count: number): number {
  return Math.max(1, Math.ceil(count / STEPS_MAX))
}
