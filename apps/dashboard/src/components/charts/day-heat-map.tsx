/**
 * A year of days, darker where more happened. Days with something are links or buttons of which one
 * is in the order of the tab key; arrows lead to the others. The same days stand in a table below.
 */
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { dayByKey, heatYear, yearsOf, type HeatCell, type HeatDay } from './day-heat.ts'
import { useFormat } from '../use-format.ts'

const DAY_MS = 86_400_000
const MONTHS = Array.from({ length: 12 }, (_, month) => month)
/** Monday, Wednesday, Friday: the others are in between. */
const NAMED_WEEKDAYS = [0, 2, 4]

interface DayHeatMapProps {
  label: string
  days: readonly HeatDay[]
  /** What happened on a day, in words. */
  textOf: (day: number) => string
  /** A mark in addition to the shade, so that colour alone says nothing. */
  markOf?: (day: number) => string
  /** The way to the day, given what every such way needs. */
  renderDay: (day: number, props: HeatLinkProps) => ReactNode
}

export interface HeatLinkProps {
  'aria-label': string
  title: string
  tabIndex: number
  className: string
  'data-day': number
  children: ReactNode
}

export function DayHeatMap(props: DayHeatMapProps) {
  const { t } = useTranslation()
  const { days } = props
  const years = yearsOf(days)
  const [chosen, setChosen] = useState<number | null>(null)
  const year = chosen !== null && years.includes(chosen) ? chosen : years[0]
  if (year === undefined) return null
  return (
    <div className="heat">
      <label className="choice">
        <b>{t('heat.year')}</b>
        <select value={year} onChange={(event) => setChosen(Number(event.target.value))}>
          {years.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Year key={year} {...props} year={year} />
      <Scale />
      <details>
        <summary>{t('plot.table')}</summary>
        <DayRows {...props} year={year} />
      </details>
    </div>
  )
}

function Year(props: DayHeatMapProps & { year: number }) {
  const { label, days, year } = props
  const { i18n } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const shown = heatYear(year, days)
  const marked = shown.rows
    .flat()
    .flatMap((cell) => (cell === null || cell.value === null ? [] : [cell.day]))
    .toSorted((a, b) => a - b)
  const [current, setCurrent] = useState(marked.at(-1) ?? 0)
  const press = (event: KeyboardEvent): void => {
    const from = Number((event.target as HTMLElement).dataset['day'] ?? Number.NaN)
    const to = Number.isNaN(from) ? null : dayByKey(event.key, from, marked)
    if (to === null) return
    event.preventDefault()
    setCurrent(to)
    box.current?.querySelector<HTMLElement>(`[data-day="${to}"]`)?.focus()
  }
  const named = (options: Intl.DateTimeFormatOptions, at: number): string =>
    new Intl.DateTimeFormat(i18n.language, { ...options, timeZone: 'UTC' }).format(at)
  return (
    <div className="heat-box" ref={box} onKeyDown={press}>
      <table aria-label={`${label}, ${year}`}>
        <thead>
          <tr aria-hidden="true">
            <td />
            {MONTHS.map((month) => (
              <td key={month} colSpan={weeksOf(shown.months, month, shown.weeks)} className="month">
                {named({ month: 'short' }, Date.UTC(year, month, 1))}
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.rows.map((row, weekday) => (
            <tr key={weekday}>
              <th scope="row">
                <span className={NAMED_WEEKDAYS.includes(weekday) ? undefined : 'unseen'}>
                  {named({ weekday: 'short' }, Date.UTC(2024, 0, 1 + weekday))}
                </span>
              </th>
              {row.map((cell, week) => (
                <td key={week}>
                  {cell === null ? null : <Day {...props} cell={cell} current={current} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function weeksOf(months: readonly number[], month: number, weeks: number): number {
  return Math.max(1, (months[month + 1] ?? weeks) - months[month]!)
}

function Day(props: DayHeatMapProps & { cell: HeatCell; current: number }) {
  const { cell, current, textOf, markOf, renderDay } = props
  const { day, value, level } = cell
  if (value === null) return <span className="heat-day" />
  const text = textOf(day)
  return renderDay(day, {
    'aria-label': text,
    title: text,
    tabIndex: day === current ? 0 : -1,
    className: `heat-day level-${level}`,
    'data-day': day,
    children: <span aria-hidden="true">{markOf?.(day) ?? ''}</span>,
  })
}

function Scale() {
  const { t } = useTranslation()
  return (
    <p className="heat-scale quiet" aria-hidden="true">
      {t('heat.less')}
      {[0, 1, 2, 3, 4].map((level) => (
        <span key={level} className={`heat-day level-${level}`} />
      ))}
      {t('heat.more')}
    </p>
  )
}

function DayRows({ label, days, textOf, year }: DayHeatMapProps & { year: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const own = days.filter(({ day }) => new Date(day * DAY_MS).getUTCFullYear() === year)
  return (
    <table className="heat-rows">
      <caption className="unseen">{label}</caption>
      <thead>
        <tr>
          <th scope="col">{t('heat.day')}</th>
          <th scope="col">{t('heat.what')}</th>
        </tr>
      </thead>
      <tbody>
        {own.toReversed().map(({ day }) => (
          <tr key={day}>
            <th scope="row">{format.day(day * DAY_MS)}</th>
            <td>{textOf(day)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
