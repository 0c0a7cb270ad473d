/** What the station did in the last day, as bars; the same figures as a table for whoever cannot see them. */
import { useQuery } from '@tanstack/react-query'
import type { ThroughputPoint } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { readThroughput } from '../../api/client.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { dayBars } from './day-bars.ts'

const EVERY_MS = 60_000
const WIDTH = 600
const HEIGHT = 120
const TABLE_ROWS = 24

export function DayThroughput() {
  const query = useQuery({
    queryKey: ['throughput'],
    queryFn: readThroughput,
    refetchInterval: EVERY_MS,
  })
  return <Loaded query={query}>{(points) => <Bars points={points} />}</Loaded>
}

function Bars({ points }: { points: readonly ThroughputPoint[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (points.length === 0) return <p className="quiet">{t('day.none')}</p>
  const { bars, most, from, to } = dayBars(points, { width: WIDTH, height: HEIGHT })
  const done = points.reduce((sum, point) => sum + point.done, 0)
  const bytes = points.reduce((sum, point) => sum + point.bytes, 0)
  const summary = t('day.label', { done: format.count(done), bytes: format.bytes(bytes) })
  return (
    <figure className="plot day-bars">
      <figcaption>{summary}</figcaption>
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
      <p className="axis quiet">
        <span>{format.clock(from)}</span>
        <span>{t('day.most', { rate: format.count(Math.round(most)) })}</span>
        <span>{format.clock(to)}</span>
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
      <table>
        <thead>
          <tr>
            <th scope="col">{t('plot.time')}</th>
            <th scope="col" className="number">
              {t('day.done')}
            </th>
            <th scope="col" className="number">
              {t('figure.bytes')}
            </th>
          </tr>
        </thead>
        <tbody>
          {points
            .slice(-TABLE_ROWS)
            .toReversed()
            .map(({ at, done, bytes }) => (
              <tr key={at}>
                <td>{format.moment(at)}</td>
                <td className="number">{format.count(done)}</td>
                <td className="number">{format.bytes(bytes)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}
