/**
 * An archived page inside the page: in a frame from an origin of its own, so that its scripts reach
 * nothing of the station. Around it stand what it is, the captures before and after, and an address bar.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ArchivedMoment } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { readMoment } from '../../api/archive.ts'
import { parseArchiveParams, timestampOf } from './archive-params.ts'
import { NotArchived } from './archive-not-archived.tsx'
import { ArchiveTimeLine } from '../../components/charts/archive-time-line-view.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Field } from '../../components/field.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useReplay } from '../../components/use-replay.ts'
import { CaptureDownloads } from './archive-downloads.tsx'
import { isBlocked, shownIn, type ShownPage } from './archive-shown.ts'

const LINE_ROWS = 300

export function ArchiveReplayScreen() {
  const { t } = useTranslation()
  const { url = '', at = null } = parseArchiveParams(useSearch({ strict: false }))
  const query = useQuery({
    queryKey: ['archive-moment', url, at],
    queryFn: () => readMoment(url, at),
  })
  return (
    <>
      {query.data === undefined || 'missing' in query.data ? null : (
        <h1 className="replay-title">{query.data.found.capture.title ?? url}</h1>
      )}
      {query.data === undefined ? <h1 className="unseen">{t('archive.replay')}</h1> : null}
      <Loaded query={query}>
        {(answer) =>
          'missing' in answer ? (
            <NotArchived missing={answer.missing} />
          ) : (
            <Replayed
              key={`${answer.found.url} ${answer.found.capture.capturedAt}`}
              moment={answer.found}
            />
          )
        }
      </Loaded>
    </>
  )
}

function Replayed({ moment }: { moment: ArchivedMoment }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { url, capture, previous, next } = moment
  const access = useReplay(capture.collectionId)
  const replay = access?.page ?? null
  const frame = useRef<HTMLIFrameElement>(null)
  const { shown, blocked } = useShown(frame)
  const line = useStation(['archive-line', url], 'GET /archive/captures', {
    query: { url, after: null, limit: LINE_ROWS },
  })
  const step = (at: number | null, label: string) =>
    at === null ? null : (
      <Link className="button" to="/archive/replay" search={{ url, at }}>
        {label}
      </Link>
    )
  return (
    <>
      <section className="card">
        <AddressBar url={shown?.url ?? url} at={capture.capturedAt} />
        <p>
          <b>{format.moment(capture.capturedAt)}</b>{' '}
          <span className={`http s${Math.floor(capture.status / 100)}`}>{capture.status}</span>
        </p>
        <ArchiveTimeLine
          url={url}
          shownAt={capture.capturedAt}
          captures={line.data?.captures ?? []}
          tombstones={[]}
          to="/archive/replay"
        />
        <div className="actions">
          {step(previous, t('archive.earlier'))}
          {step(next, t('archive.later'))}
          <Link className="button" to="/archive/url" search={{ url, at: capture.capturedAt }}>
            {t('archive.allOfUrl')}
          </Link>
          {replay === null ? null : (
            <a
              className="button"
              href={`${replay}/view/${timestampOf(capture.capturedAt)}/${url}`}
              target="_blank"
              rel="noreferrer"
            >
              {t('archive.ownTab')}
            </a>
          )}
        </div>
        <CaptureDownloads capture={capture} />
      </section>
      {shown === null || shown.url === url ? null : <Elsewhere shown={shown} />}
      {blocked ? <p className="banner">{t('archive.blocked')}</p> : null}
      {replay === null ? (
        <EmptyState
          title={t('archive.noReplay')}
          text={t(access === null ? 'archive.noReplayText' : 'archive.noReplayName')}
        />
      ) : (
        <ReplayFrame
          frame={frame}
          first={`${replay}/view/${timestampOf(capture.capturedAt)}/${url}`}
        />
      )}
    </>
  )
}

interface ReplayFrameProps {
  frame: React.RefObject<HTMLIFrameElement | null>
  first: string
}

/**
 * The pass in the address is renewed now and then: the frame keeps the one it began with, or it would
 * load again. Scripts may run and know their own origin, which is not this one; they may not leave the
 * frame, open windows or ask for anything.
 */
function ReplayFrame({ frame, first }: ReplayFrameProps) {
  const { t } = useTranslation()
  const [address] = useState(first)
  return (
    <iframe
      ref={frame}
      className="replay-frame"
      title={t('archive.frame')}
      src={address}
      sandbox="allow-scripts allow-same-origin"
      allow=""
      referrerPolicy="no-referrer"
    />
  )
}

interface Shown {
  shown: ShownPage | null
  blocked: boolean
}

/** Where a reader who followed a link inside the frame is now; it is the word of an archived page. */
function useShown(frame: React.RefObject<HTMLIFrameElement | null>): Shown {
  const [shown, setShown] = useState<ShownPage | null>(null)
  const [blocked, setBlocked] = useState(false)
  useEffect(() => {
    const listen = (event: MessageEvent): void => {
      if (event.source === null || event.source !== frame.current?.contentWindow) return
      const page = shownIn(event.data)
      if (page !== null) setShown(page)
      if (isBlocked(event.data)) setBlocked(true)
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [frame])
  return { shown, blocked }
}

/** Followed inside the frame: what the archive has of it, or what to do when it has nothing. */
function Elsewhere({ shown }: { shown: ShownPage }) {
  const { t } = useTranslation()
  const query = useQuery({
    queryKey: ['archive-moment', shown.url, shown.at],
    queryFn: () => readMoment(shown.url, shown.at),
  })
  if (query.data === undefined) return null
  if ('missing' in query.data) return <NotArchived missing={query.data.missing} isBelow />
  return (
    <p className="banner">
      {t('archive.elsewhere')}{' '}
      <Link
        className="address"
        to="/archive/replay"
        search={{ url: shown.url, at: query.data.found.capture.capturedAt }}
      >
        {shown.url}
      </Link>
    </p>
  )
}

function AddressBar({ url, at }: { url: string; at: number }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [typed, setTyped] = useState(url)
  useEffect(() => setTyped(url), [url])
  const go = (event: FormEvent): void => {
    event.preventDefault()
    void navigate({ to: '/archive/replay', search: { url: typed.trim(), at } })
  }
  return (
    <Form onSubmit={go} validationBehavior="aria" className="form address-bar">
      <Field label={t('archive.address')} value={typed} onChange={setTyped} />
      <Button type="submit">{t('archive.go')}</Button>
    </Form>
  )
}
