/** Who changed which setting, when and why. */
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { textOf } from './setting-form.ts'
import type { ShownChange } from '../../api/station-api.ts'

export function SettingChanges() {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <ListCard
      name="changes"
      caption={t('config.trail')}
      columns={columns}
      keyOf={({ no }) => no}
      fileName="setting-changes"
      empty={<EmptyState title={t('config.noChanges')} />}
      searchLabel={t('config.searchTrail')}
      firstSort="-at"
      pages={{
        key: ['setting-changes'],
        read: sortedPages((query) => station('GET /settings/changes/page', { query }), 'at'),
      }}
    />
  )
}

function useColumns(): ListColumn<ShownChange>[] {
  const { t } = useTranslation()
  const { data: settings = [] } = useStation(['settings'], 'GET /settings')
  return [
    { id: 'at', label: t('captures.when'), as: 'moment', canSort: true, filter: { kind: 'time' } },
    {
      id: 'setting',
      label: t('config.setting'),
      as: 'code',
      value: ({ name }) => name,
      canSort: true,
      filter: {
        kind: 'choice',
        choices: settings.map(({ name }) => ({ value: name, label: name })),
      },
    },
    {
      id: 'before',
      label: t('config.before'),
      cell: ({ before }) => textOf(before) || t('config.none'),
      value: ({ before }) => textOf(before),
    },
    {
      id: 'after',
      label: t('config.after'),
      cell: ({ after }) => <b>{textOf(after) || t('config.none')}</b>,
      value: ({ after }) => textOf(after),
    },
    { id: 'by', label: t('config.who'), as: 'text', isAddress: true, canSort: true },
    { id: 'note', label: t('config.why'), as: 'text', isAddress: true },
  ]
}
