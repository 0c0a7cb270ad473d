import { useTranslation } from 'react-i18next'
import { useLive, useNow } from '../live/live-provider.tsx'
import { isStale } from '../live/live-state.ts'
import { useFormat } from './use-format.ts'

export function StaleBanner() {
  const { t } = useTranslation()
  const format = useFormat()
  const { state } = useLive()
  const now = useNow(1_000)
  // The region is there before its text, else screen readers miss the first one.
  return (
    <div role="alert" aria-atomic="false">
      {state !== undefined && isStale(state, now) ? (
        <p className="banner warning">
          <span aria-hidden="true">⚠ </span>
          {t('live.stale', { age: format.span(now - state.receivedAt) })}
        </p>
      ) : null}
    </div>
  )
}
