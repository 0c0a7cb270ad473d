import { useTranslation } from 'react-i18next'
import { progressOf, type Counted } from '../../live/figures.ts'
import { useFormat } from '../use-format.ts'

interface ProgressBarProps {
  counts: Counted
  /** In a row of a list: the bar alone, with its share next to it. */
  isInline?: boolean
  /** What was found is not all there is, so no share of it would be true. */
  isOpen?: boolean
}

/** Done, failed, out with agents, to do: the parts of what was found so far. */
export function ProgressBar({ counts, isInline = false, isOpen = false }: ProgressBarProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const progress = progressOf(counts)
  const done = format.count(progress.done)
  const out = format.count(progress.out)
  const toDo = format.count(progress.toDo)
  const failed = format.count(progress.failed)
  const label = t('bar.label', { done, out, toDo })
  const known = isOpen ? {} : { 'aria-valuemax': counts.found, 'aria-valuenow': progress.done }
  return (
    <div className={isInline ? 'progress inline' : 'progress'}>
      <div
        className={isOpen ? 'bar open' : 'bar'}
        role="progressbar"
        aria-valuemin={0}
        {...known}
        aria-label={progress.failed === 0 ? label : t('bar.withFailed', { bar: label, failed })}
      >
        <div className="done" style={{ flexGrow: progress.done - progress.failed }} />
        <div className="failed" style={{ flexGrow: progress.failed }} />
        <div className="out" style={{ flexGrow: progress.out }} />
        <div className="to-do" style={{ flexGrow: progress.toDo }} />
      </div>
      {isInline ? (
        <span className="share-done">
          {isOpen || counts.found === 0 ? '–' : format.percent(progress.done / counts.found)}
        </span>
      ) : (
        <p className="legend" aria-hidden="true">
          <span className="done">
            <b>{done}</b> {t('bar.done')}
          </span>
          {progress.failed === 0 ? null : (
            <span className="failed">
              <b>{failed}</b> {t('bar.failed')}
            </span>
          )}
          <span className="out">
            <b>{out}</b> {t('bar.out')}
          </span>
          <span className="to-do">
            <b>{toDo}</b> {t('bar.toDo')}
          </span>
        </p>
      )}
    </div>
  )
}
