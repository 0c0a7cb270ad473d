/** Accuracy of forecasts: predictions compared with results, in ten buckets. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { CalibrationDrawer, CalibrationView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { placeIn, SQUARE } from './watch-plots.ts'

/** Of one watch, or of all. */
const readCalibration = (id: string | null): Promise<CalibrationView> =>
  id === null
    ? station('GET /watch-calibration')
    : station('GET /watches/{id}/calibration', { params: { id } })

/** Of one watch, or of all. */
export function WatchCalibration({ id }: { id: string | null }) {
  const { t } = useTranslation()
  const query = useQuery({ queryKey: ['calibration', id], queryFn: () => readCalibration(id) })
  return (
    <section className="card">
      <h2>{t('calibration.title')}</h2>
      <p className="quiet">{t('calibration.lead')}</p>
      <Loaded query={query}>
        {(view) =>
          view.visits === 0 ? (
            <EmptyState title={t('calibration.none')} text={t('watch.needsTwo')} />
          ) : (
            <Calibration view={view} />
          )
        }
      </Loaded>
    </section>
  )
}

function Calibration({ view }: { view: CalibrationView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const columns: Column<CalibrationDrawer>[] = [
    {
      label: t('calibration.said'),
      cell: ({ from, to }) => `${format.percent(from)} – ${format.percent(to)}`,
    },
    {
      label: t('calibration.predicted'),
      isNumber: true,
      cell: ({ predicted }) => format.percent(predicted),
    },
    {
      label: t('calibration.observed'),
      isNumber: true,
      cell: ({ observed }) => format.percent(observed),
    },
    {
      label: t('calibration.between'),
      isNumber: true,
      cell: ({ low, high }) => `${format.percent(low)} – ${format.percent(high)}`,
    },
    { label: t('watchMetrics.visits'), isNumber: true, cell: ({ visits }) => format.count(visits) },
  ]
  const score = (value: number | null): string => (value === null ? '–' : format.percent(value))
  return (
    <>
      <FiguresList
        figures={[
          { label: t('watchMetrics.visits'), value: format.count(view.visits) },
          { label: t('calibration.brier'), value: score(view.brier) },
          { label: t('calibration.baseBrier'), value: score(view.baseBrier) },
        ]}
      />
      <Plot drawers={view.drawers} />
      <details>
        <summary>{t('plot.table')}</summary>
        <DataTable
          caption={t('calibration.title')}
          columns={columns}
          rows={view.drawers}
          keyOf={({ from }) => from}
        />
      </details>
    </>
  )
}

const SHARES = [0, 0.25, 0.5, 0.75, 1]

function Plot({ drawers }: { drawers: readonly CalibrationDrawer[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const at = (x: number, y: number) => placeIn(SQUARE, x, y)
  const [origin, corner] = [at(0, 0), at(1, 1)]
  const most = Math.max(...drawers.map(({ visits }) => visits))
  return (
    <figure className="drawn square">
      <svg
        viewBox={`0 0 ${SQUARE.width} ${SQUARE.height}`}
        role="img"
        aria-label={t('calibration.lead')}
      >
        {SHARES.map((share) => (
          <g key={share}>
            <line
              className="grid"
              x1={origin.x}
              x2={corner.x}
              y1={at(0, share).y}
              y2={at(0, share).y}
            />
            <text className="end" x={origin.x - 6} y={at(0, share).y + 4}>
              {format.percent(share)}
            </text>
            <text className="middle" x={at(share, 0).x} y={origin.y + 14}>
              {format.percent(share)}
            </text>
          </g>
        ))}
        <line className="diagonal" x1={origin.x} y1={origin.y} x2={corner.x} y2={corner.y} />
        {drawers.map(({ from, predicted, observed, low, high, visits }) => {
          const { x, y } = at(predicted, observed)
          return (
            <g key={from}>
              <title>
                {t('calibration.point', {
                  predicted: format.percent(predicted),
                  observed: format.percent(observed),
                  visits: format.count(visits),
                })}
              </title>
              <line className="whisker" x1={x} x2={x} y1={at(0, low).y} y2={at(0, high).y} />
              <circle className="dot" cx={x} cy={y} r={3 + 6 * Math.sqrt(visits / most)} />
            </g>
          )
        })}
        <text className="middle" x={(origin.x + corner.x) / 2} y={SQUARE.height - 4}>
          {t('calibration.predicted')}
        </text>
      </svg>
      <figcaption className="quiet">{t('calibration.help')}</figcaption>
    </figure>
  )
}
