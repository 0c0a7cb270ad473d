/** A watch as it was visited, compared with the same watch at a fixed period that the user chooses with a slider. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ComparedRow, Comparison, GateView, WatchCompareView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { WatchCurve } from './watch-curve.tsx'

/** As the station writes them. */
const PERIODS = [
  '1h',
  '3h',
  '6h',
  '12h',
  '1d',
  '2d',
  '3d',
  '5d',
  '7d',
  '10d',
  '15d',
  '21d',
  '30d',
  '45d',
  '60d',
  '90d',
]
const GROUPS_DAYS = 365

export function WatchCompareScreen() {
  const { t } = useTranslation()
  const { id = '' } = useParams({ strict: false })
  const [period, setPeriod] = useState('1d')
  const query = useQuery({
    queryKey: ['watch-compare', id, period],
    queryFn: () => station('GET /watches/{id}/compare', { params: { id }, query: { period } }),
    placeholderData: (former) => (String(former?.id) === id ? former : undefined),
  })
  return (
    <>
      <h1>{t('watchCompare.title')}</h1>
      <p className="quiet">{t('watchCompare.lead')}</p>
      <section className="card">
        <SiteChoice id={id} />
        <PeriodSlider period={period} onPeriod={setPeriod} />
      </section>
      <Loaded query={query}>{(view) => <Compared view={view} />}</Loaded>
      <WatchCurve id={id} periodMs={periodMs(period)} />
    </>
  )
}

function SiteChoice({ id }: { id: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const field = useId()
  const { data } = useStation(['watch-groups', GROUPS_DAYS], 'GET /watch-groups', {
    query: { days: GROUPS_DAYS },
  })
  const watches = data?.watches ?? []
  const isListed = watches.some((watch) => String(watch.id) === id)
  return (
    <div className="slider">
      <label htmlFor={field}>{t('watchGroups.watch')}</label>
      <select
        id={field}
        value={id}
        onChange={({ target }) =>
          void navigate({ to: '/watches/$id/compare', params: { id: target.value } })
        }
      >
        {isListed ? null : <option value={id}>{id}</option>}
        {watches.map((watch) => (
          <option key={watch.id} value={watch.id}>
            {watch.name}
          </option>
        ))}
      </select>
    </div>
  )
}

function PeriodSlider({ period, onPeriod }: { period: string; onPeriod: (text: string) => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  const id = useId()
  const text = format.span(periodMs(period))
  return (
    <div className="slider">
      <label htmlFor={id}>{t('watchCompare.period')}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={PERIODS.length - 1}
        step={1}
        value={PERIODS.indexOf(period)}
        aria-valuetext={text}
        onChange={({ target }) => onPeriod(PERIODS[Number(target.value)]!)}
      />
      <output htmlFor={id}>{text}</output>
    </div>
  )
}

function periodMs(period: string): number {
  return Number.parseInt(period, 10) * (period.endsWith('d') ? 86_400_000 : 3_600_000)
}

function Compared({ view }: { view: WatchCompareView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { comparison, totals } = view
  return (
    <section className="card" aria-live="polite">
      <h2>
        <Link to="/watches/$id/metrics" params={{ id: String(view.id) }}>
          {view.name}
        </Link>
      </h2>
      <p>
        {t('watchCompare.totals', {
          visits: format.count(totals.visits),
          changes: format.count(totals.changes),
          feedChecks: format.count(totals.feedChecks),
        })}
      </p>
      {comparison === null ? <p>{t('watchCompare.none')}</p> : <Rows comparison={comparison} />}
      {view.gate === null ? null : <Gate gate={view.gate} />}
      {view.urlsLeftOut === 0 ? null : (
        <p className="quiet">{t('watchCompare.leftOut', { count: view.urlsLeftOut })}</p>
      )}
    </section>
  )
}

/** What the original asked of a predictor; the sentences come from the station. */
function Gate({ gate }: { gate: GateView }) {
  const { t } = useTranslation()
  return (
    <>
      <h3>{gate.passes ? t('watchCompare.gatePasses') : t('watchCompare.gateFails')}</h3>
      <ul>
        {gate.requirements.map(({ name, holds, text }) => (
          <li key={name}>
            {holds ? '✓' : '✗'} {text}
          </li>
        ))}
      </ul>
    </>
  )
}

function Rows({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { dynamic, fixed, savedBytes, unfairSavedBytes, savedVisits } = comparison
  const columns = useColumns()
  return (
    <>
      <p className="forecast-line">
        {t('watchCompare.sentence', {
          time: format.span(comparison.periodMs),
          fixed: format.rate(fixed.changes - fixed.lost),
          dynamic: format.rate(dynamic.changes - dynamic.lost),
          changes: format.rate(dynamic.changes),
          fixedVisits: format.count(Math.round(fixed.visits)),
          dynamicVisits: format.count(Math.round(dynamic.visits)),
        })}
      </p>
      <DataTable
        caption={t('watchCompare.title')}
        columns={columns}
        rows={[
          { ...dynamic, name: t('watchCompare.dynamic') },
          { ...fixed, name: t('watchCompare.fixed') },
        ]}
        keyOf={({ name }) => name}
      />
      <dl className="figures">
        <div>
          <dt>{t('watchCompare.savedBytes')}</dt>
          <dd>{format.bytes(savedBytes)}</dd>
        </div>
        <div>
          <dt>{t('watchCompare.savedVisits')}</dt>
          <dd>{format.count(Math.round(savedVisits))}</dd>
        </div>
        <div>
          <dt>{t('watchCompare.unfair')}</dt>
          <dd className="quiet">{format.bytes(unfairSavedBytes)}</dd>
        </div>
      </dl>
      <p className="quiet">{t('watchCompare.help')}</p>
    </>
  )
}

type NamedRow = ComparedRow & { name: string }

function useColumns(): Column<NamedRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const number = (label: string, cell: (row: NamedRow) => string): Column<NamedRow> => ({
    label,
    isNumber: true,
    cell,
  })
  return [
    { label: t('watchCompare.policy'), cell: ({ name }) => name },
    number(t('watchCompare.changes'), ({ changes }) => format.rate(changes)),
    number(t('watchCompare.versions'), ({ versions }) => format.rate(versions)),
    number(t('watchCompare.disk'), ({ storedBytes }) => format.bytes(storedBytes)),
    number(t('watchMetrics.lost'), ({ lost }) => format.rate(lost)),
    number(t('watchCompare.lostSameDay'), ({ lostSameDay }) => format.rate(lostSameDay)),
    number(t('watchMetrics.visits'), ({ visits }) => format.count(Math.round(visits))),
    number(t('watchCompare.frequency'), ({ frequency }) => format.percent(frequency)),
  ]
}
