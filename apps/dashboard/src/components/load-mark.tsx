import { useTranslation } from 'react-i18next'
import { StatusBadge, type StatusKind } from './status-badge.tsx'
import type { LoadTestView } from '../api/station-api.ts'

const KINDS: Record<LoadTestView['state'], StatusKind> = {
  unproven: 'warn',
  ready: 'info',
  preparing: 'quiet',
  running: 'good',
  finished: 'info',
  aborted: 'bad',
}

export function LoadMark({ test }: { test: Pick<LoadTestView, 'state'> }) {
  const { t } = useTranslation()
  return <StatusBadge kind={KINDS[test.state]} text={t(`load.state.${test.state}`)} />
}

/** In a list, where it is not checked whether a waiting test is proven. */
export function ListedLoadMark({ test }: { test: Pick<LoadTestView, 'state'> }) {
  const { t } = useTranslation()
  if (test.state !== 'unproven' && test.state !== 'ready') return <LoadMark test={test} />
  return <StatusBadge kind="quiet" text={t('load.waits')} />
}
