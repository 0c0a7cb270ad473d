import { useTranslation } from 'react-i18next'
import type { QueryState } from '@minga/protocol'
import { Mark, type MarkKind } from '../../parts/mark.tsx'

const KINDS: Record<QueryState, MarkKind> = {
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
  return <Mark kind={KINDS[state]} text={t(`query.state.${state}`)} />
}
