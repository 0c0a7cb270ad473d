/** What all plots over time have in common: their axes, and that they are as wide as their place. */
import UPlot from 'uplot'
import { readZone } from '../zone.ts'

const HEIGHT = 200

export type Colour = (name: string) => string

/** A colour of the page as it is now: a canvas knows no variables. */
export function colourAt(element: HTMLElement): Colour {
  const style = getComputedStyle(element)
  return (name) => style.getPropertyValue(name).trim()
}

/** The highest figure does not touch the edge, and an empty plot is none of noise. */
export const FROM_ZERO: UPlot.Scale = {
  range: (_, __, max) => [0, Math.max(1, max * 1.15)],
}

interface AxisLook extends UPlot.Axis {
  /** A figure on it, in words. */
  shown: (figure: number) => string
}

/** Along the bottom. Its figures are milliseconds since the Unix epoch. */
export function timeAxis(colour: Colour, { shown, ...look }: AxisLook): UPlot.Axis {
  return axis(colour, { grid: { show: false }, shown: (at) => shown(at * 1_000), ...look })
}

/** Up the side, with lines across. */
export function valueAxis(colour: Colour, look: AxisLook): UPlot.Axis {
  return axis(colour, { grid: { stroke: colour('--line'), width: 1 }, ...look })
}

function axis(colour: Colour, { shown, ...look }: AxisLook): UPlot.Axis {
  return {
    stroke: colour('--quiet'),
    font: '12px system-ui',
    ticks: { show: false },
    values: (_, figures) => figures.map(shown),
    ...look,
  }
}

/** Its date in UTC, for plots of days as the station counts them. */
export function inUtc(atS: number): Date {
  return UPlot.tzDate(new Date(atS * 1_000), 'Etc/UTC')
}

type Drawn = Pick<UPlot.Options, 'scales' | 'axes' | 'series' | 'hooks' | 'tzDate'>

export interface FramedPlot {
  plot: UPlot
  end: () => void
}

export function framedPlot(
  element: HTMLElement,
  drawn: Drawn,
  data: UPlot.AlignedData,
): FramedPlot {
  const size = () => ({ width: element.clientWidth, height: HEIGHT })
  const frame = { ...size(), legend: { show: false }, cursor: { show: false } }
  // Marks along the axis stand at whole hours of the clock that the reader chose.
  const zone = readZone() === 'utc' ? { tzDate: inUtc } : {}
  const plot = new UPlot({ ...frame, ...zone, ...drawn }, data, element)
  const watch = new ResizeObserver(() => plot.setSize(size()))
  watch.observe(element)
  const end = (): void => {
    watch.disconnect()
    plot.destroy()
  }
  return { plot, end }
}
