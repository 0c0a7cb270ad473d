import { useTranslation } from 'react-i18next'
import type { CollectionState } from '../api/api-types.ts'

/** Shape, text and colour: none alone carries the meaning. */
const SHAPES: Record<CollectionState, string> = {
  running: '▶',
  paused: '❚❚',
  finished: '✔',
  cancelled: '✕',
}

export function StatePill({ state }: { state: CollectionState }) {
  const { t } = useTranslation()
  return (
    <span className={`pill ${state}`}>
      <span aria-hidden="true">{SHAPES[state]} </span>
      {t(`state.${state}`)}
    </span>
  )
}
