/** The last five minutes as lines, with the same figures as a table for whoever cannot see them. */
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import UPlot from 'uplot'
import type { Sample } from '../api/api-types.ts'
import type { Format } from '../format.ts'
import { rateOf, seriesOf, type Series } from '../live/figures.ts'
import { colourAt, framedPlot, FROM_ZERO, timeAxis, valueAxis, type Colour } from './plot-frame.ts'
import { useFormat } from './use-format.ts'
import { useThemeCount } from './use-theme-count.ts'

/** The plot is never narrower than this: a minute is what a newcomer waits. */
const SPAN_LEAST_S = 60
/** uPlot's enum exists at compile time only, so its value has to be written out. */
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment
const ON_THE_RIGHT = { side: 1 } as Pick<UPlot.Axis, 'side'>
const TABLE_ROWS = 12
const TABLE_EVERY = 10

export function ThroughputPlot({ history, id }: { history: readonly Sample[]; id: number | null }) {
  const { t } = useTranslation()
  const format = useFormat()
  const series = seriesOf(history, id)
  const rates = rateOf(history, id)
  const label = t('plot.label', { rate: format.rate(rates.urls), bytes: format.bytes(rates.bytes) })
  return (
    <figure className="plot">
      <figcaption>
        <span className="key urls">
          {t('plot.urls')} <b>{format.rate(rates.urls)}</b>
        </span>
        <span className="key bytes">
          {t('plot.bytes')} <b>{format.bytes(rates.bytes)}</b>
        </span>
      </figcaption>
      <Canvas series={series} format={format} label={label} />
      <SeriesTable series={series} format={format} />
    </figure>
  )
}

function Canvas({ series, format, label }: { series: Series; format: Format; label: string }) {
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
    const last = at.at(-1) ?? Date.now() / 1_000
    plot.current?.batch(() => {
      plot.current?.setData([at, urls, bytes], true)
      plot.current?.setScale('x', { min: Math.min(at[0] ?? last, last - SPAN_LEAST_S), max: last })
    })
  })
  return <div ref={box} className="canvas" role="img" aria-label={label} />
}

function drawnAs(
  colour: Colour,
  format: Format,
): Pick<UPlot.Options, 'scales' | 'axes' | 'series'> {
  return {
    scales: { x: { time: true }, urls: FROM_ZERO, bytes: FROM_ZERO },
    axes: [
      timeAxis(colour, { shown: (at) => format.clock(at), space: 80, size: 28 }),
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

function SeriesTable({ series, format }: { series: Series; format: Format }) {
  const { t } = useTranslation()
  const newest = series.at.length - 1
  const rows = Array.from({ length: TABLE_ROWS }, (_, i) => newest - i * TABLE_EVERY)
  return (
    <details>
      <summary>{t('plot.table')}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('plot.time')}</th>
            <th scope="col" className="number">
              {t('plot.urls')}
            </th>
            <th scope="col" className="number">
              {t('plot.bytes')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter((row) => row >= 0)
            .map((row) => (
              <tr key={row}>
                <td>{format.clock(series.at[row]! * 1_000)}</td>
                <td className="number">{format.rate(series.urls[row]!)}</td>
                <td className="number">{format.bytes(series.bytes[row]!)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}
