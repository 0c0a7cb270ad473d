/** The lines themselves. Its library is a tenth of the first load, so it comes after the rest. */
import { useCallback } from 'react'
import UPlot from 'uplot'
import type { Format } from '../../format.ts'
import type { Series } from '../../live/figures.ts'
import {
  bottomAxis,
  FROM_ZERO,
  PlotCanvas,
  timeScale,
  valueAxis,
  type Colour,
  type Drawn,
} from './plot-frame.tsx'

/** uPlot's enum exists at compile time only, so its value has to be written out. */
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment
const ON_THE_RIGHT = { side: 1 } as Pick<UPlot.Axis, 'side'>

interface ThroughputCanvasProps {
  series: Series
  format: Format
  label: string
}

export function ThroughputCanvas({ series, format, label }: ThroughputCanvasProps) {
  const draw = useCallback((colour: Colour) => drawnAs(colour, format), [format])
  return <PlotCanvas label={label} at={series.at} lines={[series.urls, series.bytes]} draw={draw} />
}

function drawnAs(colour: Colour, format: Format): Drawn {
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
