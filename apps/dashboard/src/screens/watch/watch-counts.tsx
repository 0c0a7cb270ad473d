/** Watches counted by category, owner or kind. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WatchCategoryView, WatchGroupView } from '@minga/protocol'
import { Select } from '../../components/choice.tsx'
import { station } from '../../api/station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { categoryName } from './watch-words.ts'

const GROUPINGS = ['category', 'owner', 'subject'] as const

type Grouping = (typeof GROUPINGS)[number]

export function WatchCounts({ categories }: { categories: readonly WatchCategoryView[] }) {
  const { t } = useTranslation()
  const [by, setBy] = useState<Grouping>('category')
  const query = useQuery({
    queryKey: ['watches', 'counts', by],
    queryFn: () => station('GET /watches/groups', { query: { by } }),
    placeholderData: (former) => former,
  })
  const columns = useColumns(by, categories)
  return (
    <section className="card">
      <h2>{t('watch.groups')}</h2>
      <Select
        label={t('watch.groupBy')}
        value={by}
        onChange={setBy}
        options={GROUPINGS.map((grouping) => [grouping, t(`watch.grouping.${grouping}`)])}
      />
      <Loaded query={query}>
        {(groups) => (
          <DataTable
            caption={t('watch.groups')}
            columns={columns}
            rows={groups}
            keyOf={({ key }) => key ?? ''}
          />
        )}
      </Loaded>
    </section>
  )
}

function useColumns(
  by: Grouping,
  categories: readonly WatchCategoryView[],
): Column<WatchGroupView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const nameOf = ({ key, name }: WatchGroupView): string => {
    if (by === 'category') return categoryName(t, categories, key === null ? null : Number(key))
    if (by === 'subject') return t(`watch.subject.${key as 'page'}`)
    return name ?? '–'
  }
  return [
    {
      label: t(`watch.grouping.${by}`),
      isAddress: true,
      cell: (group) =>
        by === 'category' ? (
          <Link to="/watches" search={{ category: group.key ?? 'none' }}>
            {nameOf(group)}
          </Link>
        ) : (
          nameOf(group)
        ),
    },
    { label: t('watch.title'), isNumber: true, cell: ({ watches }) => format.count(watches) },
    { label: t('watch.state.active'), isNumber: true, cell: ({ active }) => format.count(active) },
    { label: t('captures.title'), isNumber: true, cell: ({ captures }) => format.count(captures) },
    { label: t('captures.size'), isNumber: true, cell: ({ bytes }) => format.bytes(bytes) },
  ]
}
