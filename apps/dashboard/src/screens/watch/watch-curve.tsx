/** Every fixed period compared with the forecast: how many versions it stores for how many visits. */
import { useTranslation } from 'react-i18next'
import type { CompareCurveView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { POINTS_LEAST } from '../../components/time-axis.ts'
import { TooFew } from '../../components/too-few.tsx'
import { useFormat } from '../../components/use-format.ts'
import { curvePoints, curveTicks, placeIn, WIDE, type CurvePoint } from './watch-plots.ts'

export function WatchCurve({ id, periodMs }: { id: string; periodMs: number }) {
  const { t } = useTranslation()
  const query = useStation(['compare-curve', id], 'GET /watches/{id}/compare-curve', {
    params: { id },
  })
  return (
    <section className="card">
      <h2>{t('watchCompare.curve')}</h2>
      <p className="quiet">{t('watchCompare.curveLead')}</p>
      <Loaded query={query}>
        {(view) =>
          view.dynamic === null ? (
            <p>{t('watchCompare.none')}</p>
          ) : curvePoints(view).length < POINTS_LEAST ? (
            <TooFew count={curvePoints(view).length} />
          ) : (
            <Curve view={view} periodMs={periodMs} />
          )
        }
      </Loaded>
    </section>
  )
}

function Curve({ view, periodMs }: { view: CompareCurveView; periodMs: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const points = curvePoints(view)
  const ticks = curveTicks(points)
  const fixed = points.filter((point) => point.periodMs !== null).toSorted((a, b) => a.x - b.x)
  const own = points.find((point) => point.periodMs === null)
  const [origin, corner] = [placeIn(WIDE, 0, 0), placeIn(WIDE, 1, 1)]
  const placed = (point: CurvePoint) => placeIn(WIDE, point.x, point.y)
  const nameOf = ({ periodMs: period }: CurvePoint): string =>
    period === null ? t('watchCompare.dynamic') : t('watch.every', { time: format.span(period) })
  const columns: Column<CurvePoint>[] = [
    { label: t('watchCompare.policy'), cell: nameOf },
    {
      label: t('watchMetrics.visits'),
      isNumber: true,
      cell: ({ visits }) => format.count(Math.round(visits)),
    },
    {
      label: t('watchCompare.versions'),
      isNumber: true,
      cell: ({ versions }) => format.rate(versions),
    },
  ]
  return (
    <>
      <figure className="drawn">
        <svg
          viewBox={`0 0 ${WIDE.width} ${WIDE.height}`}
          role="img"
          aria-label={t('watchCompare.curveLead')}
        >
          <line className="grid" x1={origin.x} x2={origin.x} y1={origin.y} y2={corner.y} />
          {ticks.y.map(({ value, share }) => {
            const { y } = placeIn(WIDE, 0, share)
            return (
              <g key={value}>
                <line className="grid" x1={origin.x} x2={corner.x} y1={y} y2={y} />
                <text className="end" x={origin.x - 6} y={y + 4}>
                  {format.count(value)}
                </text>
              </g>
            )
          })}
          {ticks.x.map(({ value, share }) => (
            <text key={value} className="middle" x={placeIn(WIDE, share, 0).x} y={origin.y + 14}>
              {format.count(value)}
            </text>
          ))}
          <polyline
            className="curve"
            points={fixed
              .map(placed)
              .map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`)
              .join(' ')}
          />
          {fixed.map((point) => (
            <g key={point.periodMs}>
              <title>{`${nameOf(point)}: ${format.rate(point.versions)}`}</title>
              <circle className="dot fixed" cx={placed(point).x} cy={placed(point).y} r="3.5" />
              {point.periodMs === periodMs ? (
                <circle className="chosen" cx={placed(point).x} cy={placed(point).y} r="8" />
              ) : null}
            </g>
          ))}
          {own === undefined ? null : (
            <g>
              <title>{`${nameOf(own)}: ${format.rate(own.versions)}`}</title>
              <path
                className="star"
                transform={`translate(${placed(own).x} ${placed(own).y})`}
                d="M0-9L2.6-3L9-2.6L4 1.4L5.6 8L0 4.4L-5.6 8L-4 1.4L-9-2.6L-2.6-3Z"
              />
            </g>
          )}
          <text className="middle" x={(origin.x + corner.x) / 2} y={WIDE.height - 4}>
            {t('watchCompare.curveVisits')}
          </text>
          <text x={origin.x + 6} y={corner.y + 8}>
            {t('watchCompare.versions')}
          </text>
        </svg>
        <figcaption className="legend mark-key">
          <span>
            <svg viewBox="-10 -10 20 20" aria-hidden="true">
              <path
                className="star"
                d="M0-9L2.6-3L9-2.6L4 1.4L5.6 8L0 4.4L-5.6 8L-4 1.4L-9-2.6L-2.6-3Z"
              />
            </svg>{' '}
            {t('watchCompare.dynamic')}
          </span>
          <span>
            <svg viewBox="-8 -8 16 16" aria-hidden="true">
              <circle className="dot fixed" r="5" />
            </svg>{' '}
            {t('watchCompare.fixed')}
          </span>
        </figcaption>
      </figure>
      <details>
        <summary>{t('plot.table')}</summary>
        <DataTable
          caption={t('watchCompare.curve')}
          columns={columns}
          rows={points}
          keyOf={(point) => point.periodMs ?? 0}
        />
      </details>
    </>
  )
}
