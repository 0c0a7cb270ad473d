/** What a table was before, as long as that is kept: how many rows came or went, and a look at them. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { TableView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { useFormat } from '../../components/use-format.ts'
import { changeOf } from './import-form.ts'
import type { VersionView } from '../../api/station-api.ts'

interface TableVersionsProps {
  table: TableView
  /** Null: as it is now. */
  shown: number | null
  onShow: (version: number | null) => void
}

interface VersionRow extends VersionView {
  change: number | null
}

export function TableVersions({ table, shown, onShow }: TableVersionsProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const versions = useQuery({
    queryKey: ['table-versions', table.name, table.version],
    queryFn: async () => {
      const all = await station('GET /tables/{name}/versions', { params: { name: table.name } })
      return all.map((one, place): VersionRow => ({ ...one, change: changeOf(all, place) }))
    },
  })
  const columns: ListColumn<VersionRow>[] = [
    {
      id: 'version',
      label: t('tables.version'),
      isNumber: true,
      cell: ({ version }) => (
        <button
          type="button"
          aria-pressed={version === (shown ?? table.version)}
          onClick={() => onShow(version === table.version ? null : version)}
        >
          {version}
        </button>
      ),
    },
    { id: 'at', label: t('captures.when'), as: 'ago' },
    { id: 'rows', label: t('tables.rows'), as: 'count' },
    {
      id: 'change',
      label: t('tables.change'),
      isNumber: true,
      cell: ({ change }) =>
        change === null ? t('figure.unknown') : signed(change, (value) => format.count(value)),
    },
    {
      id: 'why',
      label: t('hosts.why'),
      cell: ({ why }) => <span lang="en">{why}</span>,
      isHidden: true,
    },
  ]
  return (
    <ListCard
      name="versions"
      caption={t('tables.versions')}
      lead={t('tables.versionsNote')}
      columns={columns}
      rows={versions}
      keyOf={({ version }) => version}
      empty={<EmptyState title={t('tables.none')} />}
      fileName={`${table.name}-versions`}
      searchLabel={null}
    />
  )
}

const signed = (change: number, count: (value: number) => string): string =>
  change > 0 ? `+${count(change)}` : change < 0 ? `−${count(-change)}` : '±0'
