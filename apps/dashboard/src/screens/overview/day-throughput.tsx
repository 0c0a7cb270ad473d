/** What the station did in the last day, as bars; the same figures as a table for users who cannot see them. */
import type { ThroughputPoint } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { PlotTable } from '../../components/charts/plot-table.tsx'
import { useStation } from '../../api/use-station.ts'
import { Loaded } from '../../components/loaded.tsx'
import { shareOf } from '../../components/time-axis.ts'
import { TooFew } from '../../components/too-few.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useZone } from '../../components/use-zone.ts'
import { dayBars } from './day-bars.ts'

const EVERY_MS = 60_000
const WIDTH = 600
const HEIGHT = 120
const TABLE_ROWS = 24

export function DayThroughput() {
  const query = useStation(['throughput'], 'GET /station/throughput', { refetchInterval: EVERY_MS })
  const points = query.data ?? []
  return (
    <>
      <Title points={points} />
      <Loaded query={query}>{(known) => <Bars points={known} />}</Loaded>
    </>
  )
}

/** A station that has just begun has no day to show. */
function Title({ points }: { points: readonly ThroughputPoint[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return <h2>{t('overview.throughput')}</h2>
  return <h2>{t('overview.day', { span: format.span(last.at + last.spanMs - first.at) })}</h2>
}

function Bars({ points }: { points: readonly ThroughputPoint[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const zone = useZone()
  const shape = dayBars(points, { width: WIDTH, height: HEIGHT, zone })
  if (points.length === 0) return <p className="quiet">{t('day.none')}</p>
  const done = points.reduce((sum, point) => sum + point.done, 0)
  const bytes = points.reduce((sum, point) => sum + point.bytes, 0)
  const summary = t('day.label', { done: format.count(done), bytes: format.bytes(bytes) })
  if (shape === null) {
    return (
      <figure className="plot day-bars">
        <figcaption>{summary}</figcaption>
        <TooFew count={points.length} />
        <BarsTable points={points} />
      </figure>
    )
  }
  const { bars, most, axis } = shape
  return (
    <figure className="plot day-bars">
      <figcaption>
        <span>{summary}</span>{' '}
        <span>{t('day.most', { rate: format.count(Math.round(most)) })}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {bars.map(({ x, y, width, height, point }) => (
          <rect key={point.at} x={x} y={y} width={width} height={height} />
        ))}
      </svg>
      <p className="axis quiet" aria-hidden="true">
        {axis.ticks.map((at) => (
          <span key={at} style={{ left: `${(100 * shareOf(axis, at)).toFixed(2)}%` }}>
            {format.tick(at, axis.unit)}
          </span>
        ))}
      </p>
      <BarsTable points={points} />
    </figure>
  )
}

function BarsTable({ points }: { points: readonly ThroughputPoint[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <details>
      <summary>{t('plot.table')}</summary>
      <PlotTable
        heads={[t('plot.time'), t('day.done'), t('figure.bytes')]}
        rows={points
          .slice(-TABLE_ROWS)
          .toReversed()
          .map(({ at, done, bytes }) => ({
            key: at,
            cells: [format.moment(at), format.count(done), format.bytes(bytes)],
          }))}
      />
    </details>
  )
}
