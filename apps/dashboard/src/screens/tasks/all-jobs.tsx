/** Everything that works in the background in one list, whatever it is, with what can be done to it. */
import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { JobAct, JobView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { Ago, useStationNow } from '../../components/ago.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { placeOfJob } from './job-place.ts'
import { JOB_KINDS_SHOWN, JOB_MARKS, JOB_STATES_SHOWN } from './job-words.ts'

const EVERY_MS = 3_000
/** Of all that shows what such an act changes. */
const TOUCHED = ['jobs', 'tasks', 'wiki-tasks', 'queries', 'collections']

export function AllJobs() {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <ListCard
      name="job"
      caption={t('job.title')}
      columns={columns}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      fileName="jobs"
      empty={
        <EmptyState title={t('job.none')} text={t('job.noneText')}>
          <Link to="/new" className="button primary">
            {t('job.begin')}
          </Link>
        </EmptyState>
      }
      pages={{
        key: ['jobs'],
        everyMs: EVERY_MS,
        read: async ({ filters, cursor, limit }) => {
          const { jobs, next } = await station('GET /jobs', {
            query: {
              kind: JOB_KINDS_SHOWN.find((kind) => kind === filters['kind']) ?? null,
              state: JOB_STATES_SHOWN.find((state) => state === filters['state']) ?? null,
              after: cursor,
              limit,
            },
          })
          return { rows: jobs, cursor: next }
        },
      }}
      bulkActions={[
        {
          label: t('job.act.cancel'),
          act: (job) => actOnJob(job, 'cancel'),
          isFor: ({ acts }) => acts.includes('cancel'),
          isDanger: true,
          confirm: {
            title: (count) => t('job.cancelMany', { count }),
            text: t('job.cancelText'),
            yes: t('job.cancelYes'),
          },
          touched: TOUCHED,
        },
        {
          label: t('job.act.retry'),
          act: (job) => actOnJob(job, 'retry'),
          isFor: ({ acts }) => acts.includes('retry'),
          touched: TOUCHED,
        },
      ]}
    />
  )
}

function useColumns(): ListColumn<JobView>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'kind',
      label: t('query.kindLabel'),
      cell: ({ kind, about }) => (
        <>
          {t(`job.kind.${kind}`)}
          {about === null ? null : <span className="quiet"> {about}</span>}
        </>
      ),
      filter: choiceOf(JOB_KINDS_SHOWN, (value) => t(`job.kind.${value}`)),
    },
    {
      id: 'subject',
      label: t('job.subject'),
      isAddress: true,
      cell: (job) => <Subject job={job} />,
    },
    {
      id: 'state',
      label: t('query.stateLabel'),
      cell: ({ state }) => <StatusBadge kind={JOB_MARKS[state]} text={t(`job.state.${state}`)} />,
      filter: choiceOf(JOB_STATES_SHOWN, (value) => t(`job.state.${value}`)),
    },
    ...useFigures(),
    {
      id: 'error',
      label: t('task.error'),
      isAddress: true,
      value: ({ error }) => error?.code ?? error?.message ?? null,
      cell: (job) => <JobError job={job} />,
    },
    { id: 'acts', label: t('query.acts'), content: (job) => <JobActs job={job} /> },
  ]
}

function useFigures(): ListColumn<JobView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  return [
    { id: 'done', label: t('job.progress'), isNumber: true, cell: (job) => <Progress job={job} /> },
    { id: 'attempts', label: t('job.attempts'), as: 'count' },
    {
      id: 'at',
      label: t('query.asked'),
      isNumber: true,
      isTime: true,
      cell: ({ at }) => (at === 0 ? t('figure.unknown') : <Ago at={at} />),
    },
    {
      id: 'took',
      label: t('query.took'),
      isNumber: true,
      value: ({ startedAt, endedAt }) =>
        startedAt === null || endedAt === null ? null : endedAt - startedAt,
      cell: ({ startedAt, endedAt, state }) => {
        const end = endedAt ?? (state === 'running' ? now : null)
        if (startedAt === null || end === null) return t('figure.unknown')
        return format.delay(Math.max(0, end - startedAt))
      },
    },
  ]
}

function Subject({ job }: { job: JobView }) {
  const { t } = useTranslation()
  const place = placeOfJob(job)
  if (job.subject === '') return t('figure.unknown')
  return place === null ? <>{job.subject}</> : <Link {...place}>{job.subject}</Link>
}

/** Of how much; as a bar too, while it grows. */
function Progress({ job }: { job: JobView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { done, total, state, subject } = job
  if (done === null && total === null) return t('figure.unknown')
  if (total === null) return format.count(done ?? 0)
  if (done === null) return t('job.pending', { count: total })
  return (
    <>
      {t('query.ofTotal', { part: format.count(done), total: format.count(total) })}
      {state === 'running' && total > 0 ? (
        <progress max={total} value={Math.min(done, total)} aria-label={subject} />
      ) : null}
    </>
  )
}

function JobError({ job: { error } }: { job: JobView }) {
  if (error === null) return null
  if (error.code === null) return <span lang="en">{error.message}</span>
  return (
    <details className="task-error">
      <summary>
        <code>{error.code}</code>
      </summary>
      <p lang="en">{error.message}</p>
    </details>
  )
}

function JobActs({ job }: { job: JobView }) {
  const { t } = useTranslation()
  const { acts, subject } = job
  const change = useChange((act: JobAct) => actOnJob(job, act), TOUCHED)
  return (
    <div className="row-acts">
      {acts.map((act) =>
        act === 'cancel' ? (
          <ConfirmButton
            key={act}
            label={t('job.act.cancel')}
            title={t('job.cancelOne', { subject })}
            text={t('job.cancelText')}
            yes={t('job.cancelYes')}
            onConfirm={() => change.mutate('cancel')}
          />
        ) : (
          <Button key={act} isDisabled={change.isPending} onPress={() => change.mutate(act)}>
            {t(`job.act.${act}`)}
          </Button>
        ),
      )}
      <Failure error={change.error} />
    </div>
  )
}

/** By the verb of its own kind; the station has said which there are. */
function actOnJob({ kind, id, of }: JobView, act: JobAct): Promise<unknown> {
  const params = { id: of }
  switch (kind) {
    case 'collection':
      return act === 'retry' ? refused() : station(`POST /collections/{id}/${act}`, { params })
    case 'harvest':
      return act === 'retry' ? refused() : station(`POST /watches/{id}/harvest/${act}`, { params })
    case 'query':
      return station(`POST /queries/{id}/${act === 'retry' ? 'again' : 'cancel'}`, { params })
    case 'wiki': {
      const verb = act === 'retry' ? 'retry' : 'cancel'
      return station(`POST /wikis/tasks/{id}/${verb}`, { params: { id } })
    }
    case 'batch':
      return station('POST /batches/{id}/cancel', { params })
    case 'load-test':
      return station('POST /load-tests/{id}/abort', { params })
    default:
      return refused()
  }
}

const refused = (): Promise<never> => Promise.reject(new TypeError('Nothing can be done to it.'))
