/** Hosts of a collection with their clocks, counted down by the station's time. */
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import type { Collection, Host } from '../../api/api-types.ts'
import { delayOf, hostStateOf, isLimited } from '../../live/host-clock.ts'
import { useLive, useNow } from '../../live/live-provider.tsx'
import { stationNow } from '../../live/live-state.ts'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { LeaveOutButton } from './leave-out-button.tsx'
import { patternOfHost } from './leave-out.ts'
import { wordsOf } from './list-words.ts'

const EVERY_MS = 2_000
const IDLE_MS = 15_000
/** Tenths of seconds are shown; five steps a second look steady. */
const COUNTDOWN_MS = 200
const STATES = ['out', 'resting', 'ready', 'done', 'limited'] as const

export function CollectionHostList({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const columns = useColumns(collection)
  const { id } = collection
  return (
    <List
      name="hosts"
      caption={t('hosts.title')}
      columns={columns}
      keyOf={(host) => host.id}
      searchLabel={t('hosts.host')}
      firstSort="-queued"
      fileName={`collection-${id}-hosts`}
      empty={<p className="quiet">{t('hosts.none')}</p>}
      pages={{
        key: ['hosts', id],
        everyMs: collection.state === 'running' ? EVERY_MS : IDLE_MS,
        read: (question) =>
          station('GET /collections/{id}/hosts/list', { params: { id }, query: wordsOf(question) }),
      }}
    />
  )
}

function useColumns(collection: Collection): ListColumn<Host>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  const columns: ListColumn<Host>[] = [
    {
      id: 'name',
      label: t('hosts.host'),
      isAddress: true,
      canSort: true,
      cell: ({ name, address }) => (
        <>
          <b>{name}</b>
          <span>{address}</span>
        </>
      ),
    },
    {
      id: 'state',
      label: t('hosts.state'),
      value: (host) => hostStateOf(host, 0),
      cell: (host) => <HostState host={host} />,
      filter: choiceOf(STATES, (value) => t(`hostChoice.${value}`)),
    },
    {
      id: 'nextAllowedAt',
      label: t('hosts.next'),
      canSort: true,
      isTime: true,
      cell: (host) => <NextTurn host={host} />,
    },
    {
      id: 'delay',
      label: t('hosts.delay'),
      value: (host) => delayOf(host).ms,
      cell: (host) => <Delay host={host} />,
    },
    { id: 'queued', label: t('hosts.queued'), as: 'count', canSort: true },
    { id: 'pages', label: t('hosts.pages'), as: 'count', canSort: true },
    { id: 'bytes', label: t('hosts.bytes'), as: 'bytes', canSort: true },
  ]
  if (!may('collections:write') || collection.spec.kind !== 'crawl') return columns
  const leaveOut: ListColumn<Host> = {
    id: 'leave-out',
    label: t('leaveOut.column'),
    content: ({ name, queued }) =>
      queued === 0 ? null : (
        <LeaveOutButton
          id={collection.id}
          pattern={patternOfHost(name)}
          label={t('leaveOut.short')}
          title={t('leaveOut.host', { name })}
        />
      ),
  }
  return [...columns, leaveOut]
}

const SHAPES = { out: '↗', resting: '◷', ready: '●', done: '✔' } as const

function useStationClock(): number {
  const { state } = useLive()
  const nowMs = useNow(COUNTDOWN_MS)
  return state === undefined ? nowMs : stationNow(state, nowMs)
}

function HostState({ host }: { host: Host }) {
  const { t } = useTranslation()
  const state = hostStateOf(host, useStationClock())
  return (
    <>
      <span className={`host-state ${state}`}>
        <span aria-hidden="true">{SHAPES[state]} </span>
        {t(`hosts.${state}`)}
      </span>
      {isLimited(host) ? (
        <span className="host-state limited">
          <span aria-hidden="true">⏷ </span>
          {t('hostChoice.limited')}
        </span>
      ) : null}
    </>
  )
}

function Delay({ host }: { host: Host }) {
  const { t } = useTranslation()
  const format = useFormat()
  const delay = delayOf(host)
  return (
    <>
      {format.delay(delay.ms)} <span className="quiet">{t(`hosts.because.${delay.reason}`)}</span>
    </>
  )
}

function NextTurn({ host }: { host: Host }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationClock()
  const state = hostStateOf(host, now)
  if (state === 'done') return t('figure.unknown')
  if (state === 'out') return t('hosts.whenBack')
  if (state === 'ready') return t('hosts.now')
  return t('hosts.in', { time: format.countdown(host.nextAllowedAt - now) })
}
