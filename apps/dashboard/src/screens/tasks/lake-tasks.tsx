/** Tasks of queries, imports and mergings, read from the station page by page. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { LakeTaskState, LakeTaskView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { useStationNow } from '../../components/ago.tsx'
import { CopyBox } from '../../components/copy-box.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'

const EVERY_MS = 3_000
const KINDS: Record<LakeTaskState, StatusKind> = {
  ready: 'quiet',
  resting: 'warn',
  running: 'good',
  done: 'info',
  failed: 'bad',
  cancelled: 'quiet',
}
const STATES = ['ready', 'resting', 'running', 'done', 'failed', 'cancelled'] as const

export function LakeTasks() {
  const { t } = useTranslation()
  const { may } = useMe()
  const columns = useColumns()
  return (
    <ListCard
      caption={t('task.ofQueries')}
      columns={columns}
      keyOf={({ query, stage, index }) => `${query} ${stage} ${index}`}
      fileName="tasks"
      empty={
        <EmptyState title={t('task.none')} text={t('task.noneText')}>
          <Link to="/queries/new" className="button primary">
            {t('query.new')}
          </Link>
          <CopyBox text="minga up --workers 2" label={t('worker.start')} />
        </EmptyState>
      }
      pages={{
        key: ['tasks'],
        everyMs: EVERY_MS,
        read: async ({ filters, cursor, limit }) => {
          const { tasks, next } = await station('GET /tasks', {
            query: {
              state: filters['state'] ?? null,
              kind: filters['kind'] ?? null,
              worker: filters['worker'] ?? null,
              query: filters['query'] ?? null,
              after: cursor,
              limit,
            },
          })
          return { rows: tasks, cursor: next }
        },
      }}
      bulkActions={
        may('queries:run')
          ? [
              {
                label: t('task.cancel'),
                act: ({ query }) =>
                  station('POST /queries/{id}/cancel', { params: { id: query }, body: {} }),
                isFor: ({ queryState }) => queryState === 'running',
                isDanger: true,
                confirm: {
                  title: (count) => t('task.cancelMany', { count }),
                  text: t('task.cancelText'),
                  yes: t('query.cancelYes'),
                },
                touched: ['tasks'],
              },
            ]
          : []
      }
    />
  )
}

function useColumns(): ListColumn<LakeTaskView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  return [
    {
      id: 'query',
      label: t('query.query'),
      isAddress: true,
      filter: { kind: 'text' },
      cell: ({ query: id, queries }) => (
        <Link to="/queries/$id" params={{ id }}>
          {queries.join(', ')}
        </Link>
      ),
    },
    {
      id: 'kind',
      label: t('query.kindLabel'),
      cell: ({ kind }) => t(`query.kind.${kind}`),
      filter: choiceOf(['query', 'import', 'compact'], (value) => t(`query.kind.${value}`)),
    },
    {
      id: 'stage',
      label: t('task.stage'),
      value: ({ stage, index }) => `${stage} ${index}`,
      cell: ({ stage, about, index }) => (
        <span title={about}>
          {stage} <span className="quiet">#{index}</span>
        </span>
      ),
    },
    {
      id: 'state',
      label: t('query.stateLabel'),
      cell: (task) => <TaskState task={task} />,
      filter: choiceOf(STATES, (value) => t(`task.state.${value}`)),
    },
    {
      id: 'tries',
      label: t('task.tries'),
      isNumber: true,
      value: ({ attempts, deaths }) => attempts + deaths,
      cell: ({ attempts, deaths }) => (
        <span title={t('task.triesTitle', { attempts, deaths })}>
          {format.count(attempts + deaths)}
        </span>
      ),
    },
    {
      id: 'worker',
      label: t('worker.worker'),
      as: 'text',
      isAddress: true,
      filter: { kind: 'text' },
    },
    { id: 'leasedAt', label: t('task.lease'), as: 'ago', isNumber: true },
    {
      id: 'took',
      label: t('query.took'),
      isNumber: true,
      value: ({ leasedAt, endedAt }) =>
        leasedAt === null || endedAt === null ? null : endedAt - leasedAt,
      cell: ({ leasedAt, endedAt, state }) => {
        const end = endedAt ?? (state === 'running' ? now : null)
        if (leasedAt === null || end === null) return t('figure.unknown')
        return format.delay(Math.max(0, end - leasedAt))
      },
    },
    {
      id: 'error',
      label: t('task.error'),
      isAddress: true,
      value: ({ error }) => error?.code ?? null,
      cell: (task) => <TaskError task={task} />,
    },
  ]
}

function TaskState({ task }: { task: LakeTaskView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  const { state, readyAt, leasedUntil } = task
  const note =
    state === 'resting' && readyAt !== null
      ? t('task.againIn', { time: format.span(Math.max(0, readyAt - now)) })
      : state === 'running' && leasedUntil !== null && leasedUntil < now
        ? t('task.overdue')
        : null
  return (
    <>
      <StatusBadge kind={KINDS[state]} text={t(`task.state.${state}`)} />
      {note === null ? null : <span className="quiet"> {note}</span>}
    </>
  )
}

/** What was wrong the last time; of the task that made its query fail also the way to ask again. */
function TaskError({ task }: { task: LakeTaskView }) {
  const { t } = useTranslation()
  const { error, state, query } = task
  const { may } = useMe()
  const navigate = useNavigate()
  const again = useChange(async () => {
    const { id } = await station('POST /queries/{id}/again', { params: { id: query }, body: {} })
    await navigate({ to: '/queries/$id', params: { id } })
  }, ['tasks', 'queries'])
  if (error === null) return null
  return (
    <>
      <details className="task-error">
        <summary>
          <code>{error.code}</code>
        </summary>
        <p lang="en">{error.message}</p>
        {error.sql === null ? null : (
          <pre className="sql-text" lang="en" tabIndex={0}>
            {error.sql}
          </pre>
        )}
      </details>
      {state === 'failed' && may('queries:run') ? (
        <Button isDisabled={again.isPending} onPress={() => again.mutate(undefined)}>
          {t('query.again')}
        </Button>
      ) : null}
      <Failure error={again.error} />
    </>
  )
}
