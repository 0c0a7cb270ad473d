/** The days of a year with captures; a day leads to the capture nearest to its noon. */
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { CalendarDay } from '@minga/protocol'
import { DayHeatMap } from './day-heat-map.tsx'
import { useFormat } from './use-format.ts'

const DAY_MS = 86_400_000

export function ArchiveCalendar({ url, days }: { url: string; days: readonly CalendarDay[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const byDay = useMemo(
    () => new Map(days.map((one) => [Date.parse(one.day) / DAY_MS, one])),
    [days],
  )
  const heat = useMemo(
    () => [...byDay].map(([day, { captures }]) => ({ day, value: captures })),
    [byDay],
  )
  const textOf = (day: number): string => {
    const { captures = 0, changes = 0 } = byDay.get(day) ?? {}
    return t('archive.dayLabel', { day: format.day(day * DAY_MS), captures, changes })
  }
  return (
    <>
      <DayHeatMap
        label={t('archive.calendar')}
        days={heat}
        textOf={textOf}
        markOf={(day) => ((byDay.get(day)?.changes ?? 0) > 0 ? '●' : '')}
        renderDay={(day, props) => (
          <Link to="/archive/url" search={{ url, at: day * DAY_MS + DAY_MS / 2 }} {...props} />
        )}
      />
      <p className="quiet">{t('archive.calendarNote')}</p>
    </>
  )
}
