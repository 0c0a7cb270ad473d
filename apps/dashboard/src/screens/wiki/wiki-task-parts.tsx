/** What a list of tasks and a task in full both show. */
import { useTranslation } from 'react-i18next'
import type { WikiTaskState, WikiTaskView } from '@minga/protocol'
import { useStationNow } from '../../components/ago.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { outlookOf } from './task-outlook.ts'

const KINDS = ['extract', 'update', 'import', 'metric'] as const

/** A word that the texts have. */
export function kindOf(kind: string): (typeof KINDS)[number] {
  return KINDS.find((known) => known === kind) ?? 'extract'
}

export function addressOf({ arguments: given }: WikiTaskView): string {
  const address = given['address'] ?? given['api']
  return typeof address === 'string' ? address : ''
}

const MARKS: Record<WikiTaskState, StatusKind> = {
  waiting: 'quiet',
  running: 'good',
  done: 'info',
  failed: 'bad',
  cancelled: 'warn',
}

export function TaskMark({ state }: { state: WikiTaskState }) {
  const { t } = useTranslation()
  return <StatusBadge kind={MARKS[state]} text={t(`wikiTask.is.${state}`)} />
}

/** Of the requests that are known so far, those that were answered. */
export function TaskBar({ task }: { task: WikiTaskView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  const { share, leftMs } = outlookOf(task, now)
  const { pages, pagesDone, requests } = task.progress
  const text = t('wikiTask.pagesOf', { done: format.count(pagesDone), pages: format.count(pages) })
  return (
    <div className="progress">
      <div
        className="bar"
        role="progressbar"
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(share === null ? {} : { 'aria-valuenow': Math.round(share * 100) })}
      >
        <div className="done" style={{ flexGrow: share ?? 0 }} />
        <div className="to-do" style={{ flexGrow: 1 - (share ?? 0) }} />
      </div>
      <small>
        {pages === 0 ? t('wikiTask.requests', { count: requests }) : text}
        {leftMs === null || leftMs === 0
          ? ''
          : ` · ${t('wikiTask.left', { time: format.span(leftMs) })}`}
      </small>
    </div>
  )
}
