/** All watches by how often they change: the table of groups, and who is in each. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  FrequencyGroup,
  GroupedWatch,
  GroupRow,
  WatchGroupsView,
  Behaviour,
} from '@minga/protocol'
import { station } from '../../api/station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { DaysChoice } from '../../components/charts/days-choice.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'

const BEHAVIOURS = [
  'steady',
  'rare',
  'seasonal',
  'without pattern',
] as const satisfies readonly Behaviour[]

const GROUPS: readonly FrequencyGroup[] = ['high', 'medium', 'low']

export function WatchGroupsScreen() {
  const { t } = useTranslation()
  const [days, setDays] = useState(365)
  const query = useQuery({
    queryKey: ['watch-groups', days],
    queryFn: () => station('GET /watch-groups', { query: { days } }),
    placeholderData: (former) => former,
  })
  return (
    <>
      <h1>{t('watchGroups.title')}</h1>
      <p className="quiet">{t('watchGroups.lead')}</p>
      <DaysChoice days={days} onDays={setDays} />
      <Loaded query={query}>{(view) => <Groups view={view} />}</Loaded>
    </>
  )
}

function Groups({ view }: { view: WatchGroupsView }) {
  const { t } = useTranslation()
  const [published, corrected] = [usePublished(), useCorrected()]
  const watchColumns = useWatchColumns()
  return (
    <>
      <section className="card">
        <h2>{t('watchGroups.table')}</h2>
        <GroupTable rows={view.rows} figures={published} title={t('watchGroups.published')} />
        <GroupTable rows={view.rows} figures={corrected} title={t('watchGroups.putRight')} />
        <p className="quiet">{t('watchGroups.corrected')}</p>
        {view.unobserved === 0 ? null : (
          <p className="quiet">{t('watchGroups.unobserved', { count: view.unobserved })}</p>
        )}
        {view.leftOut === 0 ? null : (
          <p className="quiet">{t('watchGroups.leftOut', { count: view.leftOut })}</p>
        )}
      </section>
      <ListCard
        caption={t('watchGroups.members')}
        columns={watchColumns}
        rows={{ data: view.watches, error: null }}
        fileName="watch-groups"
        empty={
          <EmptyState title={t('watchGroups.none')} text={t('watch.needsTwo')}>
            <Link to="/watches/new" className="button">
              {t('watch.new')}
            </Link>
          </EmptyState>
        }
      />
    </>
  )
}

interface Figure {
  label: string
  of: (row: GroupRow) => string
}

/** Groups side by side, a figure in each line: fourteen columns would fit no screen. */
function GroupTable({
  rows,
  figures,
  title,
}: {
  rows: GroupRow[]
  figures: Figure[]
  title: string
}) {
  const { t } = useTranslation()
  const columns: Column<Figure>[] = [
    { label: title, cell: ({ label }) => label },
    ...rows.map((row): Column<Figure> => ({
      label: t(`watchGroups.group.${row.group}`),
      isNumber: true,
      cell: ({ of }) => of(row),
    })),
  ]
  return <DataTable caption={title} columns={columns} rows={figures} keyOf={({ label }) => label} />
}

/** The nine figures as first published, group and all. */
function usePublished(): Figure[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    { label: t('watchGroups.interval'), of: (row) => format.count(row.intervalHours) },
    { label: t('watchGroups.sites'), of: (row) => format.count(row.sites) },
    { label: t('watchGroups.meanFrequency'), of: (row) => format.percent(row.meanFrequency) },
    { label: t('watchMetrics.lost'), of: (row) => format.rate(row.lost) },
    { label: t('watchGroups.lostShare'), of: (row) => format.percent(row.lostShare) },
    { label: t('watchMetrics.visits'), of: (row) => format.count(row.visits) },
    { label: t('watchMetrics.occurred'), of: (row) => format.rate(row.changes) },
    { label: t('watchGroups.unnecessary'), of: (row) => format.rate(row.unnecessary) },
    { label: t('watchGroups.unnecessaryShare'), of: (row) => format.percent(row.unnecessaryShare) },
  ]
}

/** What puts them right, and how the sites behave. */
function useCorrected(): Figure[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    { label: t('watchMetrics.waste'), of: (row) => format.count(row.waste) },
    { label: t('watchGroups.wasteOfVisits'), of: (row) => format.percent(row.wasteOfVisits) },
    { label: t('watchGroups.lostOfChanges'), of: (row) => format.percent(row.lostOfChanges) },
    ...BEHAVIOURS.map((kind) => ({
      label: t(`watchGroups.behaviour.${kind}`),
      of: ({ behaviours }: GroupRow) => format.count(behaviours[kind]),
    })),
  ]
}

function useWatchColumns(): ListColumn<GroupedWatch>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'name',
      label: t('watchGroups.watch'),
      isAddress: true,
      cell: ({ id, name }) => (
        <Link to="/watches/$id/metrics" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
    },
    {
      id: 'group',
      label: t('watchMetrics.group'),
      cell: ({ group }) => t(`watchGroups.group.${group}`),
      filter: choiceOf(GROUPS, (value) => t(`watchGroups.group.${value}`)),
    },
    { id: 'url', label: t('watchGroups.address'), as: 'text', isAddress: true },
    { id: 'frequency', label: t('watchMetrics.frequency'), as: 'percent' },
    {
      id: 'behaviour',
      label: t('watchGroups.behaviours'),
      value: ({ behaviour }) => behaviour?.kind ?? null,
      cell: ({ behaviour }) => <BehaviourCell behaviour={behaviour} />,
      filter: choiceOf(BEHAVIOURS, (value) => t(`watchGroups.behaviour.${value}`)),
    },
    {
      id: 'compare',
      label: t('watchCompare.title'),
      content: ({ id, name }) => (
        <Link
          to="/watches/$id/compare"
          params={{ id: String(id) }}
          aria-label={t('watchCompare.of', { name })}
        >
          {t('watchCompare.open')}
        </Link>
      ),
    },
  ]
}

function BehaviourCell({ behaviour }: Pick<GroupedWatch, 'behaviour'>) {
  const { t } = useTranslation()
  if (behaviour === null) return t('figure.unknown')
  return (
    <>
      {t(`watchGroups.behaviour.${behaviour.kind}`)}
      <br />
      <span className="quiet" lang="en">
        {behaviour.reason}
      </span>
    </>
  )
}
