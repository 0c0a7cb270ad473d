/** One address in the archive: its days, its captures, and ways to look at them. */
import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ArchivedMoment, Tombstone, CalendarDay } from '@minga/protocol'
import { DayHeatMap } from '../../components/charts/day-heat-map.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { readMoment } from '../../api/archive.ts'
import { ApiFailure } from '../../api/call.ts'
import { parseArchiveParams } from './archive-params.ts'
import { NotArchived } from './archive-not-archived.tsx'
import { ArchiveTimeLine } from '../../components/charts/archive-time-line-view.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { CapturesOfUrl } from './archive-captures-of-url.tsx'
import { CaptureDownloads } from './archive-downloads.tsx'
import { CaptureViews } from './archive-views.tsx'

/** Marks on the time line: more could not be distinguished. */
const LINE_ROWS = 300

export function ArchiveUrlScreen() {
  const { t } = useTranslation()
  const { url = '', at = null } = parseArchiveParams(useSearch({ strict: false }))
  const query = useQuery({
    queryKey: ['archive-moment', url, at],
    queryFn: () => readMoment(url, at),
    placeholderData: (former) => former,
  })
  const { error } = query
  if (error instanceof ApiFailure && error.code === 'MINGA_TAKEN_DOWN') {
    return <TakenDown url={url} message={error.message} />
  }
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('archive.title')}</h1> : null}
      <Loaded query={query}>
        {(answer) =>
          'missing' in answer ? (
            <NotArchived missing={answer.missing} />
          ) : (
            <Archived moment={answer.found} />
          )
        }
      </Loaded>
    </>
  )
}

/** There was something, and it is gone for good: that is neither an error nor nothing. */
function TakenDown({ url, message }: { url: string; message: string }) {
  const { t } = useTranslation()
  const stones = useTombstones(url)
  return (
    <section className="card tombstone">
      <h1>{t('archive.takenDown')}</h1>
      <p className="address">{url}</p>
      <p lang="en">{message}</p>
      <Tombstones stones={stones} />
      <EmptyState title={t('archive.takenDownText')}>
        <Link to="/archive" className="button">
          {t('archive.back')}
        </Link>
      </EmptyState>
    </section>
  )
}

function useTombstones(url: string): readonly Tombstone[] {
  const { data } = useStation(['tombstones', url], 'GET /archive/tombstones', { query: { url } })
  return data ?? []
}

