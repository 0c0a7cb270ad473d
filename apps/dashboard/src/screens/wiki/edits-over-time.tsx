/** When a wiki, a page or an editor was busy; a span may be chosen, by drawing it or by its days. */
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiScope } from '../../api/wikis.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import {
  dayText,
  editSeries,
  fittingUnit,
  isTooFine,
  UNITS,
  type DayCount,
  type Unit,
} from './edit-series.ts'
import { EditsChart } from './edits-chart.tsx'
import { useDays } from './history-figures.ts'

export interface DaySpan {
  from?: string
  until?: string
}

interface EditsOverTimeProps {
  wiki: string
  scope: Omit<WikiScope, 'from' | 'until'>
  span?: DaySpan
  onSpan?: (span: DaySpan) => void
}

export function EditsOverTime({ wiki, scope, span = {}, onSpan }: EditsOverTimeProps) {
  const { t } = useTranslation()
  const days = useDays(wiki, scope)
  return (
    <section className="card">
      <h2>{t('wikiFigure.overTime')}</h2>
      <Loaded query={days}>
        {(told) =>
          told.length === 0 ? (
            <p className="quiet">{t('wikiFigure.noEdits')}</p>
          ) : (
            <Chosen days={told} span={span} {...(onSpan === undefined ? {} : { onSpan })} />
          )
        }
      </Loaded>
    </section>
  )
}

interface ChosenProps {
  days: readonly DayCount[]
  span: DaySpan
  onSpan?: (span: DaySpan) => void
}

function Chosen({ days, span, onSpan }: ChosenProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { from, until } = span
  const shown = useMemo(
    () =>
      days.filter(
        ({ day }) => (from === undefined || day >= from) && (until === undefined || day <= until),
      ),
    [days, from, until],
  )
  const [asked, setAsked] = useState<Unit | null>(null)
  const unit = asked === null || isTooFine(shown, asked) ? fittingUnit(shown) : asked
  const { at, edits } = useMemo(() => editSeries(shown, unit), [shown, unit])
  const sum = shown.reduce((total, day) => total + day.edits, 0)
  const label = t('wikiFigure.overTimeLabel', {
    edits: format.count(sum),
    from: format.day(at[0] ?? 0),
    until: format.day(at.at(-1) ?? 0),
  })
  return (
    <>
      <div className="chart-tools">
        <UnitChoice days={shown} unit={unit} onUnit={setAsked} />
        {onSpan === undefined ? null : <SpanFields days={days} span={span} onSpan={onSpan} />}
      </div>
      <EditsChart
        label={label}
        at={at}
        unit={unit}
        lines={[{ label: t('wikiFigure.edits'), edits }]}
        {...(onSpan === undefined
          ? {}
          : { onSpan: (first: string, last: string) => onSpan({ from: first, until: last }) })}
      />
      {onSpan === undefined ? null : <p className="quiet">{t('wikiFigure.brush')}</p>}
    </>
  )
}

interface UnitChoiceProps {
  days: readonly DayCount[]
  unit: Unit
  onUnit: (unit: Unit) => void
}

export function UnitChoice({ days, unit, onUnit }: UnitChoiceProps) {
  const { t } = useTranslation()
  return (
    <label className="choice">
      <b>{t('wikiFigure.per')}</b>
      <select value={unit} onChange={({ target }) => onUnit(target.value as Unit)}>
        {UNITS.map((one) => (
          <option key={one} value={one} disabled={isTooFine(days, one)}>
            {t(`wikiFigure.unit.${one}`)}
          </option>
        ))}
      </select>
    </label>
  )
}

function SpanFields({ days, span, onSpan }: Required<ChosenProps>) {
  const { t } = useTranslation()
  const inOrder = days.map(({ day }) => day).toSorted()
  const bounds = { min: inOrder[0], max: dayText(Date.parse(inOrder.at(-1)!)) }
  const field = (end: 'from' | 'until') => (
    <label className="choice">
      <b>{t(`wikiFigure.${end}`)}</b>
      <input
        type="date"
        {...bounds}
        value={span[end] ?? ''}
        onChange={({ target }) => {
          const { [end]: _, ...other } = span
          onSpan(target.value === '' ? other : { ...other, [end]: target.value })
        }}
      />
    </label>
  )
  return (
    <>
      {field('from')}
      {field('until')}
      {span.from === undefined && span.until === undefined ? null : (
        <Button className="plain" onPress={() => onSpan({})}>
          {t('wikiFigure.allTime')}
        </Button>
      )}
    </>
  )
}
