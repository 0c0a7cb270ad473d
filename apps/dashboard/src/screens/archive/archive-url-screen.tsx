/** One address in the archive: its days, its captures, and ways to look at them. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ArchivedMoment, CaptureRow } from '@minga/protocol'
import {
  dropFavourite,
  keepFavourite,
  readCalendar,
  readCapturesOf,
  readFavourites,
  readMoment,
} from '../../api/archive.ts'
import { timestampOf } from '../../parts/archive-asked.ts'
import { ArchiveCalendar } from '../../parts/archive-calendar.tsx'
import { NotArchived } from '../../parts/archive-not-archived.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { useReplay } from '../../parts/use-replay.ts'
import { useMe } from '../../people/use-me.ts'

const ROWS = 200

export function ArchiveUrlScreen() {
  const { t } = useTranslation()
  const { url = '', at = null } = useSearch({ strict: false })
  const query = useQuery({
    queryKey: ['archive-moment', url, at],
    queryFn: () => readMoment(url, at),
  })
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

function Archived({ moment }: { moment: ArchivedMoment }) {
  const { t } = useTranslation()
  const { url, capture } = moment
  const calendar = useQuery({
    queryKey: ['archive-calendar', url],
    queryFn: () => readCalendar(url),
  })
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
        <Nearest moment={moment} />
      </section>
      <section className="card">
        <h2>{t('archive.calendar')}</h2>
        <Loaded query={calendar}>{(days) => <ArchiveCalendar url={url} days={days} />}</Loaded>
      </section>
      <Captures url={url} />
    </>
  )
}

/** The capture that was asked for, those before and after it, and how to see it. */
function Nearest({ moment }: { moment: ArchivedMoment }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { url, capture, previous, next } = moment
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
        <span className={`http s${Math.floor(capture.status / 100)}`}>{capture.status}</span>
      </p>
      <div className="actions">
        <Views capture={capture} hasPrevious={previous !== null} isButton />
        {step(previous, t('archive.earlier'))}
        {step(next, t('archive.later'))}
      </div>
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

interface ViewsProps {
  capture: CaptureRow
  hasPrevious: boolean
  isButton?: boolean
}

/** Archived pages open on their own origin, in a tab of their own. */
function Views({ capture, hasPrevious, isButton = false }: ViewsProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const replay = useReplay()
  const { url, capturedAt } = capture
  const time = timestampOf(capturedAt)
  const looks = isButton ? 'button' : ''
  const of = { moment: format.moment(capturedAt) }
  const view = (kind: 'view' | 'raw', label: string, spoken: string) =>
    replay === null ? null : (
      <a
        className={looks}
        href={`${replay}/${kind}/${time}/${url}`}
        target="_blank"
        rel="noreferrer"
        aria-label={spoken}
      >
        {label}
      </a>
    )
  return (
    <>
      {view('view', t('archive.replay'), t('archive.replayOf', of))}{' '}
      {view('raw', t('archive.raw'), t('archive.rawOf', of))}{' '}
      {hasPrevious ? (
        <Link
          className={looks}
          to="/archive/diff"
          search={{ url, before: 'previous', after: time }}
          aria-label={t('archive.diffOf', of)}
        >
          {t('archive.diff')}
        </Link>
      ) : null}
    </>
  )
}

function FavouriteButton({ url }: { url: string }) {
  const { t } = useTranslation()
  const { me } = useMe()
  const { data } = useQuery({
    queryKey: ['favourites'],
    queryFn: readFavourites,
    enabled: me !== null,
  })
  const isKept = data?.some((one) => one.url === url) ?? false
  const change = useChange(() => (isKept ? dropFavourite(url) : keepFavourite(url)), ['favourites'])
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

function Captures({ url }: { url: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useQuery({
    queryKey: ['archive-captures', url],
    queryFn: () => readCapturesOf(url, ROWS),
  })
  const columns: Column<CaptureRow>[] = [
    { label: t('captures.when'), cell: ({ capturedAt }) => format.moment(capturedAt) },
    { label: t('captures.status'), cell: ({ status }) => status },
    {
      label: t('captures.type'),
      cell: ({ kind, mime }) => (kind === 'revisit' ? t('captures.revisit') : mime),
    },
    { label: t('captures.size'), isNumber: true, cell: ({ length }) => format.bytes(length) },
    {
      label: t('archive.look'),
      cell: (capture) => <Views capture={capture} hasPrevious={capture !== query.data?.at(-1)} />,
    },
  ]
  return (
    <section className="card">
      <h2>{t('archive.captures')}</h2>
      <Loaded query={query}>
        {(rows) => (
          <>
            <DataTable
              caption={t('archive.captures')}
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
            />
            {rows.length < ROWS ? null : (
              <p className="quiet">{t('archive.newestOnly', { count: ROWS })}</p>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}