function Tombstones({ stones }: { stones: readonly Tombstone[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const columns: Column<Tombstone>[] = [
    { label: t('archive.wasCaptured'), cell: ({ capturedAt }) => format.moment(capturedAt) },
    { label: t('archive.reason'), isAddress: true, cell: ({ reason }) => reason },
    { label: t('archive.goneSince'), cell: ({ askedAt }) => format.moment(askedAt) },
  ]
  if (stones.length === 0) return null
  return (
    <>
      <h2>✝ {t('archive.tombstones')}</h2>
      <DataTable
        caption={t('archive.tombstones')}
        columns={columns}
        rows={stones}
        keyOf={({ capturedAt, askedAt }) => `${capturedAt} ${askedAt}`}
      />
    </>
  )
}

function Archived({ moment }: { moment: ArchivedMoment }) {
  const { t } = useTranslation()
  const { url, capture } = moment
  const calendar = useStation(['archive-calendar', url], 'GET /archive/calendar', {
    query: { url },
  })
  const stones = useTombstones(url)
  return (
    <>
      <section className="card summary">
        <header>
          <div>
            <p className="quiet">
              <Link to="/archive">{t('archive.title')}</Link>
            </p>
            <h1>{capture.title ?? url}</h1>
            <p className="address">{url}</p>
          </div>
          <FavouriteButton url={url} />
        </header>
        <Nearest moment={moment} stones={stones} />
      </section>
      <section className="card">
        <h2>{t('archive.calendar')}</h2>
        <Loaded query={calendar}>{(days) => <ArchiveCalendar url={url} days={days} />}</Loaded>
      </section>
      <CapturesOfUrl url={url} firstAt={moment.first} />
      {stones.length === 0 ? null : (
        <section className="card tombstone">
          <Tombstones stones={stones} />
        </section>
      )}
    </>
  )
}

/** The capture that was asked for, those before and after it, and how to see it. */
function Nearest({ moment, stones }: { moment: ArchivedMoment; stones: readonly Tombstone[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { url, capture, previous, next } = moment
  const line = useStation(['archive-line', url], 'GET /archive/captures', {
    query: { url, after: null, limit: LINE_ROWS },
  })
  const step = (at: number | null, label: string) =>
    at === null ? null : (
      <Link className="button" to="/archive/url" search={{ url, at }}>
        {label}
      </Link>
    )
  return (
    <>
      <p>
        {t('archive.shown')} <b>{format.moment(capture.capturedAt)}</b>{' '}
        <span className={`http s${Math.floor(capture.status / 100)}`}>{capture.status}</span>{' '}
        <span className="quiet">
          {capture.mime} · {format.bytes(capture.length)} · {t(`archive.keptKind.${capture.kind}`)}
        </span>
      </p>
      <ArchiveTimeLine
        url={url}
        shownAt={capture.capturedAt}
        captures={line.data?.captures ?? []}
        tombstones={stones}
        to="/archive/url"
      />
      <div className="actions">
        <CaptureViews capture={capture} hasPrevious={previous !== null} isButton />
        {step(previous, t('archive.earlier'))}
        {step(next, t('archive.later'))}
      </div>
      <CaptureDownloads capture={capture} />
      <NearestTo moment={moment} />
    </>
  )
}

/** Any day leads to the capture nearest to its noon. */
function NearestTo({ moment }: { moment: ArchivedMoment }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { url, capture } = moment
  const go = (day: string): void => {
    const at = Date.parse(`${day}T12:00:00Z`)
    if (!Number.isNaN(at)) void navigate({ to: '/archive/url', search: { url, at } })
  }
  return (
    <label className="choice">
      <b>{t('archive.nearestTo')}</b>
      <input
        type="date"
        key={capture.id}
        defaultValue={new Date(capture.capturedAt).toISOString().slice(0, 10)}
        onChange={(event) => go(event.target.value)}
      />
    </label>
  )
}

function FavouriteButton({ url }: { url: string }) {
  const { t } = useTranslation()
  const { me } = useMe()
  const { data } = useStation(['favourites'], 'GET /archive/favourites', { enabled: me !== null })
  const isKept = data?.some((one) => one.url === url) ?? false
  const change = useChange(
    () =>
      isKept
        ? station('DELETE /archive/favourites', { query: { url } })
        : station('PUT /archive/favourites', { body: { url } }),
    ['favourites'],
  )
  if (me === null || data === undefined) return null
  return (
    <div>
      <Button aria-pressed={isKept} onPress={() => change.mutate(undefined)}>
        {isKept ? `★ ${t('archive.isFavourite')}` : `☆ ${t('archive.favourite')}`}
      </Button>
      <Failure error={change.error} />
    </div>
  )
}

const DAY_MS = 86_400_000

/** The days of a year with captures; a day leads to the capture nearest to its noon. */
function ArchiveCalendar({ url, days }: { url: string; days: readonly CalendarDay[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const byDay = useMemo(
    () => new Map(days.map((one) => [Date.parse(one.day) / DAY_MS, one])),
    [days],
  )
  const heat = useMemo(
    () => [...byDay].map(([day, { captures }]) => ({ day, value: captures })),
    [byDay],
  )
  const textOf = (day: number): string => {
    const { captures = 0, changes = 0 } = byDay.get(day) ?? {}
    return t('archive.dayLabel', { day: format.day(day * DAY_MS), captures, changes })
  }
  return (
    <>
      <DayHeatMap
        label={t('archive.calendar')}
        days={heat}
        textOf={textOf}
        markOf={(day) => ((byDay.get(day)?.changes ?? 0) > 0 ? '●' : '')}
        renderDay={(day, props) => (
          <Link to="/archive/url" search={{ url, at: day * DAY_MS + DAY_MS / 2 }} {...props} />
        )}
      />
      <p className="quiet">{t('archive.calendarNote')}</p>
    </>
  )
}
