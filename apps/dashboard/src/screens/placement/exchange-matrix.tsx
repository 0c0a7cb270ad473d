/** Links between the hosts of agents as a heat map, with the same figures as a table. */
import type { PlacementExchange } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../components/use-format.ts'
import { cellsOf, sumsOf } from './exchange-cells.ts'

const CELL = 34
const LABELS = 130
const TOP = 28

interface ExchangeMatrixProps {
  exchange: PlacementExchange
  nameOf: (device: string | null) => string
  title: string
}

export function ExchangeMatrix({ exchange, nameOf, title }: ExchangeMatrixProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { own, between } = sumsOf(exchange)
  const all = own + between
  const said = t('place.exchangeSaid', {
    between: format.count(between),
    share: format.percent(all === 0 ? 0 : between / all),
  })
  return (
    <figure className="exchange">
      <figcaption>
        <b>{title}</b> <span className="quiet">{said}</span>
      </figcaption>
      <div className="wide-box" tabIndex={0} role="group" aria-label={title}>
        <Heat exchange={exchange} nameOf={nameOf} label={`${title}. ${said}`} />
      </div>
      <details>
        <summary>{t('plot.table')}</summary>
        <div className="wide-box" tabIndex={0} role="group" aria-label={t('plot.table')}>
          <LinksTable exchange={exchange} nameOf={nameOf} />
        </div>
      </details>
    </figure>
  )
}

interface HeatProps extends Omit<ExchangeMatrixProps, 'title'> {
  label: string
}

function Heat({ exchange, nameOf, label }: HeatProps) {
  const format = useFormat()
  const { devices } = exchange
  const size = devices.length * CELL
  const [width, height] = [LABELS + size + 2, TOP + size + 2]
  return (
    <svg className="heat" width={width} height={height} role="img" aria-label={label}>
      {devices.map((device, i) => (
        <g key={device}>
          <text x={LABELS - 8} y={TOP + i * CELL + CELL / 2 + 4} textAnchor="end">
            {i + 1} {shortened(nameOf(device))}
          </text>
          <text x={LABELS + i * CELL + CELL / 2} y={TOP - 9} textAnchor="middle">
            {i + 1}
          </text>
        </g>
      ))}
      {cellsOf(exchange).map(({ from, to, links, isOwn, heat }) => (
        <rect
          key={`${from} ${to}`}
          className={isOwn ? 'own' : 'between'}
          x={LABELS + to * CELL + 1}
          y={TOP + from * CELL + 1}
          width={CELL - 2}
          height={CELL - 2}
          rx="4"
          fillOpacity={0.06 + 0.94 * heat}
        >
          <title>{`${nameOf(devices[from]!)} → ${nameOf(devices[to]!)}: ${format.count(links)}`}</title>
        </rect>
      ))}
    </svg>
  )
}

const NAME_CHARACTERS_MAX = 14

function shortened(name: string): string {
  return name.length > NAME_CHARACTERS_MAX ? `${name.slice(0, NAME_CHARACTERS_MAX - 1)}…` : name
}

function LinksTable({ exchange, nameOf }: Omit<ExchangeMatrixProps, 'title'>) {
  const { t } = useTranslation()
  const format = useFormat()
  const { devices, links } = exchange
  return (
    <table>
      <caption className="unseen">{t('place.exchange')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('place.fromTo')}</th>
          {devices.map((device) => (
            <th key={device} scope="col" className="number">
              {nameOf(device)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {devices.map((device, from) => (
          <tr key={device}>
            <th scope="row">{nameOf(device)}</th>
            {devices.map((other, to) => (
              <td key={other} className="number">
                {format.count(links[from]![to]!)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
