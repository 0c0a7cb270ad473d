/** The days of a watch as a calendar: darker where more visits were made, marked where it changed. */
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { WatchDay } from '@minga/protocol'
import { DayHeatMap } from '../../components/day-heat-map.tsx'
import { useFormat } from '../../components/use-format.ts'

const DAY_MS = 86_400_000

export function WatchHeat({ url, days }: { url: string; days: readonly WatchDay[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const navigate = useNavigate()
  const byDay = new Map(days.map((day) => [day.day, day]))
  const visited = days.filter(({ visits, failures }) => visits + failures > 0)
  const textOf = (day: number): string => {
    const { visits = 0, changes = 0, failures = 0 } = byDay.get(day) ?? {}
    const counts = { visits, changes, failures }
    return t('watch.dayLabel', { day: format.day(day * DAY_MS), ...counts })
  }
  const open = (day: number): void =>
    void navigate({ to: '/archive/url', search: { url, at: day * DAY_MS + DAY_MS / 2 } })
  if (visited.length === 0) return <p className="quiet">{t('watch.notVisited')}</p>
  return (
    <>
      <DayHeatMap
        label={t('watch.calendar')}
        days={visited.map(({ day, visits, failures }) => ({ day, value: visits + failures }))}
        textOf={textOf}
        markOf={(day) => ((byDay.get(day)?.changes ?? 0) > 0 ? '●' : '')}
        renderDay={(day, props) => <button type="button" {...props} onClick={() => open(day)} />}
      />
      <p className="quiet">{t('watch.calendarNote')}</p>
    </>
  )
}
