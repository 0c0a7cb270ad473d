import { useTranslation } from 'react-i18next'
import { useStationNow } from './ago.tsx'
import { useFormat } from './use-format.ts'

/** In how long; the moment itself on hover. */
export function TimeUntil({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const left = at - useStationNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={format.moment(at)}>
      {left <= 0 ? t('wikiSchedule.now') : t('wikiSchedule.in', { time: format.span(left) })}
    </time>
  )
}
