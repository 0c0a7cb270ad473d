import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'
import { shownState, type ShownState } from '../live/shown-state.ts'

/** Shape, text and colour: none alone carries the meaning. */
const SHAPES: Record<ShownState, string> = {
  running: '▶',
  paused: '❚❚',
  finished: '✔',
  cancelled: '✕',
  failed: '✖',
  'with-errors': '⚠',
  'at-limit': '◼',
  stopped: '◼',
}

export function StatePill({ collection }: { collection: Pick<Collection, 'state' | 'outcome'> }) {
  const { t } = useTranslation()
  const shown = shownState(collection)
  return (
    <span className={`pill ${shown}`}>
      <span aria-hidden="true">{SHAPES[shown]} </span>
      {t(`state.${shown}`)}
    </span>
  )
}
