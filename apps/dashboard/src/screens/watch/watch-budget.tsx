/** What another budget of visits would bring: chosen with a slider, calculated with the station's own prices. */
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BudgetPoint, BudgetView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { WatchCalibration } from './watch-calibration.tsx'
import { budgetMarks, caughtOf, inForceIndex, placeIn, WIDE } from './watch-plots.ts'

export function WatchBudgetScreen() {
  const { t } = useTranslation()
  const query = useStation(['watch-budget'], 'GET /watch-budget')
  return (
    <>
      <h1>{t('budget.title')}</h1>
      <p className="quiet">{t('budget.lead')}</p>
      <section className="card">
        <h2>{t('budget.whatIf')}</h2>
        <Loaded query={query}>
          {(view) =>
            view.points.length === 0 ? (
              <EmptyState title={t('budget.none')} text={t('watch.lead')}>
                <Link to="/watches/new" className="button primary">
                  {t('watch.new')}
                </Link>
              </EmptyState>
            ) : (
              <Outlook view={view} />
            )
          }
        </Loaded>
      </section>
      <WatchCalibration id={null} />
    </>
  )
}

function Outlook({ view }: { view: BudgetView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { points } = view
  const inForce = inForceIndex(points, view.visitsPerDay)
  const [chosen, setChosen] = useState(inForce)
  const index = Math.min(chosen, points.length - 1)
  const [point, now] = [points[index]!, points[inForce]!]
  return (
    <>
      <p>
        {t(view.isDefault ? 'budget.inForceDefault' : 'budget.inForce', {
          visits: format.rate(view.visitsPerDay),
          urls: format.count(view.urls),
        })}
      </p>
      <Slider points={points} index={index} onIndex={setChosen} />
      <div aria-live="polite">
        <FiguresList figures={useFigures(point, now)} />
      </div>
      <Plot points={points} index={index} inForce={inForce} />
      <p className="quiet">{t('budget.help')}</p>
      {view.urlsLeftOut === 0 ? null : (
        <p className="quiet">{t('budget.leftOut', { count: view.urlsLeftOut })}</p>
      )}
      <details>
        <summary>{t('plot.table')}</summary>
        <Points points={points} />
      </details>
    </>
  )
}

interface SliderProps {
  points: readonly BudgetPoint[]
  index: number
  onIndex: (index: number) => void
}

function Slider({ points, index, onIndex }: SliderProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const id = useId()
  const text = t('budget.perDay', { visits: format.rate(points[index]!.visitsPerDay) })
  return (
    <div className="slider budget-slider">
      <label htmlFor={id}>{t('budget.slider')}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={points.length - 1}
        step={1}
        value={index}
        aria-valuetext={text}
        onChange={({ target }) => onIndex(Number(target.value))}
      />
      <output htmlFor={id}>{text}</output>
    </div>
  )
}

function useFigures(point: BudgetPoint, now: BudgetPoint): { label: string; value: string }[] {
  const { t } = useTranslation()
  const format = useFormat()
  const beside = (value: string, change: number, text: string): string =>
    Math.abs(change) < 1e-9 ? value : `${value} (${change > 0 ? '+' : '−'}${text})`
  const versions = point.versionsPerDay - now.versionsPerDay
  const freshness = point.freshness - now.freshness
  return [
    { label: t('budget.used'), value: format.rate(point.usedVisitsPerDay) },
    {
      label: t('budget.versions'),
      value: beside(format.rate(point.versionsPerDay), versions, format.rate(Math.abs(versions))),
    },
    { label: t('budget.caught'), value: format.percent(caughtOf(point)) },
    {
      label: t('budget.freshness'),
      value: beside(
        format.percent(point.freshness),
        freshness,
        format.percent(Math.abs(freshness)),
      ),
    },
    { label: t('budget.rare'), value: format.count(Math.round(point.rareUrls)) },
  ]
}

interface PlotProps {
  points: readonly BudgetPoint[]
  index: number
  inForce: number
}

function Plot({ points, index, inForce }: PlotProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const marks = budgetMarks(points)
  const line = (of: (mark: (typeof marks)[number]) => number): string =>
    marks
      .map((mark) => placeIn(WIDE, mark.x, of(mark)))
      .map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`)
      .join(' ')
  const chosen = marks[index]!
  const [origin, corner] = [placeIn(WIDE, 0, 0), placeIn(WIDE, 1, 1)]
  const at = placeIn(WIDE, chosen.x, 0)
  return (
    <figure className="drawn">
      <svg viewBox={`0 0 ${WIDE.width} ${WIDE.height}`} role="img" aria-label={t('budget.plot')}>
        {[0, 0.5, 1].map((share) => {
          const { y } = placeIn(WIDE, 0, share)
          return (
            <g key={share}>
              <line className="grid" x1={origin.x} x2={corner.x} y1={y} y2={y} />
              <text className="end" x={origin.x - 6} y={y + 4}>
                {format.percent(share)}
              </text>
            </g>
          )
        })}
        {[0, inForce, points.length - 1].map((i) => (
          <text key={i} className="middle" x={placeIn(WIDE, marks[i]!.x, 0).x} y={origin.y + 16}>
            {format.rate(points[i]!.visitsPerDay)}
          </text>
        ))}
        <text className="middle" x={(origin.x + corner.x) / 2} y={WIDE.height - 2}>
          {t('budget.slider')}
        </text>
        <line className="marker" x1={at.x} x2={at.x} y1={origin.y} y2={corner.y} />
        <polyline className="curve" points={line(({ caught }) => caught)} />
        <polyline className="curve second" points={line(({ freshness }) => freshness)} />
        {[chosen.caught, chosen.freshness].map((share, i) => (
          <circle key={i} className="chosen" cx={at.x} cy={placeIn(WIDE, 0, share).y} r="5" />
        ))}
      </svg>
      <figcaption className="legend mark-key">
        <span>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <line className="curve" x1="0" x2="16" y1="8" y2="8" />
          </svg>{' '}
          {t('budget.caught')}
        </span>
        <span>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <line className="curve second" x1="0" x2="16" y1="8" y2="8" />
          </svg>{' '}
          {t('budget.freshness')}
        </span>
      </figcaption>
    </figure>
  )
}

function Points({ points }: { points: readonly BudgetPoint[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const percent = (share: number): string => format.percent(share)
  const number = (
    id: string,
    label: string,
    of: (point: BudgetPoint) => number,
    text = (value: number) => format.rate(value),
  ): ListColumn<BudgetPoint> => ({
    id,
    label,
    isNumber: true,
    value: of,
    cell: (point) => text(of(point)),
  })
  return (
    <List
      name="budgets"
      caption={t('budget.plot')}
      columns={[
        number('budget', t('budget.slider'), ({ visitsPerDay }) => visitsPerDay),
        number('used', t('budget.used'), ({ usedVisitsPerDay }) => usedVisitsPerDay),
        number('versions', t('budget.versions'), ({ versionsPerDay }) => versionsPerDay),
        number('caught', t('budget.caught'), caughtOf, percent),
        number('freshness', t('budget.freshness'), ({ freshness }) => freshness, percent),
      ]}
      rows={{ data: points, error: null }}
      keyOf={({ visitsPerDay }) => visitsPerDay}
      searchLabel={null}
      fileName="visit-budgets"
      empty={null}
    />
  )
}
