/** What all plots over time have in common: their axes, and that they are as wide as their place. */
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import type { Format } from '../../format.ts'
import { readZone } from '../../zone.ts'
import { timeAxis, wholeTicks, type TimeAxis } from '../time-axis.ts'
import { useThemeCount } from '../use-theme-count.ts'

const HEIGHT = 200

export type Colour = (name: string) => string

/** A colour of the page as it is now: a canvas knows no variables. */
function colourAt(element: HTMLElement): Colour {
  const style = getComputedStyle(element)
  return (name) => style.getPropertyValue(name).trim()
}

/** Whole figures from zero; the highest one does not touch the edge, and an empty plot is none of noise. */
export const FROM_ZERO: UPlot.Scale = { range: (_, __, max) => [0, wholeTicks(max * 1.05).at(-1)!] }

interface AxisLook extends UPlot.Axis {
  /** A figure on it, in words. */
  shown: (figure: number) => string
}

/** The room that a label of the time axis needs. */
const LABEL_PX = 100

/** The axis of what a plot shows now; null while that is too little. */
function axisOf({ data, width }: UPlot, isDaily: boolean): TimeAxis | null {
  const moments = Array.from(data[0], (seconds) => seconds * 1_000)
  const zone = isDaily ? 'utc' : readZone()
  return timeAxis(moments, { zone, isDaily, labelsMost: Math.floor(width / LABEL_PX) })
}

/** The scale of seconds since the Unix epoch along the bottom. */
export function timeScale({ isDaily = false } = {}): UPlot.Scale {
  return {
    time: true,
    range: (plot, min, max) => {
      const axis = axisOf(plot, isDaily)
      return axis === null ? [min ?? 0, max ?? 1] : [axis.from / 1_000, axis.to / 1_000]
    },
  }
}

/** The labels of the scale along the bottom. */
export function bottomAxis(
  colour: Colour,
  format: Pick<Format, 'tick'>,
  { isDaily = false } = {},
): UPlot.Axis {
  return {
    ...look(colour),
    grid: { show: false },
    size: 30,
    splits: (plot) => axisOf(plot, isDaily)?.ticks.map((at) => at / 1_000) ?? [],
    values: (plot, moments) => {
      const unit = axisOf(plot, isDaily)?.unit ?? 'day'
      return moments.map((seconds) => format.tick(seconds * 1_000, unit, isDaily))
    },
  }
}

/** Up the side, with lines across. */
export function valueAxis(colour: Colour, { shown, ...own }: AxisLook): UPlot.Axis {
  return {
    ...look(colour),
    grid: { stroke: colour('--line'), width: 1 },
    splits: (_, __, ___, max) => wholeTicks(max),
    values: (_, figures) => figures.map(shown),
    ...own,
  }
}

const look = (colour: Colour): UPlot.Axis => ({
  stroke: colour('--quiet'),
  font: '12px system-ui',
  ticks: { show: false },
})

export type Drawn = Pick<UPlot.Options, 'scales' | 'axes' | 'series' | 'hooks'>

interface OverTime {
  shown: (figure: number) => string
  isDaily?: boolean
}

/** Figures of one unit up the side, and when along the bottom. */
export const overTime = (
  colour: Colour,
  format: Pick<Format, 'tick'>,
  { shown, isDaily = false }: OverTime,
): Pick<Drawn, 'scales' | 'axes'> => ({
  scales: { x: timeScale({ isDaily }), y: FROM_ZERO },
  axes: [bottomAxis(colour, format, { isDaily }), valueAxis(colour, { shown, size: 66 })],
})

interface PlotCanvasProps {
  label: string
  /** Seconds since the Unix epoch, in order. */
  at: readonly number[]
  lines: readonly (readonly (number | null)[])[]
  /** The plot is made again when this is another function; other figures are only drawn again. */
  draw: (colour: Colour) => Drawn
}

export function PlotCanvas({ label, at, lines, draw }: PlotCanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const colours = useThemeCount()
  useEffect(() => {
    const element = box.current!
    const size = () => ({ width: element.clientWidth, height: HEIGHT })
    const drawn = draw(colourAt(element))
    const frame = { ...size(), legend: { show: false }, cursor: { show: false } }
    const made = new UPlot(
      { ...frame, ...drawn },
      [[], ...drawn.series.slice(1).map(() => [])],
      element,
    )
    plot.current = made
    const watch = new ResizeObserver(() => made.setSize(size()))
    watch.observe(element)
    return () => {
      watch.disconnect()
      made.destroy()
    }
  }, [draw, colours])
  useEffect(() => plot.current?.setData([[...at], ...lines.map((line) => [...line])]))
  return <div ref={box} className="canvas" role="img" aria-label={label} />
}
