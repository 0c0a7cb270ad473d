/** Searching the archive, and what its reader keeps. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ArchivedUrl, Favourite, PastSearch } from '@minga/protocol'
import {
  dropFavourite,
  dropSearches,
  noteSearch,
  readFavourites,
  readSearches,
  SEARCH_KINDS,
  searchArchive,
  type Search,
  type SearchKind,
} from '../../api/archive.ts'
import { useLive } from '../../live/live-provider.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { useMe } from '../../people/use-me.ts'

const ROWS = 50

export function ArchiveScreen() {
  const { t } = useTranslation()
  const { me } = useMe()
  const [search, setSearch] = useState<Search>({ text: '', by: 'url', collectionId: null })
  return (
    <>
      <h1>{t('archive.title')}</h1>
      <p className="quiet">{t('archive.lead')}</p>
      <SearchForm key={JSON.stringify(search)} search={search} onSearch={setSearch} />
      <Results search={search} />
      {me === null ? null : <Keepsakes onSearch={setSearch} />}
    </>
  )
}

interface SearchFormProps {
  search: Search
  onSearch: (search: Search) => void
}

/** A whole address leads to its own page; everything else is searched for. */
function SearchForm({ search, onSearch }: SearchFormProps) {
  const { t } = useTranslation()
  const { me } = useMe()
  const navigate = useNavigate()
  const [text, setText] = useState(search.text)
  const [by, setBy] = useState<SearchKind>(search.by)
  const [collectionId, setCollectionId] = useState(search.collectionId)
  const note = useChange(noteSearch, ['searches'])
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const asked = { text: text.trim(), by, collectionId }
    if (me !== null && asked.text !== '') note.mutate(asked)
    const isAddress = by === 'url' && /^https?:\/\/\S+$/i.test(asked.text)
    if (isAddress) void navigate({ to: '/archive/url', search: { url: asked.text } })
    else onSearch(asked)
  }
  return (
    <section className="card">
      <Form onSubmit={send} validationBehavior="aria" className="form" role="search">
        <Field
          label={t('archive.searchFor')}
          value={text}
          onChange={setText}
          help={t('archive.searchHelp')}
        />
        <label className="choice">
          <b>{t('archive.searchIn')}</b>
          <select value={by} onChange={(event) => setBy(event.target.value as SearchKind)}>
            {SEARCH_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {t(`archive.kind.${kind}`)}
              </option>
            ))}
          </select>
        </label>
        <CollectionChoice chosen={collectionId} onChoose={setCollectionId} />
        <div className="actions">
          <Button type="submit" className="primary">
            {t('archive.search')}
          </Button>
        </div>
      </Form>
    </section>
  )
}

interface CollectionChoiceProps {
  chosen: number | null
  onChoose: (id: number | null) => void
}

function CollectionChoice({ chosen, onChoose }: CollectionChoiceProps) {
  const { t } = useTranslation()
  const { state } = useLive()
  const collections = state?.snapshot.collections ?? []
  return (
    <label className="choice">
      <b>{t('archive.collection')}</b>
      <select
        value={chosen ?? ''}
        onChange={(event) =>
          onChoose(event.target.value === '' ? null : Number(event.target.value))
        }
      >
        <option value="">{t('archive.allCollections')}</option>
        {collections.map(({ id, spec }) => (
          <option key={id} value={id}>
            {id} · {spec.seeds[0] ?? ''}
          </option>
        ))}
      </select>
    </label>
  )
}

function Results({ search }: { search: Search }) {
  const { t } = useTranslation()
  const columns = useUrlColumns()
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['archive-search', search],
    queryFn: ({ pageParam }) => searchArchive(search, pageParam, ROWS),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const urls = data?.pages.flatMap((page) => page.urls)
  return (
    <section className="card">
      <h2>{t('archive.results')}</h2>
      <Loaded query={{ data: urls, error }}>
        {(found) =>
          found.length === 0 ? (
            <p className="quiet" role="status">
              {t('archive.nothing')}
            </p>
          ) : (
            <DataTable
              caption={t('archive.results')}
              columns={columns}
              rows={found}
              keyOf={({ url }) => url}
            />
          )
        }
      </Loaded>
      <MoreButton
        pages={{
          query: { data: urls, error },
          hasMore: hasNextPage,
          readMore: () => void fetchNextPage(),
        }}
      />
    </section>
  )
}

function useUrlColumns(): Column<ArchivedUrl>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
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
    {
      label: t('archive.captures'),
      isNumber: true,
      cell: ({ captures }) => format.count(captures),
    },
    { label: t('archive.first'), cell: ({ firstAt }) => format.moment(firstAt) },
    { label: t('archive.last'), cell: ({ lastAt }) => format.moment(lastAt) },
  ]
}

function Keepsakes({ onSearch }: { onSearch: (search: Search) => void }) {
  const { t } = useTranslation()
  const favourites = useQuery({ queryKey: ['favourites'], queryFn: readFavourites })
  const searches = useQuery({ queryKey: ['searches'], queryFn: readSearches })
  return (
    <div className="columns">
      <section className="card">
        <h2>{t('archive.favourites')}</h2>
        <Loaded query={favourites}>{(list) => <Favourites list={list} />}</Loaded>
      </section>
      <section className="card">
        <h2>{t('archive.searches')}</h2>
        <Loaded query={searches}>{(list) => <Searches list={list} onSearch={onSearch} />}</Loaded>
      </section>
    </div>
  )
}

function Favourites({ list }: { list: readonly Favourite[] }) {
  const { t } = useTranslation()
  const drop = useChange(dropFavourite, ['favourites'])
  if (list.length === 0) return <p className="quiet">{t('archive.noFavourites')}</p>
  return (
    <>
      <ul className="kept">
        {list.map(({ url }) => (
          <li key={url} className="address">
            <Link to="/archive/url" search={{ url }}>
              {url}
            </Link>
            <Button
              aria-label={t('archive.dropNamed', { name: url })}
              onPress={() => drop.mutate(url)}
            >
              {t('archive.drop')}
            </Button>
          </li>
        ))}
      </ul>
      <Failure error={drop.error} />
    </>
  )
}

interface SearchesProps {
  list: readonly PastSearch[]
  onSearch: (search: Search) => void
}

function Searches({ list, onSearch }: SearchesProps) {
  const { t } = useTranslation()
  const drop = useChange(dropSearches, ['searches'])
  if (list.length === 0) return <p className="quiet">{t('archive.noSearches')}</p>
  return (
    <>
      <ul className="kept">
        {list.map(({ id, text, by }) => (
          <li key={id} className="address">
            <Button
              className="link"
              onPress={() => onSearch({ text, by: by as SearchKind, collectionId: null })}
            >
              {text} <span className="quiet">{t(`archive.kind.${by}`)}</span>
            </Button>
            <Button
              aria-label={t('archive.dropNamed', { name: text })}
              onPress={() => drop.mutate(id)}
            >
              {t('archive.drop')}
            </Button>
          </li>
        ))}
      </ul>
      <div className="actions">
        <Button onPress={() => drop.mutate(null)}>{t('archive.dropAll')}</Button>
      </div>
      <Failure error={drop.error} />
    </>
  )
}
