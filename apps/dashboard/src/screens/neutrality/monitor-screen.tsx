import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { AddressList } from '../../components/address-list.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { MonitorReport } from './monitor-report.tsx'
import { MonitorMark } from './monitors-screen.tsx'
import type { MonitorView, RunView } from '../../api/station-api.ts'

const EVERY_MS = 3_000

export const MonitorScreen = permitted('neutrality:read', 'monitor.title', Watched)

function Watched() {
  const { t } = useTranslation()
  const { id = '' } = useParams({ strict: false })
  const query = useStation(['monitor', id], 'GET /neutrality/{id}', {
    params: { id },
    refetchInterval: EVERY_MS,
  })
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('monitor.title')}</h1> : null}
      <Loaded query={query}>
        {(monitor) => (
          <>
            <Summary monitor={monitor} />
            <Findings key={id} monitor={monitor} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Summary({ monitor }: { monitor: MonitorView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { by, everyMs, nextRunAt } = monitor
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/neutrality">{t('monitor.title')}</Link> / {monitor.id}
          </p>
          <h1>{monitor.name}</h1>
        </div>
        <MonitorMark monitor={monitor} />
      </header>
      <FiguresList
        figures={[
          { label: t('load.addresses'), value: format.count(monitor.urls.length) },
          { label: t('monitor.by'), value: t(`monitor.place.${by}`) },
          { label: t('monitor.devices'), value: format.count(monitor.devicesPerPlace) },
          { label: t('monitor.runs'), value: format.count(monitor.runs) },
          ...(everyMs === null ? [] : [{ label: t('monitor.every'), value: format.span(everyMs) }]),
          ...(nextRunAt === null
            ? []
            : [{ label: t('monitor.next'), value: format.moment(nextRunAt) }]),
        ]}
      />
      <AddressList urls={monitor.urls} />
      <Stop monitor={monitor} />
    </section>
  )
}

function Stop({ monitor: { id, nextRunAt } }: { monitor: MonitorView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const stop = useChange(
    () => station('POST /neutrality/{id}/stop', { params: { id }, body: {} }),
    ['monitor', 'monitors'],
  )
  if (nextRunAt === null || !may('neutrality:write')) return null
  return (
    <div className="actions">
      <ConfirmButton
        label={t('monitor.stop')}
        title={t('monitor.stopTitle')}
        text={t('monitor.stopText')}
        onConfirm={() => stop.mutate(undefined)}
      />
      <Failure error={stop.error} />
    </div>
  )
}

/** The last run that has ended, until the user chooses an earlier one. */
function Findings({ monitor }: { monitor: MonitorView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const [chosen, setChosen] = useState<number | null>(null)
  const last = monitor.history.findLast(({ endedAt }) => endedAt !== null)
  const run = chosen ?? last?.no ?? null
  return (
    <>
      {run === null ? (
        <section className="card">
          <h2>{t('monitor.found')}</h2>
          <p className="quiet">{t('monitor.noRun', { time: format.span(monitor.runMs) })}</p>
        </section>
      ) : (
        <MonitorReport monitor={monitor} run={run} />
      )}
      {monitor.history.length === 0 ? null : (
        <History runs={monitor.history} shown={run} onChoose={setChosen} />
      )}
    </>
  )
}

interface HistoryProps {
  runs: readonly RunView[]
  shown: number | null
  onChoose: (run: number) => void
}

function History({ runs, shown, onChoose }: HistoryProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const columns: ListColumn<RunView>[] = [
    { id: 'no', label: t('monitor.run'), cell: ({ no }) => format.count(no) },
    { id: 'startedAt', label: t('collection.begun'), as: 'moment' },
    {
      id: 'endedAt',
      label: t('collection.ended'),
      isTime: true,
      cell: ({ endedAt }) =>
        endedAt === null ? t('monitor.state.running') : format.moment(endedAt),
    },
    { id: 'deviations', label: t('monitor.deviations'), as: 'count' },
    {
      id: 'report',
      label: t('monitor.report'),
      content: ({ no, endedAt }) =>
        no === shown ? (
          t('monitor.shown')
        ) : (
          <Button
            isDisabled={endedAt === null}
            aria-label={t('monitor.showRun', { no })}
            onPress={() => onChoose(no)}
          >
            {t('monitor.show')}
          </Button>
        ),
    },
  ]
  return (
    <ListCard
      name="runs"
      caption={t('monitor.history')}
      columns={columns}
      rows={{ data: runs, error: null }}
      keyOf={({ no }) => no}
      firstSort="-no"
      fileName="runs"
      searchLabel={null}
      empty={null}
    />
  )
}
