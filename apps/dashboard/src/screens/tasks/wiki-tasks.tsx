/** What wikis were asked for: how far each task is, what went wrong, and trying again. */
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiTaskState, WikiTaskView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyBox } from '../../components/copy-box.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'

const EVERY_MS = 5_000
const KINDS: Record<WikiTaskState, StatusKind> = {
  waiting: 'quiet',
  running: 'good',
  done: 'info',
  failed: 'bad',
  cancelled: 'quiet',
}

export function WikiTasks() {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <ListCard
      name="wiki"
      caption={t('task.ofWikis')}
      columns={columns}
      fileName="wiki-tasks"
      empty={
        <EmptyState title={t('task.wikiNone')}>
          <CopyBox text="minga wiki add https://…" label={t('task.wikiAdd')} />
        </EmptyState>
      }
      pages={{
        key: ['wiki-tasks'],
        everyMs: EVERY_MS,
        read: pagesAfter<WikiTaskView, number>(
          (before, limit) => station('GET /wikis/tasks', { query: { before, limit } }),
          ({ id }) => id,
        ),
      }}
    />
  )
}

function useColumns(): ListColumn<WikiTaskView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  return [
    { id: 'id', label: '#', as: 'text', isNumber: true },
    { id: 'wiki', label: t('task.wiki'), as: 'text', isAddress: true },
    { id: 'kind', label: t('query.kindLabel'), cell: ({ kind }) => <span lang="en">{kind}</span> },
    {
      id: 'state',
      label: t('query.stateLabel'),
      cell: ({ state }) => <StatusBadge kind={KINDS[state]} text={t(`task.wikiState.${state}`)} />,
    },
    {
      id: 'pages',
      label: t('figure.pages'),
      isNumber: true,
      value: ({ progress }) => progress.pagesDone,
      cell: ({ progress }) =>
        t('query.ofTotal', {
          part: format.count(progress.pagesDone),
          total: format.count(progress.pages),
        }),
    },
    {
      id: 'error',
      label: t('task.error'),
      isAddress: true,
      cell: ({ error, failed }) => (
        <>
          {error === null ? null : <span lang="en">{error}</span>}
          {failed === 0 ? null : (
            <span className="quiet"> {t('task.wikiFailed', { count: failed })}</span>
          )}
        </>
      ),
    },
    { id: 'createdAt', label: t('query.asked'), as: 'ago', isNumber: true },
    ...(may('collections:write')
      ? [
          {
            id: 'acts',
            label: t('query.acts'),
            content: (task: WikiTaskView) => <WikiTaskActs task={task} />,
          },
        ]
      : []),
  ]
}

function WikiTaskActs({ task }: { task: WikiTaskView }) {
  const { t } = useTranslation()
  const { id, state } = task
  const turn = useChange(
    (verb: 'cancel' | 'retry') => station(`POST /wikis/tasks/{id}/${verb}`, { params: { id } }),
    ['wiki-tasks'],
  )
  return (
    <div className="row-acts">
      {state === 'waiting' || state === 'running' ? (
        <ConfirmButton
          label={t('query.cancel')}
          title={t('task.wikiCancelTitle', { id })}
          text={t('task.wikiCancelText')}
          yes={t('task.wikiCancelYes')}
          onConfirm={() => turn.mutate('cancel')}
        />
      ) : null}
      {state === 'failed' || state === 'cancelled' ? (
        <Button isDisabled={turn.isPending} onPress={() => turn.mutate('retry')}>
          {t('task.retry')}
        </Button>
      ) : null}
      <Failure error={turn.error} />
    </div>
  )
}
