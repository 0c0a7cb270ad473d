import { useTranslation } from 'react-i18next'
import type { QueryState } from '@minga/protocol'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'

const KINDS: Record<QueryState, StatusKind> = {
  running: 'good',
  done: 'info',
  failed: 'bad',
  cancelled: 'quiet',
  abandoned: 'warn',
}

/** All that a list can be narrowed to. */
export const QUERY_STATES = Object.keys(KINDS) as QueryState[]

export function QueryMark({ state }: { state: QueryState }) {
  const { t } = useTranslation()
  return <StatusBadge kind={KINDS[state]} text={t(`query.state.${state}`)} />
}
