/** One watch in figures: the six of the site, how it behaves, and its days as graphs. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WatchMetricsView, WatchYear } from '@minga/protocol'
import { ListCard } from '../../components/list/list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { DayPlot } from '../../components/charts/day-plot.tsx'
import { DaysChoice } from '../../components/charts/days-choice.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { WatchCalibration } from './watch-calibration.tsx'
import { watchSeries } from './watch-metrics-series.ts'

const EVERY_MS = 30_000

export function WatchMetricsScreen() {
  const { t } = useTranslation()
  const { id = '' } = useParams({ strict: false })
  const [days, setDays] = useState(90)
  const query = useQuery({
    queryKey: ['watch-metrics', id, days],
    queryFn: () => station('GET /watches/{id}/metrics', { params: { id }, query: { days } }),
    refetchInterval: EVERY_MS,
    placeholderData: (former) => former,
  })
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('watchMetrics.title')}</h1> : null}
      <Loaded query={query}>
        {(view) => (
          <>
            <Summary view={view} days={days} onDays={setDays} />
            {view.days.length === 0 ? null : <Plots view={view} />}
            <WatchYears id={id} />
            <WatchCalibration id={id} />
          </>
        )}
      </Loaded>
    </>
  )
}

interface SummaryProps {
  view: WatchMetricsView
  days: number
  onDays: (days: number) => void
}

function Summary({ view, days, onDays }: SummaryProps) {
  const { t } = useTranslation()
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/watch-groups">{t('watchGroups.title')}</Link> / {view.url}
          </p>
          <h1>{view.name}</h1>
        </div>
      </header>
      <DaysChoice days={days} onDays={onDays} />
      {view.from === null ? <p>{t('watchMetrics.none')}</p> : <Figures view={view} />}
      <p>
        <Link to="/watches/$id/compare" params={{ id: String(view.id) }}>
          {t('watchMetrics.compare')}
        </Link>
      </p>
    </section>
  )
}

function Figures({ view }: { view: WatchMetricsView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { metrics, totals, group, behaviour } = view
  return (
    <>
      <FiguresList
        figures={[
          { label: t('watchMetrics.visits'), value: format.count(totals.visits) },
          { label: t('watch.changes'), value: format.count(totals.changes) },
          { label: t('watch.feedChecks'), value: format.count(totals.feedChecks) },
          { label: t('watchMetrics.lost'), value: format.rate(metrics.lost) },
          { label: t('watchMetrics.occurred'), value: format.rate(metrics.occurred) },
          { label: t('watchMetrics.generated'), value: format.bytes(metrics.generatedBytes) },
          { label: t('watchMetrics.stored'), value: format.bytes(metrics.storedBytes) },
          { label: t('watchMetrics.frequency'), value: format.percent(metrics.frequency) },
          { label: t('watchMetrics.waste'), value: format.count(view.waste) },
          {
            label: t('watchMetrics.group'),
            value: group === null ? t('figure.unknown') : t(`watchGroups.group.${group}`),
          },
        ]}
      />
      {behaviour === null ? null : (
        <p>
          <b>{t(`watchGroups.behaviour.${behaviour.kind}`)}</b>{' '}
          <span lang="en">{behaviour.reason}</span>{' '}
          {behaviour.burst ? t('watchMetrics.burst') : null}
        </p>
      )}
      <p className="quiet">{t('watchMetrics.lostHelp')}</p>
      {view.urlsLeftOut === 0 ? null : (
        <p className="quiet">{t('watchMetrics.leftOut', { count: view.urlsLeftOut })}</p>
      )}
    </>
  )
}

function Plots({ view: { days } }: { view: WatchMetricsView }) {
  const { t } = useTranslation()
  const series = useMemo(() => watchSeries(days), [days])
  const plots = useMemo(
    () => ({
      changes: [
        { label: t('watchMetrics.changed'), look: 'dot', colour: '--done', values: series.changes },
        { label: t('watchMetrics.lostDay'), look: 'cross', colour: '--bad', values: series.lost },
        { label: t('watchMetrics.looked'), look: 'ring', colour: '--quiet', values: series.looked },
      ] as const,
      stored: [
        {
          label: t('watchMetrics.stored'),
          look: 'line',
          colour: '--bytes',
          values: series.storedBytes,
        },
      ] as const,
      visits: [
        { label: t('watchMetrics.visits'), look: 'bar', colour: '--done', values: series.visits },
        {
          label: t('watchMetrics.failed'),
          look: 'cross',
          colour: '--bad',
          values: series.failures,
        },
      ] as const,
    }),
    [series, t],
  )
  return (
    <>
      {(['changes', 'stored', 'visits'] as const).map((name) => (
        <section key={name} className="card">
          <h2>{t(`watchMetrics.plot.${name}`)}</h2>
          <DayPlot
            label={t(`watchMetrics.plot.${name}`)}
            at={series.at}
            series={plots[name]}
            unit={name === 'stored' ? 'bytes' : 'count'}
          />
        </section>
      ))}
    </>
  )
}

/** What the years of a watch brought: visits, how many of them a forecast started, changes, data. */
function WatchYears({ id }: { id: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useStation(['watch-years', id], 'GET /watches/{id}/years', { params: { id } })
  const number = (
    key: Exclude<keyof WatchYear, 'year'>,
    label: string,
    text = (value: number) => format.count(value),
  ): ListColumn<WatchYear> => ({
    id: key,
    label,
    isNumber: true,
    value: (year) => year[key],
    cell: (year) => text(year[key]),
  })
  const columns: ListColumn<WatchYear>[] = [
    { id: 'year', label: t('heat.year'), as: 'text' },
    number('visits', t('watchMetrics.visits')),
    number('forecast', t('watchYears.forecast')),
    number('changes', t('watch.changes')),
    number('failures', t('watchMetrics.failed')),
    number('feedChecks', t('watch.feedChecks')),
    number('storedBytes', t('watchMetrics.stored'), (bytes) => format.bytes(bytes)),
  ]
  return (
    <ListCard
      name="years"
      caption={t('watchYears.title')}
      lead={t('watchYears.lead')}
      columns={columns}
      rows={query}
      keyOf={({ year }) => year}
      searchLabel={null}
      fileName={`watch-${id}-years`}
      empty={<p className="quiet">{t('watch.notVisited')}</p>}
    />
  )
}
