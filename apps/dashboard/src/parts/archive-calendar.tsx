/** The days of a year with captures; a day leads to the capture nearest to its noon. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CalendarDay } from '@minga/protocol'
import { useFormat } from './use-format.ts'

const HALF_DAY_MS = 43_200_000

export function ArchiveCalendar({ url, days }: { url: string; days: readonly CalendarDay[] }) {
  const { t } = useTranslation()
  const years = [...new Set(days.map(({ day }) => day.slice(0, 4)))].toReversed()
  const [chosen, setChosen] = useState<string | null>(null)
  const year = chosen ?? years[0]
  if (year === undefined) return null
  const months = Map.groupBy(
    days.filter(({ day }) => day.startsWith(year)),
    ({ day }) => day.slice(0, 7),
  )
  return (
    <>
      <label className="choice">
        <b>{t('archive.year')}</b>
        <select value={year} onChange={(event) => setChosen(event.target.value)}>
          {years.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <ul className="calendar">
        {[...months].map(([month, some]) => (
          <Month key={month} month={month} days={some} url={url} />
        ))}
      </ul>
      <p className="quiet">{t('archive.calendarNote')}</p>
    </>
  )
}

interface MonthProps {
  month: string
  days: readonly CalendarDay[]
  url: string
}

function Month({ month, days, url }: MonthProps) {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const name = new Intl.DateTimeFormat(i18n.language, { month: 'long', timeZone: 'UTC' })
  return (
    <li>
      <b>{name.format(Date.parse(`${month}-01`))}</b>
      <ul>
        {days.map(({ day, captures, changes }) => {
          const at = Date.parse(day)
          const what = t('archive.dayLabel', { day: format.day(at), captures, changes })
          return (
            <li key={day}>
              <Link
                to="/archive/url"
                search={{ url, at: at + HALF_DAY_MS }}
                className={changes > 0 ? 'day changed' : 'day'}
                title={what}
              >
                <span className="unseen">{what}</span>
                <span aria-hidden="true">{Number(day.slice(8))}</span>
                <small aria-hidden="true">
                  {captures}
                  {changes > 0 ? '*' : ''}
                </small>
              </Link>
            </li>
          )
        })}
      </ul>
    </li>
  )
}
