/** One page of a wiki through all its revisions: read, compared, and by whom it was written. */
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { WikiPageTrack } from '@minga/protocol'
import { RevisionList } from './page/revision-list.tsx'
import { useStation } from '../../api/use-station.ts'
import { exportPath, readRevisions } from '../../api/wikis.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { EditorsList } from './editors-list.tsx'
import { EditsOverTime } from './edits-over-time.tsx'
import { HourMap } from './hour-map.tsx'
import { PageMeasures } from './page/page-measures.tsx'
import { PageStateMark } from './page/page-state-mark.tsx'
import { RevisionCard } from './page/revision-card.tsx'
import type { WikiParams } from './wiki-params.ts'
import { OutsideLink, WikiTrail } from './wiki-links.tsx'

export function WikiPageScreen() {
  const { t } = useTranslation()
  const { wiki = '' } = useParams({ strict: false })
  const { title = '' }: WikiParams = useSearch({ strict: false })
  const track = useStation(['wiki-track', wiki, title], 'GET /wikis/{wiki}/track', {
    params: { wiki },
    query: { title },
    enabled: title !== '',
  })
  return (
    <>
      <WikiTrail wiki={wiki} />
      <h1>{track.data?.page.title ?? (title || t('wikiPage.title'))}</h1>
      {title === '' ? (
        <EmptyState title={t('wikiPage.noTitle')}>
          <Link to="/wikis/$wiki" params={{ wiki }} className="button">
            {t('wikiPage.choose')}
          </Link>
        </EmptyState>
      ) : (
        <Loaded query={track}>
          {(known) => <Page key={known.page.pageId} wiki={wiki} track={known} />}
        </Loaded>
      )}
    </>
  )
}

interface PageProps {
  wiki: string
  track: WikiPageTrack
}

function Page({ wiki, track }: PageProps) {
  const { t } = useTranslation()
  const { pageId } = track.page
  if (track.revIds.length === 0) return <p className="quiet">{t('wikiPage.noRevisions')}</p>
  return (
    <>
      <About wiki={wiki} track={track} />
      <RevisionCard wiki={wiki} track={track} />
      <PageHistory wiki={wiki} pageId={pageId} />
      <EditsOverTime wiki={wiki} scope={{ pageId }} />
      <div className="columns">
        <EditorsList wiki={wiki} scope={{ pageId }} title={t('wikiFigure.topEditors')} />
        <HourMap wiki={wiki} scope={{ pageId }} />
      </div>
      <PageMeasures wiki={wiki} pageId={pageId} />
    </>
  )
}

function About({ wiki, track }: PageProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { page, revIds, at, sizes, editors, isCut } = track
  const { title, url, redirect, state } = page
  const size = sizes.at(-1) ?? null
  return (
    <>
      <p className="state-row">
        <PageStateMark state={state} />
        {url === null ? null : <OutsideLink url={url}>{t('wikiPage.atWiki')}</OutsideLink>}
        {redirect === null ? null : <span>{t('wikiPage.redirect', { to: redirect })}</span>}
      </p>
      <FiguresList
        className="tiles"
        figures={[
          { label: t('wikiFigure.revisions'), value: format.count(revIds.length) },
          { label: t('wikiFigure.editors'), value: format.count(editors.length) },
          {
            label: t('wikiFigure.size'),
            value: size === null ? t('figure.unknown') : format.bytes(size),
          },
          { label: t('wikiFigure.first'), value: format.date(at[0]!) },
          { label: t('wikiFigure.lastEdit'), value: format.date(at.at(-1)!) },
        ]}
      />
      {isCut ? <p className="banner info">{t('wikiPage.cut', { count: revIds.length })}</p> : null}
      <p className="actions">
        <DownloadLink path={exportPath(wiki, 'xml', title)} fileName={`${fileName(title)}.xml`}>
          {t('wiki.exportAs', { form: 'XML' })}
        </DownloadLink>
        <DownloadLink path={exportPath(wiki, 'jsonl', title)} fileName={`${fileName(title)}.jsonl`}>
          {t('wiki.exportAs', { form: 'JSONL' })}
        </DownloadLink>
        <Link
          to="/wikis/$wiki/compare"
          params={{ wiki }}
          search={{ pages: String(page.pageId) }}
          className="button"
        >
          {t('wikiCompare.with')}
        </Link>
      </p>
    </>
  )
}

/** Titles hold what names of files cannot. */
const fileName = (title: string): string =>
  title.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80)

const ROWS = 100

/** Every edit of a page, read part by part. */
function PageHistory({ wiki, pageId }: { wiki: string; pageId: number }) {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('wikiPage.history')}</h2>
      <RevisionList
        wiki={wiki}
        of="page"
        caption={t('wikiPage.history')}
        fileName={`${wiki}-${pageId}`}
        limit={ROWS}
        listKey={['wiki-history', wiki, pageId]}
        read={(asked) => readRevisions(wiki, { pageId, ...asked })}
      />
    </section>
  )
}
