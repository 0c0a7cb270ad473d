import type { FleetMap } from '@minga/protocol'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { searchWith, type Search } from '../../components/list/list-state.ts'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import type { BulkAction } from '../../components/list/list-bulk.tsx'
import { List } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { countryAsked, countryChoices, countryWord, toggled } from './country-filter.ts'
import { useDeviceColumns } from './device-columns.tsx'
import type { SeenDevice } from '../../api/station-api.ts'

/** Counters move with every upload; they need not be exact to the second. */
const EVERY_MS = 5_000
const TOUCHED = ['devices', 'device', 'fleet-map']

/** The shapes of the world are half of this screen's bytes: they come when they are seen. */
const WorldMap = lazy(async () => ({ default: (await import('./world-map.tsx')).WorldMap }))

export const DevicesScreen = permitted('devices:read', 'devices.title', Devices)

const readPage = sortedPages<SeenDevice>(({ country, ...query }) =>
  station('GET /devices/page', {
    query: { ...query, ...(typeof country === 'string' ? { country: countryAsked(country) } : {}) },
  }),
)

function Devices() {
  const { t } = useTranslation()
  const { may } = useMe()
  const isOperator = may('devices:judge')
  const map = useStation(['fleet-map'], 'GET /devices/map', { refetchInterval: EVERY_MS })
  const columns = useDeviceColumns(isOperator, useCountryChoices(map.data))
  const title = isOperator ? t('devices.all') : t('devices.title')
  return (
    <>
      <h1>{title}</h1>
      <Loaded query={map}>{(fleet) => <Where fleet={fleet} />}</Loaded>
      <section className="card device-list">
        <h2>{t('fleet.list')}</h2>
        <List
          caption={title}
          columns={columns}
          searchLabel={t('fleet.search')}
          fileName="devices"
          firstSort="-seenAt"
          empty={<NoDevices />}
          bulkActions={useBulk(isOperator)}
          pages={{ key: ['devices'], everyMs: EVERY_MS, read: readPage }}
        />
      </section>
    </>
  )
}

function useCountryChoices(fleet: FleetMap | undefined) {
  const { t } = useTranslation()
  const format = useFormat()
  const words = {
    nameOf: (country: string) => format.country(country),
    unknown: t('fleet.notKnown'),
  }
  return countryChoices(fleet?.countries ?? [], words)
}

function NoDevices() {
  const { t } = useTranslation()
  return (
    <EmptyState title={t('devices.none')} text={t('devices.noneText')}>
      <Link to="/join" className="button primary">
        {t('join.title')}
      </Link>
    </EmptyState>
  )
}

/** Owners let their devices rest; an operator lets them finish, and stops them. */
function useBulk(isOperator: boolean): BulkAction<SeenDevice>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  if (!may('devices:write')) return []
  const own: BulkAction<SeenDevice>[] = [
    {
      label: t('device.pause'),
      act: ({ id }) => station('POST /devices/{id}/pause', { params: { id }, body: {} }),
      isFor: ({ state }) => state === 'active',
      touched: TOUCHED,
    },
    {
      label: t('device.resume'),
      act: ({ id }) => station('POST /devices/{id}/resume', { params: { id }, body: {} }),
      isFor: ({ state }) => state === 'paused',
      touched: TOUCHED,
    },
  ]
  if (!isOperator) return own
  return [
    {
      label: t('drain.drain'),
      act: ({ id }) =>
        station('POST /devices/{id}/drain', { params: { id }, body: { note: null } }),
      isFor: ({ drainedAt, state }) => drainedAt === null && state !== 'revoked',
      touched: TOUCHED,
    },
    {
      label: t('drain.undrain'),
      act: ({ id }) =>
        station('POST /devices/{id}/undrain', { params: { id }, body: { note: null } }),
      isFor: ({ drainedAt }) => drainedAt !== null,
      touched: TOUCHED,
    },
    {
      label: t('judge.expel'),
      act: ({ id }) =>
        station('POST /devices/{id}/expel', { params: { id }, body: { note: null } }),
      isFor: ({ trust }) => trust !== null,
      isDanger: true,
      confirm: {
        title: (count) => t('drain.expelMany', { count }),
        text: t('judge.expelText'),
        yes: t('judge.expel'),
      },
      touched: TOUCHED,
    },
    ...own,
  ]
}

