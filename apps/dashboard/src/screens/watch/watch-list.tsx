/** What is watched: by groups, searched, sorted, steered together, taken in and given out as files. */
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WatchCategoryView, WatchListRow, FrequencyGroup } from '@minga/protocol'
import { Select } from '../../components/choice.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { EXPORTS, exportPath } from '../../api/watches.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { BulkAction } from '../../components/list/list-bulk.tsx'
import type { ListQuestion } from '../../components/list/list-rows.ts'
import { List } from '../../components/list/list.tsx'
import { useMe } from '../../auth/use-me.ts'
import { WatchCategories } from './watch-categories.tsx'
import { useWatchColumns } from './watch-columns.tsx'
import { WatchCounts } from './watch-counts.tsx'
import { WatchImport } from './watch-import.tsx'
import { listAsked } from './watch-list-asked.ts'
import { categoryName } from './watch-words.ts'

const EVERY_MS = 15_000

export function WatchListScreen() {
  const { t } = useTranslation()
  const { may } = useMe()
  const categories = useStation(['watch-categories'], 'GET /watches/categories')
  const list = categories.data ?? []
  return (
    <>
      <h1>{t('watch.title')}</h1>
      <p className="quiet">{t('watch.lead')}</p>
      <p className="actions">
        {may('watches:write') ? (
          <Link to="/watches/new" className="button primary">
            {t('watch.new')}
          </Link>
        ) : null}
        <Link to="/watch-budget" className="button">
          {t('budget.title')}
        </Link>
      </p>
      <Watches categories={list} />
      <WatchCounts categories={list} />
      {may('watches:write') ? <WatchImport /> : null}
      {may('policies:write') ? <WatchCategories categories={list} /> : null}
    </>
  )
}

const readPage = async (question: ListQuestion) => {
  const { watches, next, total } = await station('GET /watches/list', {
    query: { ...listAsked(question) },
  })
  return { rows: watches, cursor: next, total }
}

function Watches({ categories }: { categories: readonly WatchCategoryView[] }) {
  const { t } = useTranslation()
  const { may, me } = useMe()
  const columns = useWatchColumns(categories)
  const [category, setCategory] = useState('')
  const canWrite = may('watches:write')
  const bulk = useBulkActions({ category, categories, canWrite, isKnown: me !== null })
  return (
    <section className="card">
      <h2>{t('watch.list')}</h2>
      <GroupLinks />
      {canWrite ? (
        <Select
          label={t('watch.bulkCategory')}
          value={category}
          onChange={setCategory}
          options={[
            ['', t('watch.noCategory')],
            ...categories.map(
              ({ code }) => [String(code), categoryName(t, categories, code)] as const,
            ),
          ]}
        />
      ) : null}
      <List
        caption={t('watch.list')}
        columns={columns}
        searchLabel={t('watch.search')}
        fileName="watches"
        bulkActions={bulk}
        pages={{ key: ['watches', 'list'], read: readPage, everyMs: EVERY_MS }}
        empty={
          <EmptyState title={t('watch.noneYet')} text={t('watch.lead')}>
            {canWrite ? (
              <Link to="/watches/new" className="button primary">
                {t('watch.new')}
              </Link>
            ) : null}
          </EmptyState>
        }
      />
      <p className="actions">
        {EXPORTS.map((as) => (
          <DownloadLink key={as} path={exportPath(as)} fileName={`watches.${as}`}>
            {t('watch.export', { format: as.toUpperCase() })}
          </DownloadLink>
        ))}
      </p>
    </section>
  )
}

interface BulkParts {
  category: string
  categories: readonly WatchCategoryView[]
  canWrite: boolean
  isKnown: boolean
}

function useBulkActions(parts: BulkParts): BulkAction<WatchListRow>[] {
  const { t } = useTranslation()
  const { category, categories, canWrite, isKnown } = parts
  const touched = ['watches']
  const code = category === '' ? null : Number(category)
  const steering: BulkAction<WatchListRow>[] = [
    {
      label: t('watch.visitNow'),
      act: ({ id }) => station('POST /watches/run', { body: { ids: [id] } }),
      isFor: ({ isActive }) => isActive,
      touched,
    },
    {
      label: t('collection.pause'),
      act: ({ id }) => station('POST /watches/{id}/pause', { params: { id } }),
      isFor: ({ isActive }) => isActive,
      touched,
    },
    {
      label: t('collection.resume'),
      act: ({ id }) => station('POST /watches/{id}/resume', { params: { id } }),
      isFor: ({ isActive }) => !isActive,
      touched,
    },
    {
      label: t('watch.setCategory', { name: categoryName(t, categories, code) }),
      act: ({ id }) => station('PATCH /watches/{id}', { params: { id }, body: { category: code } }),
      touched: [...touched, 'watch-categories'],
    },
  ]
  const reading: BulkAction<WatchListRow> = {
    label: t('watch.markSeen'),
    act: ({ id }) => station('POST /watches/seen', { body: { ids: [id] } }),
    isFor: ({ isUnread }) => isUnread === true,
    touched,
  }
  return [...(canWrite ? steering : []), ...(isKnown ? [reading] : [])]
}

const DAYS = 365
const GROUPS: readonly FrequencyGroup[] = ['high', 'medium', 'low']

/** The groups by how often watches change, each with how many it has, as ways to narrow the list down. */
function GroupLinks() {
  const { t } = useTranslation()
  const format = useFormat()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const { data } = useStation(['watch-groups', DAYS], 'GET /watch-groups', {
    query: { days: DAYS },
  })
  if (data === undefined || data.watches.length === 0) return null
  const shown = search['group']
  return (
    <nav aria-label={t('watchGroups.title')}>
      <ul className="groups">
        <li>
          <Link to="/watches" aria-current={shown === undefined ? 'true' : undefined}>
            {t('watch.all')}
          </Link>
        </li>
        {GROUPS.map((group) => (
          <li key={group}>
            <Link
              to="/watches"
              search={{ group }}
              aria-current={shown === group ? 'true' : undefined}
            >
              {t(`watchGroups.group.${group}`)}{' '}
              {format.count(data.rows.find((row) => row.group === group)?.sites ?? 0)}
            </Link>
          </li>
        ))}
        <li>
          <Link to="/watch-groups">{t('watch.groupFigures')}</Link>
        </li>
      </ul>
    </nav>
  )
}
