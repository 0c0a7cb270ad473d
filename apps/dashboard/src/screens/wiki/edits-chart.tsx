/** Edits over time: bars of one history, lines of several. A span can be drawn with the pointer. */
import { useState, type PointerEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { PlotTable } from '../../components/charts/plot-table.tsx'
import { useWidth } from '../../components/charts/use-width.ts'
import { POINTS_LEAST, timeAxis, wholeTicks } from '../../components/time-axis.ts'
import { TooFew } from '../../components/too-few.tsx'
import { useFormat } from '../../components/use-format.ts'
import { labelledPlaces } from './chart-scale.ts'
import { dayText, nextStart, type Unit } from './edit-series.ts'

interface ChartLine {
  label: string
  edits: readonly number[]
}

interface EditsChartProps {
  label: string
  at: readonly number[]
  unit: Unit
  lines: readonly ChartLine[]
  /** Called with the first and the last day; without it no span can be drawn. */
  onSpan?: (from: string, until: string) => void
}

const HEIGHT = 180
const LEFT = 48
const BOTTOM = 24
const TOP = 6
const LABEL_PX = 110
const TABLE_ROWS = 200

export function EditsChart(props: EditsChartProps) {
  const { label, lines } = props
  const [box, width] = useWidth(0)
  return (
    <figure className="plot edits-chart">
      {lines.length < 2 ? null : (
        <figcaption>
          {lines.map((line, i) => (
            <span key={i} className="line-key">
              <svg viewBox="0 0 26 8" aria-hidden="true">
                <path className={`line-${i}`} d="M0 4H26" />
              </svg>{' '}
              {line.label}
            </span>
          ))}
        </figcaption>
      )}
      {props.at.length < POINTS_LEAST ? (
        <TooFew count={props.at.length} />
      ) : (
        <div ref={box} className="chart-box" role="img" aria-label={label}>
          {width === 0 ? null : <Drawing {...props} width={width} />}
        </div>
      )}
      <EditsTable {...props} />
    </figure>
  )
}

function Drawing({ at, unit, lines, onSpan, width }: EditsChartProps & { width: number }) {
  const format = useFormat()
  const labelsMost = Math.floor((width - LEFT) / LABEL_PX)
  const axis = timeAxis(at, { zone: 'utc', isDaily: true, labelsMost })
  if (axis === null) return null
  const highest = lines.flatMap(({ edits }) => edits).reduce((a, b) => Math.max(a, b), 0)
  const steps = wholeTicks(highest, 4)
  const inner = { width: width - LEFT, height: HEIGHT - BOTTOM - TOP }
  const step = inner.width / Math.max(1, at.length)
  const x = (place: number): number => LEFT + place * step
  const y = (edits: number): number => TOP + inner.height * (1 - edits / steps.at(-1)!)
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT}>
      {steps.map((figure) => (
        <g key={figure}>
          <path className="grid" d={`M${LEFT} ${y(figure)}H${width}`} />
          <text className="figure" x={LEFT - 8} y={y(figure) + 4} textAnchor="end">
            {format.count(figure)}
          </text>
        </g>
      ))}
      {labelledPlaces(at, axis).map(({ place, moment }) => (
        <text key={place} className="figure" x={x(place)} y={HEIGHT - 6}>
          {format.tick(moment, axis.unit, true)}
        </text>
      ))}
      {lines.length === 1 ? (
        <path className="bars" d={barsOf(lines[0]!.edits, { x, y, step })} />
      ) : (
        lines.map(({ edits }, i) => (
          <path key={i} className={`line-${i}`} d={lineOf(edits, { x, y, step })} />
        ))
      )}
      {onSpan === undefined ? null : (
        <Brush at={at} unit={unit} step={step} width={inner.width} onSpan={onSpan} />
      )}
    </svg>
  )
}

interface Scales {
  x: (place: number) => number
  y: (edits: number) => number
  step: number
}

/** One path for all: thousands of elements would be slow. */
function barsOf(edits: readonly number[], { x, y, step }: Scales): string {
  const gap = step > 4 ? 1 : 0
  return edits
    .map((count, place) =>
      count === 0
        ? ''
        : `M${x(place).toFixed(1)} ${y(0)}V${y(count).toFixed(1)}h${Math.max(0.6, step - gap).toFixed(1)}V${y(0)}z`,
    )
    .join('')
}

function lineOf(edits: readonly number[], { x, y, step }: Scales): string {
  return edits
    .map(
      (count, place) =>
        `${place === 0 ? 'M' : 'L'}${(x(place) + step / 2).toFixed(1)} ${y(count).toFixed(1)}`,
    )
    .join('')
}

interface BrushProps extends Required<Pick<EditsChartProps, 'at' | 'unit' | 'onSpan'>> {
  step: number
  width: number
}

function Brush({ at, unit, step, width, onSpan }: BrushProps) {
  const [drawn, setDrawn] = useState<{ from: number; until: number } | null>(null)
  const placeOf = (event: PointerEvent<SVGRectElement>): number => {
    const { left } = event.currentTarget.getBoundingClientRect()
    const place = Math.floor((event.clientX - left) / step)
    return Math.min(at.length - 1, Math.max(0, place))
  }
  const end = (): void => {
    if (drawn === null) return
    const [first, last] = [Math.min(drawn.from, drawn.until), Math.max(drawn.from, drawn.until)]
    setDrawn(null)
    onSpan(dayText(at[first]!), dayText(nextStart(at[last]!, unit) - 1))
  }
  const first = drawn === null ? 0 : Math.min(drawn.from, drawn.until)
  const count = drawn === null ? 0 : Math.abs(drawn.until - drawn.from) + 1
  return (
    <>
      {drawn === null ? null : (
        <rect
          className="brushed"
          x={LEFT + first * step}
          y={TOP}
          width={count * step}
          height={HEIGHT - BOTTOM - TOP}
        />
      )}
      <rect
        className="brush"
        x={LEFT}
        y={TOP}
        width={width}
        height={HEIGHT - BOTTOM - TOP}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          const place = placeOf(event)
          setDrawn({ from: place, until: place })
        }}
        onPointerMove={(event) => {
          if (drawn !== null) setDrawn({ ...drawn, until: placeOf(event) })
        }}
        onPointerUp={end}
        onPointerCancel={() => setDrawn(null)}
      />
    </>
  )
}

function EditsTable({ label, at, lines }: EditsChartProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const places = at.map((_, place) => place)
  const listed = places.filter((place) => lines.some(({ edits }) => edits[place]! > 0)).toReversed()
  return (
    <details>
      <summary>{t('plot.table')}</summary>
      <PlotTable
        caption={label}
        heads={[t('wikiFigure.since'), ...lines.map((line) => line.label)]}
        rows={listed.slice(0, TABLE_ROWS).map((place) => ({
          key: place,
          cells: [format.day(at[place]!), ...lines.map(({ edits }) => format.count(edits[place]!))],
        }))}
      />
    </details>
  )
}
