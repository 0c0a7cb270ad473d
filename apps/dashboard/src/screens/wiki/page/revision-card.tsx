/** The revision that the slider stands on: its text, what it changed, who wrote its words. */
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiPageTrack } from '@minga/protocol'
import { Loaded } from '../../../components/loaded.tsx'
import { readRevision, textPath, readText } from '../../../api/wikis.ts'
import { DownloadLink } from '../../../components/download-link.tsx'
import { Failure } from '../../../components/failure.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { RevisionAuthors } from './revision-authors.tsx'
import { RevisionDiff } from './revision-diff.tsx'
import { Scrubber } from './scrubber.tsx'
import { useSetParams } from '../use-set-params.ts'
import { useRevisionIndex, useSettled } from './use-revision-index.ts'
import { parseView, VIEWS, type WikiParams } from '../wiki-params.ts'

/** A slider that is dragged passes dozens of revisions a second. */
const REST_MS = 150

export function RevisionCard({ wiki, track }: { wiki: string; track: WikiPageTrack }) {
  const { t } = useTranslation()
  const params: WikiParams = useSearch({ strict: false })
  const [place, setPlace] = useRevisionIndex(track.revIds)
  const settled = useSettled(place, REST_MS)
  const revId = track.revIds[settled] ?? track.revIds.at(-1)!
  const view = parseView(params.view)
  return (
    <section className="card">
      <h2>{t('wikiPage.throughTime')}</h2>
      <Scrubber wiki={wiki} track={track} place={place} onPlace={setPlace} />
      <Details wiki={wiki} page={track.page} revId={revId} />
      <ViewChoice />
      {view === 'text' ? <RevisionText wiki={wiki} revId={revId} /> : null}
      {view === 'diff' ? <RevisionDiff wiki={wiki} track={track} place={settled} /> : null}
      {view === 'authors' ? <RevisionAuthors wiki={wiki} track={track} revId={revId} /> : null}
    </section>
  )
}

function ViewChoice() {
  const { t } = useTranslation()
  const params: WikiParams = useSearch({ strict: false })
  const setParams = useSetParams()
  const view = parseView(params.view)
  return (
    <div className="view-choice" role="group" aria-label={t('wikiPage.view')}>
      {VIEWS.map((one) => (
        <Button
          key={one}
          className={one === view ? 'chosen' : 'plain'}
          aria-pressed={one === view}
          onPress={() => setParams({ view: one })}
        >
          {t(`wikiPage.views.${one}`)}
        </Button>
      ))}
    </div>
  )
}

interface DetailsProps {
  wiki: string
  page: WikiPageTrack['page']
  revId: number
}

/** The link always shows this revision, whatever comes after it. */
function Details({ wiki, page: { pageId, title }, revId }: DetailsProps) {
  const { t } = useTranslation()
  const { data, error } = useQuery({
    queryKey: ['wiki-revision', wiki, pageId, revId],
    queryFn: () => readRevision(wiki, pageId, revId),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (former) => former,
  })
  const row = data ?? null
  return (
    <>
      <Failure error={error} />
      <p className="revision-comment">
        <span className="address">
          {row === null || row.comment === null || row.comment === '' ? (
            <i className="quiet">{t('wikiPage.noComment')}</i>
          ) : (
            row.comment
          )}
        </span>{' '}
        {row?.isMinor ? <StatusBadge kind="quiet" text={t('wikiPage.minor')} /> : null}{' '}
        {row?.tags.map((tag) => (
          <StatusBadge key={tag} kind="quiet" text={tag} />
        ))}
        {row?.hidden.length ? <StatusBadge kind="warn" text={t('wikiPage.hidden')} /> : null}
      </p>
      <p className="actions">
        <Link
          to="/wikis/$wiki/page"
          params={{ wiki }}
          search={{ title, rev: revId }}
          className="button"
          resetScroll={false}
        >
          {t('wikiPage.permalink', { revId })}
        </Link>
        <DownloadLink path={textPath(wiki, revId)} fileName={`${revId}.wikitext`}>
          {t('wikiPage.raw')}
        </DownloadLink>
      </p>
    </>
  )
}

/** Longer texts are shown on request: laying them out takes a while. */
const CHARS_SHOWN = 200_000

/** Wikitext as it was written: a text, never a page. */
function RevisionText({ wiki, revId }: { wiki: string; revId: number }) {
  const { t } = useTranslation()
  const [isWhole, setIsWhole] = useState(false)
  const text = useQuery({
    queryKey: ['wiki-text', wiki, revId],
    queryFn: () => readText(wiki, revId),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (former) => former,
  })
  return (
    <Loaded query={text}>
      {(known) => (
        <>
          <pre className="wikitext" tabIndex={0} aria-label={t('wikiPage.textOf', { revId })}>
            {isWhole ? known : known.slice(0, CHARS_SHOWN)}
          </pre>
          {known.length > CHARS_SHOWN && !isWhole ? (
            <Button onPress={() => setIsWhole(true)}>{t('wikiPage.whole')}</Button>
          ) : null}
        </>
      )}
    </Loaded>
  )
}
