/** Extractions and updates: how far each is, and what can be done about it. */
import { useSearch, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WikiTaskView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { ListCard } from '../../components/list/list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { isOpen, outlookOf } from './task-outlook.ts'
import { parseNumber, type WikiParams } from './wiki-params.ts'
import { addressOf, kindOf, TaskBar, TaskMark } from './wiki-task-parts.tsx'
import { WikiTaskCard } from './wiki-task-card.tsx'

/** While something runs, and while nothing does. */
const BUSY_MS = 2_000
const QUIET_MS = 15_000
const ROWS = 50

export function WikiTasks({ wiki }: { wiki: string | null }) {
  const { t } = useTranslation()
  const params: WikiParams = useSearch({ strict: false })
  const id = parseNumber(params.task)
  const [isBusy, setIsBusy] = useState(false)
  const columns = useColumns(wiki)
  return (
    <>
      {id === null ? null : <WikiTaskCard key={id} id={id} />}
      <ListCard
        name="tasks"
        caption={t('wikiTask.title')}
        columns={columns}
        keyOf={(task) => task.id}
        fileName="wiki-tasks"
        empty={<p className="quiet">{t('wikiTask.none')}</p>}
        pages={{
          key: ['wiki-tasks', wiki],
          everyMs: isBusy ? BUSY_MS : QUIET_MS,
          limit: ROWS,
          read: pagesAfter(
            async (cursor, limit) => {
              const tasks = await station('GET /wikis/tasks', {
                query: { wiki, before: cursor, limit },
              })
              if (cursor === null) setIsBusy(tasks.some(isOpen))
              return tasks
            },
            (last) => last.id,
          ),
        }}
      />
    </>
  )
}

function useColumns(wiki: string | null): ListColumn<WikiTaskView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      id: 'id',
      label: t('wikiTask.task'),
      isAddress: true,
      cell: (task) => <TaskName task={task} wiki={wiki} />,
    },
    { id: 'state', label: t('wikiTask.state'), cell: ({ state }) => <TaskMark state={state} /> },
    {
      id: 'progress',
      label: t('wikiTask.progress'),
      value: (task) => outlookOf(task, 0).share,
      cell: (task) => <TaskBar task={task} />,
    },
    {
      id: 'revisions',
      label: t('wikiFigure.revisions'),
      as: 'count',
      value: ({ progress }) => progress.revisions,
    },
    {
      id: 'trouble',
      label: t('wikiTask.trouble'),
      value: troublesOf,
      cell: (task) =>
        troublesOf(task) === 0 ? (
          ''
        ) : (
          <StatusBadge kind="warn" text={format.count(troublesOf(task))} />
        ),
    },
    { id: 'createdAt', label: t('wikiTask.asked'), as: 'ago', isNumber: true },
  ]
}

const troublesOf = ({ progress, failed }: WikiTaskView): number =>
  progress.warnings.length + progress.missing.length + failed

function TaskName({ task, wiki }: { task: WikiTaskView; wiki: string | null }) {
  const { t } = useTranslation()
  const { id, kind } = task
  return (
    <>
      <Link
        to="."
        search={((former: object) => ({ ...former, task: id })) as never}
        resetScroll={false}
      >
        {t('wikiTask.named', { id, kind: t(`wikiTask.kind.${kindOf(kind)}`) })}
      </Link>
      {wiki === null ? <span>{task.wiki ?? addressOf(task)}</span> : null}
    </>
  )
}
