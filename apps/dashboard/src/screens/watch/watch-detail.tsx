/** One watch: what it is, when it is visited next and why, what was found, and what was changed. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { WatchDetail, VisitCause, WatchDay } from '@minga/protocol'
import { DayHeatMap } from '../../components/charts/day-heat-map.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { WatchAlerts } from './watch-alerts.tsx'
import { WatchActions, WatchEdit } from './watch-edit.tsx'
import { Outcomes, Pace, WatchMark } from './watch-columns.tsx'
import { WatchForecast } from './watch-forecast.tsx'
import { WatchNoise } from './watch-noise.tsx'
import { WatchTimeLine } from './watch-time-line-view.tsx'
import { WatchSignals, WatchTrail } from './watch-trail.tsx'
import { WatchVisits } from './watch-visits.tsx'
import { categoryName } from './watch-words.ts'

const EVERY_MS = 5_000
/** Visits on the time line, and days in the calendar. */
const LINE_VISITS = 300
const CALENDAR_DAYS = 3_650
const FIGURES_MS = 30_000
/** Counting a long list is expensive for the station: it is read again less often. */
const MANY = 10_000
const MANY_MS = 60_000

export function WatchDetailScreen() {
  const { t } = useTranslation()
  const { id } = useParams({ from: '/watches/$id' })
  const query = useQuery({
    queryKey: ['watches', 'one', id],
    queryFn: () => station('GET /watches/{id}', { params: { id } }),
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
  useSeen(watch)
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
      <WatchNoise watch={watch} />
      <WatchForecast watch={watch} />
      <Past watch={watch} />
      <WatchVisits id={id} />
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
  const categories = useStation(['watch-categories'], 'GET /watches/categories')
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
          { label: t('watch.feedChecks'), value: format.count(watch.feedChecks) },
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

/** Opening a watch marks its changes as seen. */
function useSeen({ id, lastChangeAt }: WatchDetail): void {
  const { me } = useMe()
  const isKnown = me !== null
  useEffect(() => {
    // A mark that could not be set is no trouble worth a message: the news stay new.
    if (isKnown) void station('POST /watches/seen', { body: { ids: [id] } }).catch(() => undefined)
  }, [id, lastChangeAt, isKnown])
}

/** Changes found and lost, and visits without a change, on one axis of time and as a calendar. */
function Past({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const id = String(watch.id)
  const visits = useStation(['watches', 'line', id], 'GET /watches/{id}/visits', {
    params: { id },
    query: { limit: LINE_VISITS, of: 'pages' },
    refetchInterval: EVERY_MS,
  })
  const metrics = useStation(['watch-metrics', id, CALENDAR_DAYS], 'GET /watches/{id}/metrics', {
    params: { id },
    query: { days: CALENDAR_DAYS },
    refetchInterval: FIGURES_MS,
  })
  const days = metrics.data?.days ?? []
  return (
    <>
      <section className="card">
        <h2>{t('watch.timeLine')}</h2>
        <Loaded query={visits}>
          {(found) => (
            <>
              <p>
                {t('watch.lastOutcomes')}:{' '}
                <Outcomes
                  outcomes={found
                    .slice(0, 12)
                    .map(({ outcome }) => outcome)
                    .toReversed()}
                />
              </p>
              <WatchCauses visits={found.slice(0, 12)} />
              <WatchTimeLine
                visits={found}
                days={days}
                now={metrics.data?.to ?? found[0]?.at ?? 0}
                nextVisitAt={watch.nextVisitAt}
              />
            </>
          )}
        </Loaded>
      </section>
      <section className="card">
        <h2>{t('watch.calendar')}</h2>
        <Loaded query={metrics}>{(view) => <WatchHeat url={watch.url} days={view.days} />}</Loaded>
      </section>
    </>
  )
}

/** What made visits happen: an interval alone does not say why a page is visited more often than planned. */
function WatchCauses({ visits }: { visits: readonly { cause: VisitCause }[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (visits.length === 0) return null
  const counts = [...Map.groupBy(visits, ({ cause }) => cause)]
    .map(([cause, of]) => ({ cause, count: of.length }))
    .toSorted((a, b) => b.count - a.count)
  const list = counts.map(
    ({ cause, count }) => `${t(`watch.cause.${cause}`)} ${format.count(count)}`,
  )
  return (
    <p>
      {t('watch.causes')}: {list.join(', ')}
    </p>
  )
}

const DAY_MS = 86_400_000

/** The days of a watch as a calendar: darker where more visits were made, marked where it changed. */
function WatchHeat({ url, days }: { url: string; days: readonly WatchDay[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const navigate = useNavigate()
  const byDay = new Map(days.map((day) => [day.day, day]))
  const visited = days.filter(({ visits, failures }) => visits + failures > 0)
  const textOf = (day: number): string => {
    const { visits = 0, changes = 0, failures = 0 } = byDay.get(day) ?? {}
    const counts = { visits, changes, failures }
    return t('watch.dayLabel', { day: format.day(day * DAY_MS), ...counts })
  }
  const open = (day: number): void =>
    void navigate({ to: '/archive/url', search: { url, at: day * DAY_MS + DAY_MS / 2 } })
  if (visited.length === 0) return <p className="quiet">{t('watch.notVisited')}</p>
  return (
    <>
      <DayHeatMap
        label={t('watch.calendar')}
        days={visited.map(({ day, visits, failures }) => ({ day, value: visits + failures }))}
        textOf={textOf}
        markOf={(day) => ((byDay.get(day)?.changes ?? 0) > 0 ? '●' : '')}
        renderDay={(day, props) => <button type="button" {...props} onClick={() => open(day)} />}
      />
      <p className="quiet">{t('watch.calendarNote')}</p>
    </>
  )
}
