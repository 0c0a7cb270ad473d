/**
 * How long ago or until when, by the station's clock when it is known; the moment itself on hover and on focus.
 * In a list the focus is that of the row: a stop of the Tab key at every time would be too many.
 */
import { use } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive, useNow } from '../live/live-provider.tsx'
import { stationNow } from '../live/live-state.ts'
import { InList } from './list/in-list.ts'
import { useFormat } from './use-format.ts'

const EVERY_MS = 5_000

export function Ago({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  return <Moment at={at} text={t('captures.ago', { age: format.span(now - at) })} />
}

/** How long until then; what is overdue comes in no time. */
export function Ahead({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  return <Moment at={at} text={t('captures.ahead', { age: format.span(Math.max(0, at - now)) })} />
}

function Moment({ at, text }: { at: number; text: string }) {
  const format = useFormat()
  const isInList = use(InList)
  const moment = format.moment(at)
  return (
    <time
      className="ago"
      dateTime={new Date(at).toISOString()}
      title={moment}
      data-moment={moment}
      {...(isInList ? {} : { tabIndex: 0 })}
    >
      {text}
    </time>
  )
}

export function useStationNow(): number {
  const { state } = useLive()
  const now = useNow(EVERY_MS)
  return state === undefined ? now : stationNow(state, now)
}
