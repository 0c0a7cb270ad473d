/** Where the devices are: dots on the world, each reachable by keyboard, with the same figures by country below. */
import type { FleetDot, FleetMap } from '@minga/protocol'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../components/use-format.ts'
import { countryWord } from './country-filter.ts'
import { devicesAt, inDrawingOrder, radiusOf, shapeOf } from './map-dots.ts'
import { BORDERS, GLOBE, LAND, MAP_HEIGHT, MAP_WIDTH, onMap } from './map-shapes.ts'

interface WorldMapProps {
  map: FleetMap
  withHosts: boolean
  /** The country whose devices are listed; empty for all. */
  chosen: string
  onChoose: (country: string) => void
}

export function WorldMap({ map, withHosts, chosen, onChoose }: WorldMapProps) {
  const { t } = useTranslation()
  const [told, setTold] = useState('')
  const words = useDotWords()
  return (
    <figure className="world-map">
      <svg viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`} role="group" aria-label={t('fleet.map')}>
        <g aria-hidden="true">
          <path className="globe" d={GLOBE} />
          <path className="land" d={LAND} />
          <path className="borders" d={BORDERS} />
        </g>
        {withHosts ? <Hosts hosts={map.hosts ?? []} /> : null}
        {inDrawingOrder(map.dots).map((dot) => (
          <Dot
            key={`${dot.lat} ${dot.lon}`}
            dot={dot}
            label={words(dot)}
            isChosen={chosen === countryWord(dot.country)}
            onTold={setTold}
            onChoose={onChoose}
          />
        ))}
      </svg>
      <figcaption>
        <MapLegend withHosts={withHosts} />
        <p className="told quiet">{told === '' ? t('fleet.mapHelp') : told}</p>
      </figcaption>
    </figure>
  )
}

interface DotProps {
  dot: FleetDot
  label: string
  isChosen: boolean
  onTold: (text: string) => void
  onChoose: (country: string) => void
}

/** Pressed, it narrows the list down to its country. */
function Dot({ dot, label, isChosen, onTold, onChoose }: DotProps) {
  const { x, y } = onMap(dot)
  const tell = (): void => onTold(label)
  const choose = (): void => onChoose(countryWord(dot.country))
  return (
    <g
      className={`dot ${shapeOf(dot)}`}
      transform={`translate(${x} ${y})`}
      role="button"
      aria-label={label}
      aria-pressed={isChosen}
      tabIndex={0}
      onFocus={tell}
      onPointerEnter={tell}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        choose()
      }}
    >
      <DotShape dot={dot} />
    </g>
  )
}

/** A disc, a ring or a diamond: colour alone says nothing. */
function DotShape({ dot }: { dot: FleetDot }) {
  const r = radiusOf(devicesAt(dot))
  if (shapeOf(dot) === 'away') return <path d={`M0 ${-r}L${r} 0L0 ${r}L${-r} 0Z`} />
  return <circle r={r} />
}

function Hosts({ hosts }: { hosts: NonNullable<FleetMap['hosts']> }) {
  const { t } = useTranslation()
  const format = useFormat()
  return hosts.map((place) => {
    const { x, y } = onMap(place)
    const r = radiusOf(place.hosts) * 0.7
    return (
      <rect
        key={place.country}
        className="host-place"
        role="img"
        aria-label={`${format.country(place.country)}: ${t('fleet.hostsAt', { count: place.hosts })}`}
        x={x - r}
        y={y - r}
        width={2 * r}
        height={2 * r}
      />
    )
  })
}

function useDotWords(): (dot: FleetDot) => string {
  const { t } = useTranslation()
  const format = useFormat()
  return ({ country, lat, lon, working, idle, away, names }) => {
    const where = country === null ? t('fleet.about', { lat, lon }) : format.country(country)
    const counts = [
      ...(working > 0 ? [t('fleet.workingAt', { count: working })] : []),
      ...(idle > 0 ? [t('fleet.idleAt', { count: idle })] : []),
      ...(away > 0 ? [t('fleet.awayAt', { count: away })] : []),
    ].join(', ')
    return `${where}: ${counts}${names.length === 0 ? '' : ` (${names.join(', ')})`}`
  }
}

function MapLegend({ withHosts }: { withHosts: boolean }) {
  const { t } = useTranslation()
  return (
    <ul className="map-legend">
      <li>
        <svg viewBox="0 0 16 16" className="dot working" aria-hidden="true">
          <circle cx="8" cy="8" r="6" />
        </svg>
        {t('device.state.working')}
      </li>
      <li>
        <svg viewBox="0 0 16 16" className="dot idle" aria-hidden="true">
          <circle cx="8" cy="8" r="6" />
        </svg>
        {t('device.state.idle')}
      </li>
      <li>
        <svg viewBox="0 0 16 16" className="dot away" aria-hidden="true">
          <path d="M8 1L15 8L8 15L1 8Z" />
        </svg>
        {t('device.state.away')}
      </li>
      {withHosts ? (
        <li>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <rect className="host-place" x="3" y="3" width="10" height="10" />
          </svg>
          {t('fleet.hosts')}
        </li>
      ) : null}
    </ul>
  )
}
