import type { BatchView } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { StatusBadge, type StatusKind } from './status-badge.tsx'
import { useFormat } from './use-format.ts'

/** How much of a batch has ended, in any way. */
export function BatchProgress({ batch }: { batch: BatchView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { total, open } = batch
  const values = { done: format.count(total - open), total: format.count(total) }
  return (
    <div className="progress">
      <div
        className="bar"
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={total - open}
        aria-label={t('batch.progress', values)}
      >
        <div className="done" style={{ flexGrow: total - open }} />
        <div className="to-do" style={{ flexGrow: open }} />
      </div>
      <p className="legend" aria-hidden="true">
        {t('batch.progress', values)}
      </p>
    </div>
  )
}

const KINDS: Record<BatchView['state'], StatusKind> = {
  filling: 'quiet',
  running: 'good',
  ended: 'info',
  cancelled: 'bad',
}

export function BatchMark({ batch }: { batch: BatchView }) {
  const { t } = useTranslation()
  return <StatusBadge kind={KINDS[batch.state]} text={t(`batch.state.${batch.state}`)} />
}
