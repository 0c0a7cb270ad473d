/** An hour of a device: what sites sent it and what it sent here, minute by minute. */
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { PlotTable } from '../../components/charts/plot-table.tsx'
import { useStation } from '../../api/use-station.ts'
import type { Format } from '../../format.ts'
import { Loaded } from '../../components/loaded.tsx'
import { overTime, PlotCanvas, type Colour } from '../../components/charts/plot-frame.tsx'
import { useFormat } from '../../components/use-format.ts'
import type { Rates } from '../../api/station-api.ts'

const MINUTES = 60
const EVERY_MS = 10_000
const TABLE_ROWS = 15

export function DeviceRatesPlot({ id }: { id: string }) {
  const { t } = useTranslation()
  const query = useStation(['device', id, 'rates'], 'GET /devices/{id}/rates', {
    params: { id },
    query: { minutes: MINUTES },
    refetchInterval: EVERY_MS,
  })
  return (
    <section className="card">
      <h2>{t('fleet.rates')}</h2>
      <Loaded query={query}>{(rates) => <RatesFigure rates={rates} />}</Loaded>
    </section>
  )
}

function RatesFigure({ rates }: { rates: Rates }) {
  const { t } = useTranslation()
  const format = useFormat()
  const most = format.bytes(Math.max(...rates.downBytes, 0))
  return (
    <figure className="plot">
      <figcaption>
        <span className="key">{t('fleet.down')}</span>
        <span className="key bytes">{t('fleet.up')}</span>
      </figcaption>
      <Canvas rates={rates} format={format} label={t('fleet.ratesLabel', { most })} />
      <details>
        <summary>{t('plot.table')}</summary>
        <RatesTable rates={rates} format={format} />
      </details>
    </figure>
  )
}

interface CanvasProps {
  rates: Rates
  format: Format
  label: string
}

function Canvas({ rates, format, label }: CanvasProps) {
  const draw = useCallback(
    (colour: Colour) => {
      const line = { width: 2, points: { show: false } }
      return {
        ...overTime(colour, format, { shown: (bytes) => format.bytes(bytes) }),
        series: [
          {},
          { ...line, stroke: colour('--done'), fill: colour('--done-faint') },
          { ...line, stroke: colour('--bytes'), dash: [5, 4] },
        ],
      }
    },
    [format],
  )
  const at = rates.downBytes.map((_, i) => rates.from / 1_000 + i * 60)
  return <PlotCanvas label={label} at={at} lines={[rates.downBytes, rates.upBytes]} draw={draw} />
}

function RatesTable({ rates, format }: Omit<CanvasProps, 'label'>) {
  const { t } = useTranslation()
  const last = rates.downBytes.length - 1
  const rows = Array.from({ length: TABLE_ROWS }, (_, i) => last - i).filter((row) => row >= 0)
  return (
    <PlotTable
      heads={[t('plot.time'), t('fleet.answers'), t('fleet.down'), t('fleet.up')]}
      rows={rows.map((row) => ({
        key: row,
        cells: [
          format.clock(rates.from + row * 60_000),
          format.count(rates.requests[row]!),
          format.bytes(rates.downBytes[row]!),
          format.bytes(rates.upBytes[row]!),
        ],
      }))}
    />
  )
}
