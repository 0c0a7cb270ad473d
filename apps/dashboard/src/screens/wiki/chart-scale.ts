/** Which bars of a plot have a label below them. */
import type { TimeAxis } from '../../components/time-axis.ts'

interface LabelledPlace {
  place: number
  moment: number
}

/** Bars have equal widths while months have not: a label stands at the bar that its moment falls in. */
export function labelledPlaces(at: readonly number[], axis: TimeAxis): LabelledPlace[] {
  const labels = new Map<number, number>()
  for (const moment of axis.ticks) {
    const place = at.findLastIndex((start) => start <= moment)
    if (place !== -1 && !labels.has(place)) labels.set(place, moment)
  }
  return [...labels].map(([place, moment]) => ({ place, moment }))
}
