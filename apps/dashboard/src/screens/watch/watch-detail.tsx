/** One watch: what it is, when it is visited next and why, what was found, and what was changed. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ForecastView, VisitView, WatchDetail } from '@minga/protocol'
import { readNextVisits, readVisits, readWatch, readWatchCategories } from '../../api/watches.ts'
import { Ago } from '../../parts/ago.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark, type MarkKind } from '../../parts/mark.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { useMe } from '../../people/use-me.ts'
import { WatchAlerts } from './watch-alerts.tsx'
import { WatchActions, WatchEdit } from './watch-edit.tsx'
import { Pace, WatchMark } from './watch-list.tsx'
import { WatchSignals, WatchTrail } from './watch-trail.tsx'
import { categoryName } from './watch-words.ts'

const EVERY_MS = 5_000
const ROWS = 20
/** Counting a long list costs the station: it is read anew more rarely. */
const MANY = 10_000
const MANY_MS = 60_000

export function WatchDetailScreen() {
  const { t } = useTranslation()
  const { id } = useParams({ from: '/watches/$id' })
  const query = useQuery({
    queryKey: ['watches', 'one', id],
    queryFn: () => readWatch(id),
    refetchInterval: ({ state }) => ((state.data?.urls ?? 0) > MANY ? MANY_MS : EVERY_MS),
  })
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('watch.title')}</h1> : null}
      <Loaded query={query}>{(watch) => <Watch watch={watch} />}</Loaded>
    </>
  )
}

function Watch({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const id = String(watch.id)
  return (
    <>
      <h1>{watch.name}</h1>
      <Facts watch={watch} />
      <p className="actions">
        <Link to="/watches/$id/metrics" params={{ id }} className="button">
          {t('watch.figures')}
        </Link>
        <Link to="/watches/$id/compare" params={{ id }} className="button">
          {t('watch.compare')}
        </Link>
      </p>
      {may('watches:write') ? <WatchActions watch={watch} /> : null}
      <NextVisits id={id} />
      <LastVisits id={id} />
      {may('watches:write') ? <WatchEdit key={watch.updatedAt} watch={watch} /> : null}
      {may('watches:write') ? <WatchAlerts watchId={watch.id} /> : null}
      <WatchSignals id={id} />
      <WatchTrail id={id} />
    </>
  )
}

function Facts({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const format = useFormat()
  const categories = useQuery({ queryKey: ['watch-categories'], queryFn: readWatchCategories })
  return (
    <section className="card">
      <p>
        <WatchMark watch={watch} /> · {t(`watch.subject.${watch.subject}`)} · <Pace watch={watch} />
      </p>
      <p className="address">
        <a href={watch.url} rel="noreferrer">
          {watch.url}
        </a>
        {watch.urls > 1 ? ` + ${format.count(watch.urls - 1)}` : ''}
      </p>
      {watch.observations === '' ? null : <p>{watch.observations}</p>}
      <FiguresList
        figures={[
          {
            label: t('watch.category'),
            value: categoryName(t, categories.data ?? [], watch.category),
          },
          { label: t('watch.importance'), value: format.rate(watch.importance) },
          { label: t('watch.visits'), value: format.count(watch.visits) },
          { label: t('watch.changes'), value: format.count(watch.changes) },
          { label: t('captures.title'), value: format.count(watch.captures) },
          { label: t('captures.size'), value: format.bytes(watch.bytes) },
        ]}
      />
      {watch.byHand.map(({ setting, by, at }) => (
        <p key={setting} className="quiet">
          {t(`watch.setByHand.${setting}`, { who: by, time: format.moment(at) })}
        </p>
      ))}
    </section>
  )
}

function NextVisits({ id }: { id: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useQuery({
    queryKey: ['watches', 'forecast', id],
    queryFn: () => readNextVisits(id, ROWS),
    refetchInterval: EVERY_MS,
  })
  const when = ({ outSince, nextVisitAt }: ForecastView): string => {
    if (outSince !== null) return t('watch.underWay')
    return nextVisitAt === null ? '–' : format.moment(nextVisitAt)
  }
  const columns: Column<ForecastView>[] = [
    { label: t('watch.nextVisit'), cell: when },
    { label: t('captures.page'), isAddress: true, cell: ({ url }) => url },
    {
      label: t('watch.why'),
      cell: ({ plan }) => plan?.text ?? t('watch.notVisited'),
    },
  ]
  return (
    <section className="card">
      <h2>{t('watch.nextVisits')}</h2>
      <Loaded query={query}>
        {(visits) =>
          visits.length === 0 ? (
            <p className="quiet">{t('watch.nothingPlanned')}</p>
          ) : (
            <DataTable
              caption={t('watch.nextVisits')}
              columns={columns}
              rows={visits}
              keyOf={({ url }) => url}
            />
          )
        }
      </Loaded>
    </section>
  )
}

const OUTCOMES: Record<VisitView['outcome'], MarkKind> = {
  first: 'info',
  changed: 'good',
  unchanged: 'quiet',
  failed: 'bad',
}

function LastVisits({ id }: { id: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useQuery({
    queryKey: ['watches', 'visits', id],
    queryFn: () => readVisits(id, ROWS),
    refetchInterval: EVERY_MS,
  })
  const columns: Column<VisitView>[] = [
    { label: t('captures.when'), cell: ({ at }) => <Ago at={at} /> },
    {
      label: t('watch.found'),
      cell: ({ outcome }) => <Mark kind={OUTCOMES[outcome]} text={t(`watch.outcome.${outcome}`)} />,
    },
    {
      label: t('watch.magnitude'),
      isNumber: true,
      cell: ({ outcome, magnitude, code }) =>
        outcome === 'changed' ? format.percent(magnitude) : (code ?? '–'),
    },
    {
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, at, captureId }) =>
        captureId === null ? (
          url
        ) : (
          <Link to="/archive/url" search={{ url, at }}>
            {url}
          </Link>
        ),
    },
  ]
  return (
    <section className="card">
      <h2>{t('watch.lastVisits')}</h2>
      <Loaded query={query}>
        {(visits) =>
          visits.length === 0 ? (
            <p className="quiet">{t('watch.notVisited')}</p>
          ) : (
            <DataTable
              caption={t('watch.lastVisits')}
              columns={columns}
              rows={visits}
              keyOf={({ at, url }) => `${at} ${url}`}
            />
          )
        }
      </Loaded>
    </section>
  )
}
