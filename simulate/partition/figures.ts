/** The drawings of a report: curves over the number of robots. */
import type { Estimate } from '../fleet/statistics.ts'
import { svgPlot, type Plot } from '../fleet/svg-plot.ts'
import { nameOf } from './print-report.ts'
import type { PartitionReport, PlacementRow, Row } from './report.ts'

/** A drawing tells four curves apart. */
const DRAWN = ['hash-host', 'geographic', 'thesis', 'minga']

/** File names without ending, and their drawings; curves need two points. */
export function figuresOf({ rows, placements }: PartitionReport): { name: string; svg: string }[] {
  const calm = rows.filter(
    ({ weather, unit, source, allocator }) =>
      weather === 'calm' && unit === 'host' && source === 'rtt' && DRAWN.includes(allocator),
  )
  const byPause = [...Map.groupBy(calm, ({ politeness }) => politeness)]
  const days = 'days until all is fetched'
  const plots = [
    ...byPause.map(([pause, list]) => ({
      name: `makespan-${pause}`,
      plot: crawlPlot(`Pauses ${pause}`, days, list, (row) => row.makespanDays),
    })),
    {
      name: 'exchange',
      plot: crawlPlot(
        'URLs that belong to another robot',
        'share of all links found',
        byPause[0]?.[1] ?? [],
        (row) => row.exchangeShare,
      ),
    },
    {
      name: 'formula-download',
      plot: placementPlot(
        'Download by formula (5.2)',
        'seconds',
        placements,
        (row) => row.downloadS,
      ),
    },
    {
      name: 'formula-redistribution',
      plot: placementPlot(
        'A robot joins (5.3)',
        'seconds',
        placements,
        (row) => row.redistributionS,
      ),
    },
    {
      name: 'moved',
      plot: placementPlot(
        'A robot joins',
        'share of pages that move',
        placements,
        (row) => row.movedShare,
      ),
    },
  ]
  return plots
    .filter(({ plot }) => plot.xs.length > 1)
    .map(({ name, plot }) => ({ name, svg: svgPlot(plot) }))
}

interface Point {
  series: string
  k: number
  value: Estimate
}

function crawlPlot(
  title: string,
  yLabel: string,
  rows: readonly Row[],
  of: (row: Row) => Estimate,
): Plot {
  return curves(
    { title, yLabel },
    rows.map((row) => ({ series: nameOf(row), k: row.k, value: of(row) })),
  )
}

function placementPlot(
  title: string,
  yLabel: string,
  rows: readonly PlacementRow[],
  of: (row: PlacementRow) => Estimate,
): Plot {
  return curves(
    { title, yLabel },
    rows.map((row) => ({ series: row.allocator, k: row.k, value: of(row) })),
  )
}

function curves(
  { title, yLabel }: { title: string; yLabel: string },
  points: readonly Point[],
): Plot {
  const ks = [...new Set(points.map(({ k }) => k))].toSorted((a, b) => a - b)
  return {
    title,
    xLabel: 'robots',
    yLabel,
    xs: ks.map(String),
    isLine: true,
    series: [...Map.groupBy(points, ({ series }) => series)].map(([name, list]) => ({
      name,
      points: list
        .toSorted((a, b) => a.k - b.k)
        .map(({ k, value }) => ({ x: String(k), mean: value.mean, halfWidth: value.halfWidth })),
    })),
  }
}
