/** Figures over days as lines, bars and marks, with the same figures as a table. */
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import UPlot from 'uplot'
import { PlotTable } from './plot-table.tsx'
import type { Format } from '../../format.ts'
import { overTime, PlotCanvas, type Colour, type Drawn } from './plot-frame.tsx'
import { POINTS_LEAST } from '../time-axis.ts'
import { TooFew } from '../too-few.tsx'
import { useFormat } from '../use-format.ts'

const TABLE_ROWS = 60

interface DayPlotProps {
  label: string
  /** Seconds since the Unix epoch, in order. */
  at: readonly number[]
  series: readonly DaySeries[]
  unit: 'count' | 'bytes'
}

export function DayPlot(props: DayPlotProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { label, series } = props
  return (
    <figure className="plot">
      <figcaption>
        {series.map((one) => (
          <span key={one.label}>
            <LegendMark look={one.look} colour={one.colour} /> {one.label}
          </span>
        ))}
      </figcaption>
      {props.at.length < POINTS_LEAST ? (
        <TooFew count={props.at.length} />
      ) : (
        <Canvas {...props} format={format} />
      )}
      <details>
        <summary>{t('plot.table')}</summary>
        <DayTable {...props} label={label} format={format} />
      </details>
    </figure>
  )
}

/** The text next to it says the same. */
function LegendMark({ look, colour }: Pick<DaySeries, 'look' | 'colour'>) {
  return (
    <svg className={`day-mark ${colour.slice(2)}`} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[look]}
    </svg>
  )
}

const SHAPES: Record<DayLook, React.ReactNode> = {
  line: <path d="M0 8H16" />,
  bar: <rect className="filled" x="4" y="3" width="8" height="11" />,
  dot: <circle className="filled" cx="8" cy="8" r="4" />,
  ring: <circle cx="8" cy="8" r="4" />,
  cross: <path d="M4 4L12 12M4 12L12 4" />,
}

function Canvas({ label, at, series, unit, format }: DayPlotProps & { format: Format }) {
  const draw = useCallback(
    (colour: Colour) => drawnAs(colour, { series, unit, format }),
    [series, unit, format],
  )
  return <PlotCanvas label={label} at={at} lines={series.map(({ values }) => values)} draw={draw} />
}

function drawnAs(
  colour: Colour,
  { series, unit, format }: Pick<DayPlotProps, 'series' | 'unit'> & { format: Format },
): Drawn {
  return {
    ...overTime(colour, format, { shown: (figure) => format[unit](figure), isDaily: true }),
    series: [
      {},
      ...series.map((one) => seriesLook(one, colour(one.colour), colour('--done-faint'))),
    ],
    hooks: {
      draw: [
        (plot) => {
          for (const [i, one] of series.entries()) drawMarks(plot, i + 1, one, colour(one.colour))
        },
      ],
    },
  }
}

function DayTable({ label, at, series, unit, format }: DayPlotProps & { format: Format }) {
  const { t } = useTranslation()
  const rows = at.map((_, row) => row).filter((row) => series.some(({ values }) => values[row]))
  return (
    <PlotTable
      caption={label}
      heads={[t('watchMetrics.day'), ...series.map((one) => one.label)]}
      rows={rows
        .toReversed()
        .slice(0, TABLE_ROWS)
        .map((row) => ({
          key: at[row]!,
          cells: [
            format.day(at[row]! * 1_000),
            ...series.map(({ values }) => (values[row] === null ? '' : format[unit](values[row]!))),
          ],
        }))}
    />
  )
}

type DayLook = 'line' | 'bar' | 'dot' | 'ring' | 'cross'
/** A colour of the page, by its name there. */
type DayColour = '--done' | '--bytes' | '--bad' | '--quiet'

interface DaySeries {
  label: string
  look: DayLook
  colour: DayColour
  values: readonly (number | null)[]
}

const MARK_PX = 4
const BAR_SHARE = 0.6
const BAR_PX_MOST = 24

/** How the lines, bars and marks of a plot over days look on its canvas. */
function seriesLook({ look }: DaySeries, colour: string, faint: string): UPlot.Series {
  if (look === 'line') return { stroke: colour, width: 2, points: { show: false } }
  if (look === 'bar') {
    const bars = UPlot.paths.bars?.({ size: [BAR_SHARE, BAR_PX_MOST] })
    return {
      stroke: colour,
      fill: faint,
      points: { show: false },
      ...(bars ? { paths: bars } : {}),
    }
  }
  // Marks are drawn after the lines, over them.
  return { paths: () => null, points: { show: false } }
}

function drawMarks(plot: UPlot, place: number, { look }: DaySeries, colour: string): void {
  if (look === 'line' || look === 'bar') return
  const { ctx } = plot
  const size = MARK_PX * devicePixelRatio
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.lineWidth = 2 * devicePixelRatio
  for (const [i, value] of plot.data[place]!.entries()) {
    if (value === null || value === undefined) continue
    const x = plot.valToPos(plot.data[0][i]!, 'x', true)
    const y = plot.valToPos(value, 'y', true)
    ctx.beginPath()
    if (look === 'cross') {
      ctx.moveTo(x - size, y - size)
      ctx.lineTo(x + size, y + size)
      ctx.moveTo(x - size, y + size)
      ctx.lineTo(x + size, y - size)
    } else ctx.arc(x, y, size, 0, 2 * Math.PI)
    if (look === 'dot') ctx.fill()
    else ctx.stroke()
  }
  ctx.restore()
}
