/** Searching the archive, what it holds, and what its reader keeps. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ArchivedUrl, ArchiveSearchPage, PastSearch } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { Select } from '../../components/choice.tsx'
import { CAPTURE_TYPES, SEARCH_KINDS, STATUSES, type Search } from '../../api/archive.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Field } from '../../components/field.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import { CollectionChoice } from './archive-collection-choice.tsx'
import { askedSearch, searchOf, typedIn, type TypedSearch } from './archive-filters.ts'
import { FavouritesAndSearches } from './archive-favourites.tsx'
import { ArchiveSummary } from './archive-summary.tsx'
import { TextResults } from './archive-text-results.tsx'

const noteSearch = ({ text, by }: Search): Promise<PastSearch[]> =>
  station('POST /archive/searches', { body: { text, by } })

const searchArchive = (
  { text, by, collectionId, type, status, from, to }: Search,
  after: string | null,
  limit: number,
): Promise<ArchiveSearchPage> =>
  station('GET /archive/search', {
    query: { q: text, by, collectionId, type, status, from, to, after, limit },
  })

const ROWS = 50

export function ArchiveScreen() {
  const { t } = useTranslation()
  const { me } = useMe()
  const navigate = useNavigate()
  const typed = typedIn(useSearch({ strict: false }))
  const search = (next: TypedSearch): void =>
    void navigate({ to: '/archive', search: searchOf(next) })
  return (
    <>
      <h1>{t('archive.title')}</h1>
      <p className="quiet">{t('archive.lead')}</p>
      <SearchForm key={JSON.stringify(typed)} typed={typed} onSearch={search} />
      {typed.by === 'text' ? <TextResults typed={typed} /> : <Results typed={typed} />}
      <ArchiveSummary collectionId={typed.collection === '' ? null : Number(typed.collection)} />
      {me === null ? null : <FavouritesAndSearches onSearch={search} />}
    </>
  )
}

interface SearchFormProps {
  typed: TypedSearch
  onSearch: (typed: TypedSearch) => void
}

/** A whole address leads to its own page; everything else is searched for. */
function SearchForm({ typed, onSearch }: SearchFormProps) {
  const { t } = useTranslation()
  const { me } = useMe()
  const navigate = useNavigate()
  const [asked, setAsked] = useState(typed)
  const note = useChange(noteSearch, ['searches'])
  const change = (part: Partial<TypedSearch>): void => setAsked({ ...asked, ...part })
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const text = asked.q.trim()
    const next = { ...asked, q: text }
    if (me !== null && text !== '') note.mutate(askedSearch(next))
    const isAddress = asked.by === 'url' && /^https?:\/\/\S+$/i.test(text)
    if (isAddress) void navigate({ to: '/archive/url', search: { url: text } })
    else onSearch(next)
  }
  return (
    <section className="card">
      <Form onSubmit={send} validationBehavior="aria" className="form" role="search">
        <Field
          label={t('archive.searchFor')}
          value={asked.q}
          onChange={(q) => change({ q })}
          help={t(asked.by === 'text' ? 'archive.text.help' : 'archive.searchHelp')}
        />
        <div className="form inline archive-filters">
          <Select
            label={t('archive.searchIn')}
            value={asked.by}
            onChange={(chosen) => change({ by: chosen })}
            options={SEARCH_KINDS.map((kind) => [kind, t(`archive.kind.${kind}`)])}
          />
          <CollectionChoice
            chosen={asked.collection}
            onChoose={(collection) => change({ collection })}
          />
          <Narrowing asked={asked} change={change} />
        </div>
        <div className="actions">
          <Button type="submit" className="primary">
            {t('archive.search')}
          </Button>
          <Link to="/archive" className="button">
            {t('archive.clear')}
          </Link>
        </div>
      </Form>
    </section>
  )
}

interface NarrowingProps {
  asked: TypedSearch
  change: (part: Partial<TypedSearch>) => void
}

function Narrowing({ asked, change }: NarrowingProps) {
  const { t } = useTranslation()
  return (
    <>
      {asked.by === 'text' ? (
        <label className="choice">
          <b>{t('archive.text.host')}</b>
          <input
            value={asked.host}
            placeholder="example.org"
            onChange={(event) => change({ host: event.target.value })}
          />
        </label>
      ) : (
        <KindOfCapture asked={asked} change={change} />
      )}
      {(['from', 'to'] as const).map((end) => (
        <label key={end} className="choice">
          <b>{t(`archive.${end}`)}</b>
          <input
            type="date"
            value={asked[end]}
            onChange={(event) => change({ [end]: event.target.value })}
          />
        </label>
      ))}
    </>
  )
}

function KindOfCapture({ asked, change }: NarrowingProps) {
  const { t } = useTranslation()
  return (
    <>
      <Select
        label={t('archive.type')}
        value={asked.type}
        onChange={(chosen) => change({ type: chosen })}
        options={[
          ['', t('watch.all')],
          ...CAPTURE_TYPES.map((type) => [type, t(`archive.typeKind.${type}`)] as const),
        ]}
      />
      <Select
        label={t('captures.status')}
        value={asked.status}
        onChange={(chosen) => change({ status: chosen })}
        options={[
          ['', t('watch.all')],
          ...STATUSES.map((status) => [status, t(`archive.statusKind.${status}`)] as const),
        ]}
      />
    </>
  )
}

function Results({ typed }: { typed: TypedSearch }) {
  const { t } = useTranslation()
  const columns = useUrlColumns()
  return (
    <ListCard
      name="found"
      caption={t('archive.results')}
      columns={columns}
      keyOf={({ url }) => url}
      fileName="archive-search"
      pages={{
        key: ['archive-search', typed],
        limit: ROWS,
        read: async ({ cursor, limit }) => {
          const { urls, next } = await searchArchive(askedSearch(typed), cursor, limit)
          return { rows: urls, cursor: next }
        },
      }}
      empty={
        <EmptyState title={t('archive.nothing')} text={t('archive.nothingText')}>
          <Link to="/new" className="button primary">
            {t('archive.collectSomething')}
          </Link>
        </EmptyState>
      }
    />
  )
}

function useUrlColumns(): ListColumn<ArchivedUrl>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'url',
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, title }) => (
        <>
          <Link to="/archive/url" search={{ url }}>
            {title ?? url}
          </Link>
          {title === null ? null : <span className="quiet block">{url}</span>}
        </>
      ),
    },
    { id: 'title', label: t('archive.titleOf'), as: 'text', isHidden: true },
    { id: 'captures', label: t('archive.captures'), as: 'count' },
    { id: 'first', label: t('archive.first'), as: 'moment', value: ({ firstAt }) => firstAt },
    { id: 'last', label: t('archive.last'), as: 'moment', value: ({ lastAt }) => lastAt },
  ]
}
