/** The lines themselves. Its library is a tenth of the first load, so it comes after the rest. */
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import type { Format } from '../../format.ts'
import type { Series } from '../../live/figures.ts'
import {
  bottomAxis,
  colourAt,
  framedPlot,
  FROM_ZERO,
  timeScale,
  valueAxis,
  type Colour,
} from './plot-frame.ts'
import { useThemeCount } from '../use-theme-count.ts'

/** uPlot's enum exists at compile time only, so its value has to be written out. */
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment
const ON_THE_RIGHT = { side: 1 } as Pick<UPlot.Axis, 'side'>

interface ThroughputCanvasProps {
  series: Series
  format: Format
  label: string
}

export function ThroughputCanvas({ series, format, label }: ThroughputCanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const colours = useThemeCount()

  useEffect(() => {
    const element = box.current!
    const framed = framedPlot(element, drawnAs(colourAt(element), format), [[], [], []])
    plot.current = framed.plot
    return framed.end
  }, [format, colours])

  useEffect(() => {
    const { at, urls, bytes } = series
    plot.current?.setData([at, urls, bytes], true)
  })
  return <div ref={box} className="canvas" role="img" aria-label={label} />
}

function drawnAs(
  colour: Colour,
  format: Format,
): Pick<UPlot.Options, 'scales' | 'axes' | 'series'> {
  return {
    scales: { x: timeScale(), urls: FROM_ZERO, bytes: FROM_ZERO },
    axes: [
      bottomAxis(colour, format),
      valueAxis(colour, { shown: (count) => format.count(count), scale: 'urls', size: 46 }),
      valueAxis(colour, {
        shown: (bytes) => format.bytes(bytes),
        scale: 'bytes',
        ...ON_THE_RIGHT,
        size: 62,
        // The lines across are those of the left side.
        grid: { show: false },
      }),
    ],
    series: [
      {},
      line({ scale: 'urls', stroke: colour('--done'), fill: colour('--done-faint') }),
      line({ scale: 'bytes', stroke: colour('--bytes'), dash: [5, 4] }),
    ],
  }
}

function line(look: UPlot.Series): UPlot.Series {
  const spline = UPlot.paths.spline?.()
  return { width: 2, points: { show: false }, ...(spline ? { paths: spline } : {}), ...look }
}
