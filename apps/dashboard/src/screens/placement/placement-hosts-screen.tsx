import type { PlacedHostRow } from '@minga/protocol'
import { useState } from 'react'
import { Button, Dialog, Heading } from 'react-aria-components'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { PlacementNav } from './placement-nav.tsx'
import { useDeviceNames, usePlaceState } from './use-device-names.ts'
import type { HostDistance } from '../../api/station-api.ts'
import { Overlay } from '../../components/overlay.tsx'

const EVERY_MS = 5_000

export function PlacementHostsScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="settings:read" title={t('place.title')}>
      <h1>{t('place.nav.hosts')}</h1>
      <PlacementNav />
      <Hosts />
    </RequirePermission>
  )
}

function Hosts() {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<string | null>(null)
  const columns = useColumns(setAsked)
  return (
    <section className="card">
      <p className="quiet">{t('place.hostsLead')}</p>
      <List
        caption={t('place.nav.hosts')}
        columns={columns}
        keyOf={({ hostId }) => hostId}
        searchLabel={t('place.searchHost')}
        fileName="placed-hosts"
        firstSort="-pages"
        empty={
          <EmptyState title={t('place.noHosts')} text={t('place.noHostsText')}>
            <Link to="/placement" className="button">
              {t('place.title')}
            </Link>
          </EmptyState>
        }
        pages={{
          key: ['placed-hosts'],
          everyMs: EVERY_MS,
          read: sortedPages((query) => station('GET /place/hosts', { query })),
        }}
      />
      {asked === null ? null : <Distances host={asked} onClose={() => setAsked(null)} />}
    </section>
  )
}

function useColumns(onAsk: (host: string) => void): ListColumn<PlacedHostRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const nameOf = useDeviceNames()
  const { data: state } = usePlaceState()
  const devices = (state?.map?.parts ?? []).map(({ device }) => device)
  const { may } = useMe()
  const { data: fleet } = useStation(['fleet-map'], 'GET /devices/map', {
    enabled: may('devices:read'),
  })
  const countries = (fleet?.hosts ?? []).map(({ country }) => country)
  return [
    { id: 'host', label: t('place.host'), as: 'text', isAddress: true, canSort: true },
    {
      id: 'device',
      label: t('place.agent'),
      as: 'text',
      value: ({ device }) => nameOf(device),
      isAddress: true,
      filter: choiceOf(devices, (value) => nameOf(value)),
    },
    { id: 'pages', label: t('place.pagesCount'), as: 'count', canSort: true },
    {
      id: 'country',
      label: t('device.country'),
      canSort: true,
      filter: choiceOf(countries, (value) => format.country(value)),
      cell: ({ country }) => (country === null ? t('figure.unknown') : format.country(country)),
    },
    {
      id: 'why',
      label: t('place.why'),
      content: ({ host }) => (
        <Button aria-label={t('place.whyHost', { host })} onPress={() => onAsk(host)}>
          {t('place.distances')}
        </Button>
      ),
    },
  ]
}

/** How far a host is from every agent, and how that is known. */
function Distances({ host, onClose }: { host: string; onClose: () => void }) {
  const { t } = useTranslation()
  const query = useStation(['distances', host], 'GET /place/distances', { query: { host } })
  return (
    <Overlay onClose={onClose} look="wide">
      <Dialog>
        <Heading slot="title">{t('place.distancesOf', { host })}</Heading>
        <p className="quiet">{t('place.distancesLead')}</p>
        <Loaded query={query}>{({ devices }) => <DistanceTable devices={devices} />}</Loaded>
        <div className="actions">
          <Button onPress={onClose}>{t('close')}</Button>
        </div>
      </Dialog>
    </Overlay>
  )
}

function DistanceTable({ devices }: { devices: readonly HostDistance[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const nameOf = useDeviceNames()
  const unknown = t('figure.unknown')
  const nearest = devices.toSorted((a, b) => (a.rttMs ?? Infinity) - (b.rttMs ?? Infinity))
  return (
    <DataTable
      caption={t('place.distances')}
      rows={nearest}
      keyOf={({ device }) => device}
      fileName="distances"
      columns={[
        {
          label: t('place.agent'),
          isAddress: true,
          value: ({ device }) => nameOf(device),
          cell: ({ device }) => nameOf(device),
        },
        {
          label: t('place.rtt'),
          isNumber: true,
          value: ({ rttMs }) => rttMs,
          cell: ({ rttMs, uncertaintyMs }) =>
            rttMs === null
              ? unknown
              : `${format.delay(Math.round(rttMs))} ± ${format.delay(Math.round(uncertaintyMs ?? 0))}`,
        },
        {
          label: t('place.knownBy'),
          value: ({ sources }) => sources.join(' '),
          cell: ({ sources }) =>
            sources.length === 0
              ? unknown
              : sources.map((source) => t(`place.source.${source}`)).join(', '),
        },
        {
          label: t('place.samples'),
          isNumber: true,
          value: ({ samples }) => samples,
          cell: ({ samples }) => (samples === null ? unknown : format.count(samples)),
        },
        {
          label: t('place.km'),
          isNumber: true,
          value: ({ km }) => km,
          cell: ({ km }) => (km === null ? unknown : `${format.count(Math.round(km))} km`),
        },
      ]}
    />
  )
}
