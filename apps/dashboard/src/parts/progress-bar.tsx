import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'
import { progressOf } from '../live/figures.ts'
import { useFormat } from './use-format.ts'

/** Done, out with agents, to do: the three parts of what was found so far. */
export function ProgressBar({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const format = useFormat()
  const progress = progressOf(collection)
  const done = format.count(progress.done)
  const out = format.count(progress.out)
  const toDo = format.count(progress.toDo)
  return (
    <div className="progress">
      <div
        className="bar"
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={collection.found}
        aria-valuenow={progress.done}
        aria-label={t('bar.label', { done, out, toDo })}
      >
        <div className="done" style={{ flexGrow: progress.done }} />
        <div className="out" style={{ flexGrow: progress.out }} />
        <div className="to-do" style={{ flexGrow: progress.toDo }} />
      </div>
      <p className="legend" aria-hidden="true">
        <span className="done">
          <b>{done}</b> {t('bar.done')}
        </span>
        <span className="out">
          <b>{out}</b> {t('bar.out')}
        </span>
        <span className="to-do">
          <b>{toDo}</b> {t('bar.toDo')}
        </span>
      </p>
    </div>
  )
}
