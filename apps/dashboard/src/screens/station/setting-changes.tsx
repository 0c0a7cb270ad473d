/** Who changed which setting, when and why. */
import { useTranslation } from 'react-i18next'
import type { SettingChangeView } from '@minga/protocol'
import { readChanges } from '../../api/settings.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import type { ListColumn } from '../../parts/list/list-column.ts'
import { pagesAfter } from '../../parts/list/list-rows.ts'
import { List } from '../../parts/list/list.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { textOf } from './setting-form.ts'

export function SettingChanges() {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <section className="card">
      <h2>{t('config.trail')}</h2>
      <List
        name="changes"
        caption={t('config.trail')}
        columns={columns}
        keyOf={({ no }) => no}
        fileName="setting-changes"
        empty={<EmptyState title={t('config.noChanges')} />}
        pages={{ key: ['setting-changes'], read: pagesAfter(readChanges, ({ no }) => no) }}
      />
    </section>
  )
}

function useColumns(): ListColumn<SettingChangeView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      id: 'at',
      label: t('captures.when'),
      isTime: true,
      cell: ({ at }) => format.moment(at),
      value: ({ at }) => at,
    },
    {
      id: 'setting',
      label: t('config.setting'),
      cell: ({ name }) => <code>{name}</code>,
      value: ({ name }) => name,
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
    {
      id: 'by',
      label: t('config.who'),
      isAddress: true,
      cell: ({ by }) => by ?? '–',
      value: ({ by }) => by,
    },
    {
      id: 'note',
      label: t('config.why'),
      isAddress: true,
      cell: ({ note }) => note ?? '–',
      value: ({ note }) => note,
    },
  ]
}
