/** Workers of the station: what each has in progress, why it is idle, and draining it. */
import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WorkerView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { programOrigin } from '../../components/own-address.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'

const EVERY_MS = 2_000
const MB = 1_000_000

export function WorkersScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="workers:run" title={t('worker.title')}>
      <h1>{t('worker.title')}</h1>
      <p className="quiet">{t('worker.lead')}</p>
      <Workers />
    </RequirePermission>
  )
}

function Workers() {
  const { t } = useTranslation()
  const format = useFormat()
  const workers = useStation(['workers'], 'GET /workers', { refetchInterval: EVERY_MS })
  const columns = useColumns()
  const all = workers.data ?? []
  return (
    <>
      <FiguresList
        className="tiles"
        figures={[
          { label: t('worker.count'), value: format.count(all.length) },
          { label: t('worker.busy'), value: format.count(all.filter(isBusy).length) },
          { label: t('worker.drained'), value: format.count(all.filter(isResting).length) },
          {
            label: t('worker.tasksDone'),
            value: format.count(all.reduce((sum, { tasksDone }) => sum + tasksDone, 0)),
          },
        ]}
      />
      <ListCard
        caption={t('worker.list')}
        columns={columns}
        rows={workers}
        keyOf={({ boot }) => boot}
        fileName="workers"
        firstSort="name"
        empty={<NoWorkers />}
        bulkActions={[
          {
            label: t('worker.drain'),
            act: ({ boot }) => station('POST /workers/{boot}/drain', { params: { boot } }),
            isFor: ({ isDrained }) => !isDrained,
            touched: ['workers'],
          },
          {
            label: t('worker.resume'),
            act: ({ boot }) => station('POST /workers/{boot}/resume', { params: { boot } }),
            isFor: isResting,
            touched: ['workers'],
          },
        ]}
      />
    </>
  )
}

const isBusy = ({ task }: WorkerView): boolean => task !== null
const isResting = ({ isDrained }: WorkerView): boolean => isDrained

function NoWorkers() {
  const { t } = useTranslation()
  return (
    <EmptyState title={t('worker.none')} text={t('worker.noneText')}>
      <CopyBox text="minga up --workers 2" label={t('worker.start')} />
      <CopyBox
        text={`minga worker run --station ${programOrigin(location.origin)} --key "$KEY"`}
        label={t('worker.startElsewhere')}
      />
    </EmptyState>
  )
}

function useColumns(): ListColumn<WorkerView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      id: 'name',
      label: t('people.name'),
      isAddress: true,
      cell: ({ name, engine }) => (
        <>
          {name}
          <span className="quiet">DuckDB {engine}</span>
        </>
      ),
    },
    {
      id: 'machine',
      label: t('worker.machine'),
      isAddress: true,
      value: ({ machine, address }) => machine ?? address,
      cell: ({ machine, address, pid }) => (
        <>
          {machine ?? address}
          {pid === null ? null : <span className="quiet">{t('worker.pid', { pid })}</span>}
        </>
      ),
    },
    {
      id: 'state',
      label: t('worker.does'),
      value: ({ idle }) => idle ?? 'busy',
      cell: (worker) => <WorkerState worker={worker} />,
    },
    {
      id: 'memoryMb',
      label: t('worker.memory'),
      isNumber: true,
      cell: ({ memoryMb }) =>
        memoryMb === null ? t('figure.unknown') : format.bytes(memoryMb * MB),
    },
    { id: 'tasksDone', label: t('worker.tasksDone'), as: 'count' },
    { id: 'since', label: t('worker.since'), as: 'ago', isNumber: true },
    { id: 'seenAt', label: t('worker.seen'), as: 'ago', isNumber: true, isHidden: true },
    { id: 'acts', label: t('query.acts'), content: (worker) => <WorkerActs worker={worker} /> },
  ]
}

function WorkerState({ worker }: { worker: WorkerView }) {
  const { t } = useTranslation()
  const { task, idle, isDrained } = worker
  if (task === null) {
    const kind: StatusKind = idle === 'drained' ? 'warn' : 'quiet'
    return (
      <span className="worker-state">
        <StatusBadge kind={kind} text={t(`worker.idle.${idle ?? 'waiting'}`)} />
      </span>
    )
  }
  return (
    <span className="worker-state">
      <StatusBadge
        kind={isDrained ? 'warn' : 'good'}
        text={t(isDrained ? 'worker.draining' : 'worker.works')}
      />{' '}
      <Link to="/queries/$id" params={{ id: task.query }}>
        {task.stage} #{task.index}
      </Link>
    </span>
  )
}

function WorkerActs({ worker }: { worker: WorkerView }) {
  const { t } = useTranslation()
  const { boot, name, isDrained } = worker
  const verb = isDrained ? 'resume' : 'drain'
  const turn = useChange(
    () => station(`POST /workers/{boot}/${verb}`, { params: { boot } }),
    ['workers'],
  )
  return (
    <div className="row-acts">
      <Button
        aria-label={t(`worker.${verb}One`, { name })}
        isDisabled={turn.isPending}
        onPress={() => turn.mutate(undefined)}
      >
        {t(`worker.${verb}`)}
      </Button>
      <Failure error={turn.error} />
    </div>
  )
}
