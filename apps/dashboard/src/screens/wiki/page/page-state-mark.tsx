/** Whether the history of a page is whole. */
import { useTranslation } from 'react-i18next'
import { StatusBadge, type StatusKind } from '../../../components/status-badge.tsx'

export const PAGE_STATES = [
  'complete',
  'gapped',
  'extracting',
  'waiting',
  'redirect',
  'deleted',
  'missing',
] as const
const MARKS: Record<(typeof PAGE_STATES)[number], StatusKind> = {
  complete: 'info',
  gapped: 'warn',
  extracting: 'good',
  waiting: 'quiet',
  redirect: 'quiet',
  deleted: 'bad',
  missing: 'bad',
}

export function PageStateMark({ state }: { state: string }) {
  const { t } = useTranslation()
  const known = PAGE_STATES.find((one) => one === state)
  if (known === undefined) return <>{state}</>
  return <StatusBadge kind={MARKS[known]} text={t(`wiki.pageState.${known}`)} />
}
