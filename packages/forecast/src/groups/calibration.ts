/**
 * Calibration of forecasts: of the visits that were expected to find a change with a probability of
 * some 30 in a hundred, how many did? Probabilities are put into ten bins; for each the share that
 * came true is compared with the mean forecast, with Wilson's interval, since bins are often small
 * (Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927).
 */
import type { CalibrationDrawer, CalibrationView } from '@minga/protocol'

export interface DrawerTally {
  /** From 0 to 9: chances of 30 to 40 in a hundred are in drawer 3. */
  drawer: number
  visits: number
  changed: number
  chances: number
  /** Of the squares of (chance − 1 or 0). */
  squares: number
}

const DRAWERS = 10
/** Of the standard normal distribution, for nine tenths. */
const Z = 1.6449

export function calibrationOf(tallies: readonly DrawerTally[]): CalibrationView {
  const total = (of: (tally: DrawerTally) => number): number =>
    tallies.reduce((sum, tally) => sum + of(tally), 0)
  const visits = total((tally) => tally.visits)
  if (visits === 0) return { visits, drawers: [], brier: null, baseBrier: null }
  const share = total((tally) => tally.changed) / visits
  return {
    visits,
    drawers: tallies
      .filter((tally) => tally.visits > 0)
      .toSorted((a, b) => a.drawer - b.drawer)
      .map(drawerOf),
    brier: total((tally) => tally.squares) / visits,
    baseBrier: share * (1 - share),
  }
}

function drawerOf({ drawer, visits, changed, chances }: DrawerTally): CalibrationDrawer {
  const observed = changed / visits
  return {
    from: drawer / DRAWERS,
    to: (drawer + 1) / DRAWERS,
    visits,
    predicted: chances / visits,
    observed,
    ...wilson(observed, visits),
  }
}

function wilson(share: number, count: number): { low: number; high: number } {
  const square = (Z * Z) / count
  const middle = (share + square / 2) / (1 + square)
  const half = (Z * Math.sqrt((share * (1 - share)) / count + square / (4 * count))) / (1 + square)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}
