import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { readMonitors } from '../../api/neutrality.ts'
import type { MonitorView } from '@minga/protocol'
import { Ago } from '../../parts/ago.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark } from '../../parts/mark.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { monitorStateOf } from './monitor-form.ts'
import { NewMonitor } from './new-monitor.tsx'

const ROWS = 50
const EVERY_MS = 5_000

export function MonitorsScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="neutrality:read" title={t('monitor.title')}>
      <Monitors />
    </ForThoseWho>
  )
}

function Monitors() {
  const { t } = useTranslation()
  const { may } = useMe()
  const pages = usePages<MonitorView, number>({
    key: ['monitors'],
    rows: ROWS,
    read: readMonitors,
    cursorOf: ({ createdAt }) => createdAt,
    everyMs: EVERY_MS,
  })
  const columns = useColumns()
  return (
    <>
      <h1>{t('monitor.title')}</h1>
      <p className="quiet">{t('monitor.lead')}</p>
      {may('neutrality:write') ? <NewMonitor /> : null}
      <section className="card">
        <h2>{t('monitor.list')}</h2>
        <Loaded query={pages.query}>
          {(monitors) =>
            monitors.length === 0 ? (
              <p className="quiet">{t('monitor.none')}</p>
            ) : (
              <DataTable
                caption={t('monitor.list')}
                columns={columns}
                rows={monitors}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
        <MoreButton pages={pages} />
      </section>
    </>
  )
}

function useColumns(): Column<MonitorView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      label: t('monitor.monitor'),
      isAddress: true,
      cell: ({ id, name }) => (
        <Link to="/neutrality/$id" params={{ id }}>
          {name}
        </Link>
      ),
    },
    { label: t('device.stateLabel'), cell: (monitor) => <MonitorMark monitor={monitor} /> },
    { label: t('monitor.by'), cell: ({ by }) => t(`monitor.place.${by}`) },
    { label: t('load.addresses'), isNumber: true, cell: ({ urls }) => format.count(urls.length) },
    { label: t('monitor.runs'), isNumber: true, cell: ({ runs }) => format.count(runs) },
    { label: t('captures.when'), isNumber: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ]
}

export function MonitorMark({ monitor }: { monitor: MonitorView }) {
  const { t } = useTranslation()
  const { kind, word } = monitorStateOf(monitor)
  return <Mark kind={kind} text={t(`monitor.state.${word}`)} />
}
