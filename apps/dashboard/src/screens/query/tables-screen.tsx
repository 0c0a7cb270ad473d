/** Every table that the reader may see, and the way in for new ones. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { TableView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { TableImport } from './table-import.tsx'

const EVERY_MS = 5_000
const KINDS: Record<string, StatusKind> = { own: 'good', system: 'info', rejects: 'warn' }

export function TablesScreen() {
  const { t } = useTranslation()
  const { may } = useMe()
  return (
    <RequirePermission may="tables:read" title={t('tables.title')}>
      <h1>{t('tables.title')}</h1>
      <p className="quiet">{t('tables.lead')}</p>
      <Tables />
      {may('tables:write') ? <TableImport table={null} /> : null}
    </RequirePermission>
  )
}

function Tables() {
  const { t } = useTranslation()
  const tables = useStation(['tables'], 'GET /tables', { refetchInterval: EVERY_MS })
  const columns = useColumns()
  return (
    <ListCard
      caption={t('tables.list')}
      columns={columns}
      rows={tables}
      keyOf={({ name }) => name}
      firstSort="name"
      fileName="tables"
      empty={<EmptyState title={t('tables.none')} text={t('tables.noneText')} />}
    />
  )
}

function useColumns(): ListColumn<TableView>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'name',
      label: t('people.name'),
      isAddress: true,
      cell: ({ name }) => (
        <Link to="/tables/$name" params={{ name }}>
          {name}
        </Link>
      ),
    },
    {
      id: 'kind',
      label: t('query.kindLabel'),
      cell: ({ kind }) => (
        <StatusBadge kind={KINDS[kind] ?? 'quiet'} text={t(`tables.kind.${kind}`)} />
      ),
      filter: choiceOf(['own', 'system', 'rejects'], (value) => t(`tables.kind.${value}`)),
    },
    { id: 'rows', label: t('tables.rows'), as: 'count' },
    { id: 'bytes', label: t('figure.bytes'), as: 'bytes' },
    { id: 'segments', label: t('tables.segments'), as: 'count' },
    { id: 'version', label: t('tables.version'), as: 'count' },
    {
      id: 'columns',
      label: t('tables.columns'),
      as: 'text',
      value: ({ columns }) => columns.map(({ name }) => name).join(', '),
      isAddress: true,
      isHidden: true,
    },
    { id: 'changedAt', label: t('tables.changed'), as: 'ago', isNumber: true },
  ]
}
