/** Captures by the words on them: title, address and the words around what was asked for. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ArchiveTextHit, ArchiveTextPage, MarkedText, TextIndexState } from '@minga/protocol'
import { station } from '../../api/station.ts'
import type { Search } from '../../api/archive.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { askedSearch, NOTHING, type TypedSearch } from './archive-filters.ts'
import { piecesOf } from './archive-marked.ts'

const searchTexts = (
  { text, collectionId, host, from, to }: Search,
  after: string | null,
  limit: number,
): Promise<ArchiveTextPage> =>
  station('GET /archive/text', { query: { q: text, collectionId, host, from, to, after, limit } })

const ROWS = 20
/** Only while captures wait to be indexed. */
const LOOK_EVERY_MS = 3_000

export function TextResults({ typed }: { typed: TypedSearch }) {
  const { t } = useTranslation()
  const state = useQuery({
    queryKey: ['archive-text-state'],
    queryFn: async () => (await searchTexts(askedSearch(NOTHING), null, 1)).index,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.indexed < data.captures ? LOOK_EVERY_MS : false,
  })
  return (
    <section className="card">
      <h2>{t('archive.results')}</h2>
      <Failure error={state.error} onRetry={() => void state.refetch()} />
      {state.data?.isOn === false ? (
        <SwitchedOff />
      ) : (
        <>
          {state.data === undefined ? null : <HowFar index={state.data} />}
          {typed.q === '' ? (
            <EmptyState title={t('archive.text.ask')} text={t('archive.text.askText')} />
          ) : (
            <Hits typed={typed} index={state.data} />
          )}
        </>
      )}
    </section>
  )
}

function SwitchedOff() {
  const { t } = useTranslation()
  const { may } = useMe()
  const canSee = may('settings:read')
  return (
    <EmptyState
      title={t('archive.text.off')}
      text={t(canSee ? 'archive.text.offText' : 'archive.text.offOther')}
    >
      {canSee ? (
        <Link to="/config" search={{ q: 'textCharacters' }} className="button primary">
          {t('archive.text.offLink')}
        </Link>
      ) : undefined}
    </EmptyState>
  )
}

/** Hidden when everything is indexed. */
function HowFar({ index }: { index: TextIndexState }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (index.indexed >= index.captures) return null
  const counts = { indexed: format.count(index.indexed), captures: format.count(index.captures) }
  const text = t('archive.text.indexed', counts)
  return (
    <div className="text-progress">
      <progress max={index.captures} value={index.indexed} aria-label={text} />
      <p className="quiet">{text}</p>
    </div>
  )
}

function Hits({ typed, index }: { typed: TypedSearch; index: TextIndexState | undefined }) {
  const { t } = useTranslation()
  const format = useFormat()
  const columns = useHitColumns()
  const counts = index && {
    indexed: format.count(index.indexed),
    captures: format.count(index.captures),
  }
  return (
    <List
      name="texts"
      caption={t('archive.results')}
      columns={columns}
      keyOf={({ captureId }) => captureId}
      fileName="archive-texts"
      pages={{
        key: ['archive-text', typed],
        limit: ROWS,
        read: async ({ cursor, limit }) => {
          const page = await searchTexts(askedSearch(typed), cursor, limit)
          return {
            rows: page.hits,
            cursor: page.next === null ? null : String(page.next),
            ...totalOf(page, typed),
          }
        },
      }}
      empty={
        <EmptyState title={t('archive.nothing')} text={t('archive.text.noneText')}>
          {counts === undefined ? undefined : <span>{t('archive.text.indexed', counts)}</span>}
        </EmptyState>
      }
    />
  )
}

/** Texts are counted by their words alone: with a filter the number of matches is unknown. */
function totalOf({ estimate }: ArchiveTextPage, typed: TypedSearch): { total?: number } {
  const { collection, host, from, to } = typed
  const isFiltered = [collection, host, from, to].some((asked) => asked !== '')
  return estimate === null || estimate.isMore || isFiltered ? {} : { total: estimate.texts }
}

function Marked({ marked }: { marked: MarkedText }) {
  return piecesOf(marked).map(({ text, isMarked }, i) =>
    isMarked ? <mark key={i}>{text}</mark> : <span key={i}>{text}</span>,
  )
}

function useHitColumns(): ListColumn<ArchiveTextHit>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'page',
      label: t('captures.page'),
      isAddress: true,
      value: ({ url }) => url,
      cell: (hit) => <Hit hit={hit} />,
    },
    {
      id: 'title',
      label: t('archive.titleOf'),
      isHidden: true,
      value: ({ title }) => title?.text ?? null,
      cell: ({ title }) => title?.text ?? '–',
    },
    {
      id: 'excerpt',
      label: t('archive.text.excerpt'),
      isHidden: true,
      value: ({ snippet }) => snippet.text,
      cell: ({ snippet }) => <Marked marked={snippet} />,
    },
    { id: 'capturedAt', label: t('captures.when'), as: 'moment', width: '12rem' },
    {
      id: 'collection',
      label: t('archive.collection'),
      as: 'text',
      value: ({ collectionId }) => collectionId,
      isHidden: true,
      isNumber: true,
    },
    { id: 'captures', label: t('archive.captures'), as: 'count', isHidden: true },
  ]
}

function Hit({ hit }: { hit: ArchiveTextHit }) {
  const { t } = useTranslation()
  const { url, title, capturedAt, captures, snippet } = hit
  return (
    <div className="text-hit">
      <Link to="/archive/url" search={{ url, at: capturedAt }}>
        {title === null ? url : <Marked marked={title} />}
      </Link>
      {title === null ? null : <span className="quiet block">{url}</span>}
      <p className="snippet">
        <Marked marked={snippet} />
      </p>
      {captures > 1 ? (
        <p className="quiet">{t('archive.text.captures', { count: captures })}</p>
      ) : null}
    </div>
  )
}
