/** The station in a few figures, each a link to the list that it counts. */
import { Link } from '@tanstack/react-router'
import type { StationFigures, Sample } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { rateOf } from '../../live/figures.ts'
import { useFormat } from '../../components/use-format.ts'

interface Tile {
  label: string
  value: string
  note?: string
  to: string
  search?: Record<string, string>
  /** In red. */
  isBad?: boolean
}

export function StationTiles(props: { figures: StationFigures; history: readonly Sample[] }) {
  const tiles = useTiles(props.figures, props.history)
  return (
    <dl className="figures tiles of-station">
      {tiles.map(({ label, value, note, to, search, isBad = false }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Link to={to} search={(search ?? {}) as never} className={isBad ? 'bad' : ''}>
              {value}
            </Link>
            {note === undefined ? null : <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const SECONDS_A_MINUTE = 60

function useTiles(figures: StationFigures, history: readonly Sample[]): Tile[] {
  const { t } = useTranslation()
  const format = useFormat()
  const { urls, collections, agents, queries, wikiTasks, visitsDue } = figures
  const rates = rateOf(history, null)
  const count = (value: number): string => format.count(value)
  const paused =
    collections.paused === 0 ? {} : { note: t('tile.paused', { count: collections.paused }) }
  return [
    {
      label: t('tile.running'),
      value: count(collections.running),
      ...paused,
      to: '/collections',
      search: { state: 'running' },
    },
    {
      label: t('tile.waiting'),
      value: count(urls.queued),
      to: '/collections',
      search: { sort: 'done' },
    },
    {
      label: t('tile.failed'),
      value: count(urls.failed),
      isBad: urls.failed > 0,
      to: '/collections',
      search: { sort: '-failed' },
    },
    {
      label: t('tile.perMinute'),
      value: count(Math.round(rates.urls * SECONDS_A_MINUTE)),
      to: '/collections',
      search: { state: 'running' },
    },
    {
      label: t('tile.bytes'),
      value: format.bytes(urls.bytes),
      note: t('tile.pages', { count: urls.pages, number: count(urls.pages) }),
      to: '/archive',
    },
    {
      label: t('tile.agents'),
      value: count(agents.working + agents.idle),
      note: t('tile.working', { working: count(agents.working), idle: count(agents.idle) }),
      to: '/devices',
    },
    {
      label: t('tile.queries'),
      value: count(queries),
      to: '/queries',
      search: { state: 'running' },
    },
    { label: t('tile.wikiTasks'), value: count(wikiTasks), to: '/wikis' },
    { label: t('tile.visits'), value: count(visitsDue), to: '/watches' },
  ]
}
