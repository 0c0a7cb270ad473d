/** Who changed what of a watch, and the change notifications for it. */
import { useTranslation } from 'react-i18next'
import type { SignalView, TrailView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'

const ROWS = 50

export function WatchTrail({ id }: { id: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useStation(['watches', 'trail', id], 'GET /watches/{id}/trail', {
    params: { id },
    query: { limit: ROWS },
  })
  const columns: Column<TrailView>[] = [
    { label: t('captures.when'), cell: ({ at }) => format.moment(at) },
    { label: t('config.who'), isAddress: true, cell: ({ by }) => by },
    {
      label: t('watch.change'),
      isAddress: true,
      cell: ({ kind, after }) => `${t(`watch.trailKind.${kind}`)} ${changesText(after)}`,
    },
    { label: t('config.before'), isAddress: true, cell: ({ before }) => changesText(before) },
    {
      label: t('watch.undone'),
      cell: ({ undoneAt, undoneBy }) =>
        undoneAt === null ? '–' : `${undoneBy ?? ''}, ${format.moment(undoneAt)}`,
    },
  ]
  return (
    <section className="card">
      <h2>{t('config.trail')}</h2>
      <Loaded query={query}>
        {(trail) => (
          <DataTable
            caption={t('config.trail')}
            columns={columns}
            rows={trail}
            keyOf={({ id: no }) => no}
          />
        )}
      </Loaded>
    </section>
  )
}

function changesText(changes: Record<string, unknown>): string {
  return Object.entries(changes)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ')
}

/** Shown once a notification has arrived. */
export function WatchSignals({ id }: { id: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useStation(['watches', 'notices', id], 'GET /watches/{id}/notices', {
    params: { id },
    query: { limit: ROWS },
  })
  const columns: Column<SignalView>[] = [
    { label: t('watch.source'), cell: ({ source }) => t(`watch.sourceKind.${source}`) },
    { label: t('watch.told'), isNumber: true, cell: ({ notices }) => format.count(notices) },
    { label: t('watch.true'), isNumber: true, cell: ({ changed }) => format.count(changed) },
    { label: t('watch.wrong'), isNumber: true, cell: ({ unchanged }) => format.count(unchanged) },
    {
      label: t('watch.precision'),
      isNumber: true,
      cell: ({ precision }) => (precision === null ? '–' : format.percent(precision)),
    },
  ]
  const signals = query.data?.signals ?? []
  if (signals.length === 0) return null
  return (
    <section className="card">
      <h2>{t('watch.signals')}</h2>
      <p className="quiet">{t('watch.signalsLead')}</p>
      <DataTable
        caption={t('watch.signals')}
        columns={columns}
        rows={signals}
        keyOf={({ source }) => source}
      />
    </section>
  )
}