function Where({ fleet }: { fleet: FleetMap }) {
  const { t } = useTranslation()
  const [withHosts, setHosts] = useState(false)
  const { chosen, choose } = useCountry()
  const { countries, dots, nowhere, hosts } = fleet
  if (countries.length === 0) return null
  return (
    <>
      <Totals fleet={fleet} />
      <section className="card">
        <h2>{t('fleet.where')}</h2>
        {hosts === null || hosts.length === 0 ? null : (
          <Checkbox isSelected={withHosts} onChange={setHosts}>
            <span className="box" aria-hidden="true" />
            {t('fleet.showHosts')}
          </Checkbox>
        )}
        <Suspense fallback={<p className="skeleton quiet">{t('loading')}</p>}>
          <WorldMap map={fleet} withHosts={withHosts} chosen={chosen} onChoose={choose} />
        </Suspense>
        {dots.length === 0 || nowhere > 0 ? (
          <p className="quiet">
            {t('fleet.nowhere', { count: nowhere })} {t('fleet.nowhereHelp')}{' '}
            <code>minga up --geoip FILE --places FILE</code>
          </p>
        ) : null}
        <details>
          <summary>{t('fleet.byCountry')}</summary>
          <Countries fleet={fleet} />
        </details>
      </section>
    </>
  )
}

function Totals({ fleet: { countries } }: { fleet: FleetMap }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  const { data: balance } = useStation(['balance', 'volunteer'], 'GET /balance', {
    query: { as: 'volunteer' },
    refetchInterval: EVERY_MS,
    enabled: may('ledger:read'),
  })
  const sum = (of: 'working' | 'idle' | 'away'): number =>
    countries.reduce((total, country) => total + country[of], 0)
  return (
    <FiguresList
      className="tiles"
      figures={[
        {
          label: t('devices.count'),
          value: format.count(sum('working') + sum('idle') + sum('away')),
        },
        { label: t('device.state.working'), value: format.count(sum('working')) },
        { label: t('device.state.idle'), value: format.count(sum('idle')) },
        { label: t('device.state.away'), value: format.count(sum('away')) },
        ...(balance === undefined
          ? []
          : [{ label: t('money.earned'), value: format.money(balance.balanceMicros) }]),
      ]}
    />
  )
}

function Countries({ fleet: { countries } }: { fleet: FleetMap }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { chosen, choose } = useCountry()
  const nameOf = (country: string | null): string =>
    country === null ? t('fleet.notKnown') : format.country(country)
  const count = (of: 'working' | 'idle' | 'away') => ({
    label: t(`device.state.${of}`),
    isNumber: true,
    value: (country: FleetMap['countries'][number]) => country[of],
    cell: (country: FleetMap['countries'][number]) => format.count(country[of]),
  })
  return (
    <DataTable
      caption={t('fleet.byCountry')}
      rows={countries}
      keyOf={({ country }) => country ?? ''}
      fileName="devices-by-country"
      columns={[
        {
          label: t('device.country'),
          value: ({ country }) => country,
          cell: ({ country }) => (
            <button
              type="button"
              className="plain"
              aria-pressed={chosen === countryWord(country)}
              onClick={() => choose(countryWord(country))}
            >
              {nameOf(country)}
            </button>
          ),
        },
        count('working'),
        count('idle'),
        count('away'),
      ]}
    />
  )
}

/** Which country's devices are listed, as the list keeps it in the address. */
function useCountry(): { chosen: string; choose: (word: string) => void } {
  const { country } = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const chosen = typeof country === 'string' ? country : ''
  const choose = (word: string): void =>
    void navigate({
      to: '.',
      search: ((former: Search) =>
        searchWith(former, '', { filters: { country: toggled(chosen, word) } })) as never,
      resetScroll: false,
    })
  return { chosen, choose }
}
