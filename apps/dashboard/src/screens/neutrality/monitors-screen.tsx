import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { ListCard } from '../../components/list/list.tsx'
import { useWholeList } from '../../components/list/use-whole-list.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { monitorStateOf } from './monitor-form.ts'
import { NewMonitor } from './new-monitor.tsx'
import type { MonitorView } from '../../api/station-api.ts'

const EVERY_MS = 5_000
const STATES = ['running', 'waiting', 'over']
const PLACES = ['country', 'network'] as const satisfies readonly MonitorView['by'][]

export const MonitorsScreen = permitted('neutrality:read', 'monitor.title', Monitors)

function Monitors() {
  const { t } = useTranslation()
  const { may } = useMe()
  const monitors = useWholeList({
    key: ['monitors'],
    read: pagesAfter(
      (before, limit) => station('GET /neutrality', { query: { before, limit } }),
      ({ createdAt }) => createdAt,
    ),
    everyMs: EVERY_MS,
  })
  const columns = useColumns()
  return (
    <>
      <h1>{t('monitor.title')}</h1>
      <p className="quiet">{t('monitor.lead')}</p>
      {may('neutrality:write') ? <NewMonitor /> : null}
      <ListCard
        caption={t('monitor.list')}
        columns={columns}
        rows={monitors}
        firstSort="-createdAt"
        fileName="neutrality"
        empty={<EmptyState title={t('monitor.none')} />}
      />
    </>
  )
}

function useColumns(): ListColumn<MonitorView>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'name',
      label: t('monitor.monitor'),
      isAddress: true,
      cell: ({ id, name }) => (
        <Link to="/neutrality/$id" params={{ id }}>
          {name}
        </Link>
      ),
    },
    {
      id: 'state',
      label: t('device.stateLabel'),
      cell: (monitor) => <MonitorMark monitor={monitor} />,
      value: (monitor) => monitorStateOf(monitor).word,
      filter: choiceOf(STATES, (value) => t(`monitor.state.${value}`)),
    },
    {
      id: 'by',
      label: t('monitor.by'),
      cell: ({ by }) => t(`monitor.place.${by}`),
      filter: choiceOf(PLACES, (value) => t(`monitor.place.${value}`)),
    },
    { id: 'addresses', label: t('load.addresses'), as: 'count', value: ({ urls }) => urls.length },
    { id: 'runs', label: t('monitor.runs'), as: 'count' },
    {
      id: 'createdAt',
      label: t('captures.when'),
      as: 'ago',
      isNumber: true,
      filter: { kind: 'time' },
    },
  ]
}

export function MonitorMark({ monitor }: { monitor: MonitorView }) {
  const { t } = useTranslation()
  const { kind, word } = monitorStateOf(monitor)
  return <StatusBadge kind={kind} text={t(`monitor.state.${word}`)} />
}
