/** Of an even number, the mean of both middle ones; NaN of none. */
export const medianOf = (values: readonly number[]): number => quantileOf(values, 0.5)

/** Linear between the two values that stand around this share; NaN of none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below] ?? NaN
  return low + (place - below) * ((sorted[below + 1] ?? low) - low)
}
