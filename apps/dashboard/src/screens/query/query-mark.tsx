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

export function QueryMark({ state }: { state: QueryState }) {
  const { t } = useTranslation()
  return <Mark kind={KINDS[state]} text={t(`query.state.${state}`)} />
}
