/** Hosts with their clocks, counted down by the station's time. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Collection, Host } from '../api/api-types.ts'
import { readHosts } from '../api/client.ts'
import { delayOf, hostStateOf } from '../live/host-clock.ts'
import { useLive, useNow } from '../live/live-provider.tsx'
import { stationNow } from '../live/live-state.ts'
import { useFormat } from './use-format.ts'

const EVERY_MS = 1_000
const IDLE_MS = 15_000
/** Tenths of seconds are shown; five steps a second look steady. */
const COUNTDOWN_MS = 200
/** The station sends no more. */
const HOSTS_MAX = 500

export function useHosts(collection: Collection | undefined): Host[] | undefined {
  const { data } = useQuery({
    queryKey: ['hosts', collection?.id],
    queryFn: () => readHosts(collection!.id),
    enabled: collection !== undefined,
    refetchInterval: collection?.state === 'running' ? EVERY_MS : IDLE_MS,
  })
  return data
}

export function HostTable({ hosts }: { hosts: Host[] | undefined }) {
  const { t } = useTranslation()
  const { state } = useLive()
  const nowMs = useNow(COUNTDOWN_MS)
  if (hosts === undefined || state === undefined) return null
  if (hosts.length === 0) return <p className="quiet">{t('hosts.none')}</p>
  const now = stationNow(state, nowMs)
  return (
    <>
      <table className="host-table">
        <thead>
          <tr>
            <th scope="col">{t('hosts.host')}</th>
            <th scope="col">{t('hosts.state')}</th>
            <th scope="col" className="wide-only">
              {t('hosts.next')}
            </th>
            <th scope="col" className="wide-only">
              {t('hosts.delay')}
            </th>
            <th scope="col" className="number">
              {t('hosts.queued')}
            </th>
            <th scope="col" className="number wide-only">
              {t('hosts.pages')}
            </th>
            <th scope="col" className="number wide-only">
              {t('hosts.bytes')}
            </th>
          </tr>
        </thead>
        <tbody>
          {hosts.map((host) => (
            <HostRow key={host.id} host={host} now={now} />
          ))}
        </tbody>
      </table>
      {hosts.length === HOSTS_MAX ? (
        <p className="quiet">{t('hosts.more', { count: HOSTS_MAX })}</p>
      ) : null}
    </>
  )
}

const SHAPES = { out: '↗', resting: '◷', ready: '●', done: '✔' } as const

function HostRow({ host, now }: { host: Host; now: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const state = hostStateOf(host, now)
  const delay = delayOf(host)
  return (
    <tr>
      <td className="address">
        <b>{host.name}</b>
        <span className="wide-only">{host.address}</span>
      </td>
      <td>
        <span className={`host-state ${state}`}>
          <span aria-hidden="true">{SHAPES[state]} </span>
          {t(`hosts.${state}`)}
        </span>
        <span className="narrow-only quiet">
          <NextTurn host={host} state={state} now={now} />
        </span>
      </td>
      <td className="countdown wide-only">
        <NextTurn host={host} state={state} now={now} />
      </td>
      <td className="wide-only">
        {format.delay(delay.ms)}
        <span className="quiet"> · {t(`hosts.because.${delay.reason}`)}</span>
      </td>
      <td className="number">{format.count(host.queued)}</td>
      <td className="number wide-only">{format.count(host.pages)}</td>
      <td className="number wide-only">{format.bytes(host.bytes)}</td>
    </tr>
  )
}

function NextTurn(props: { host: Host; state: ReturnType<typeof hostStateOf>; now: number }) {
  const { host, state, now } = props
  const { t } = useTranslation()
  const format = useFormat()
  if (state === 'done') return t('figure.unknown')
  if (state === 'out') return t('hosts.whenBack')
  if (state === 'ready') return t('hosts.now')
  return t('hosts.in', { time: format.countdown(host.nextAllowedAt - now) })
}
