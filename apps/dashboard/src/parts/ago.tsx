/** How long ago, by the station's clock when it is known; the moment itself on hover. */
import { useTranslation } from 'react-i18next'
import { useLive, useNow } from '../live/live-provider.tsx'
import { stationNow } from '../live/live-state.ts'
import { useFormat } from './use-format.ts'

const EVERY_MS = 5_000

export function Ago({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={format.moment(at)}>
      {t('captures.ago', { age: format.span(now - at) })}
    </time>
  )
}

export function useStationNow(): number {
  const { state } = useLive()
  const now = useNow(EVERY_MS)
  return state === undefined ? now : stationNow(state, now)
}
