/** The favourites of a reader of the archive and past searches. */
import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { Favourite, PastSearch } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { useStation } from '../../api/use-station.ts'
import type { SearchKind } from '../../api/archive.ts'
import { Failure } from '../../components/failure.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { NOTHING, type TypedSearch } from './archive-filters.ts'

export function FavouritesAndSearches({ onSearch }: { onSearch: (typed: TypedSearch) => void }) {
  const { t } = useTranslation()
  const favourites = useStation(['favourites'], 'GET /archive/favourites')
  const searches = useStation(['searches'], 'GET /archive/searches')
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
  const drop = useChange(
    (url: string) => station('DELETE /archive/favourites', { query: { url } }),
    ['favourites'],
  )
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
  onSearch: (typed: TypedSearch) => void
}

function Searches({ list, onSearch }: SearchesProps) {
  const { t } = useTranslation()
  const drop = useChange(
    (id: number | null) => station('DELETE /archive/searches', { query: { id } }),
    ['searches'],
  )
  if (list.length === 0) return <p className="quiet">{t('archive.noSearches')}</p>
  return (
    <>
      <ul className="kept">
        {list.map(({ id, text, by }) => (
          <li key={id} className="address">
            <Button
              className="link"
              onPress={() => onSearch({ ...NOTHING, q: text, by: by as SearchKind })}
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
