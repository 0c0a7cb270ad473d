/** The last minutes as lines, with the same figures as a table for readers who cannot see them. */
import type { Sample } from '@minga/protocol'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { PlotTable } from './plot-table.tsx'
import type { Format } from '../../format.ts'
import { rateOf, seriesOf, spanOf, type Series } from '../../live/figures.ts'
import { POINTS_LEAST } from '../time-axis.ts'
import { TooFew } from '../too-few.tsx'
import { useFormat } from '../use-format.ts'

const Canvas = lazy(async () => ({
  default: (await import('./throughput-canvas.tsx')).ThroughputCanvas,
}))
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
      {series.at.length < POINTS_LEAST ? (
        <TooFew count={series.at.length} />
      ) : (
        <Suspense fallback={<div className="canvas" />}>
          <Canvas series={series} format={format} label={label} />
        </Suspense>
      )}
      <SeriesTable series={series} format={format} />
    </figure>
  )
}

/** Says how far back the plot goes: at first that is less than five minutes. */
export function ThroughputTitle({ history }: { history: readonly Sample[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  return <h2>{t('plot.title', { span: format.span(spanOf(history)) })}</h2>
}

function SeriesTable({ series, format }: { series: Series; format: Format }) {
  const { t } = useTranslation()
  const newest = series.at.length - 1
  const rows = Array.from({ length: TABLE_ROWS }, (_, i) => newest - i * TABLE_EVERY)
  return (
    <details>
      <summary>{t('plot.table')}</summary>
      <PlotTable
        heads={[t('plot.time'), t('plot.urls'), t('plot.bytes')]}
        rows={rows
          .filter((row) => row >= 0)
          .map((row) => ({
            key: row,
            cells: [
              format.clock(series.at[row]! * 1_000),
              format.rate(series.urls[row]!),
              format.bytes(series.bytes[row]!),
            ],
          }))}
      />
    </details>
  )
}
