/** Tasks of a query or a stage: done, under way, still to do. */
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../components/use-format.ts'

interface TaskBarProps {
  done: number
  running: number
  total: number
  /** Without the words below it, where there is no room. */
  isSmall?: boolean
}

export function TaskBar({ done, running, total, isSmall = false }: TaskBarProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const toDo = Math.max(0, total - done - running)
  const words = { done: format.count(done), out: format.count(running), toDo: format.count(toDo) }
  return (
    <div className={`progress${isSmall ? ' small' : ''}`}>
      <div
        className="bar"
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={Math.max(1, total)}
        aria-valuenow={done}
        aria-label={t('query.barLabel', words)}
      >
        <div className="done" style={{ flexGrow: done }} />
        <div className="out" style={{ flexGrow: running }} />
        <div className="to-do" style={{ flexGrow: toDo }} />
      </div>
      {isSmall ? null : (
        <p className="legend" aria-hidden="true">
          <span className="done">
            <b>{words.done}</b> {t('bar.done')}
          </span>
          <span className="out">
            <b>{words.out}</b> {t('query.running')}
          </span>
          <span className="to-do">
            <b>{words.toDo}</b> {t('bar.toDo')}
          </span>
        </p>
      )}
    </div>
  )
}
