import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { DeviceRow } from '../../api/api-types.ts'
import { readDevices } from '../../api/devices.ts'
import { readBalance } from '../../api/money.ts'
import { Ago } from '../../parts/ago.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark } from '../../parts/mark.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { errorsOfDevice, stateOf, trustMarkOf } from './device-marks.ts'

const ROWS = 100
/** Counters move with every upload, and nobody counts along. */
const EVERY_MS = 5_000

export function DevicesScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="devices:read" title={t('devices.title')}>
      <Devices />
    </ForThoseWho>
  )
}

function Devices() {
  const { t } = useTranslation()
  const { may } = useMe()
  const pages = usePages<DeviceRow, string>({
    key: ['devices'],
    rows: ROWS,
    read: (after, limit) => readDevices(after ?? '', limit),
    cursorOf: ({ id }) => id,
    everyMs: EVERY_MS,
  })
  const isOperator = may('devices:judge')
  const columns = useColumns(isOperator)
  return (
    <>
      <h1>{isOperator ? t('devices.all') : t('devices.title')}</h1>
      <Loaded query={pages.query}>
        {(devices) =>
          devices.length === 0 ? (
            <NoDevices />
          ) : (
            <>
              <Totals devices={devices} />
              <section className="card">
                <DataTable
                  caption={t('devices.title')}
                  columns={columns}
                  rows={devices}
                  keyOf={({ id }) => id}
                />
                <MoreButton pages={pages} />
              </section>
            </>
          )
        }
      </Loaded>
    </>
  )
}

function NoDevices() {
  const { t } = useTranslation()
  return (
    <section className="card narrow">
      <h2>{t('devices.none')}</h2>
      <p>{t('devices.noneText')}</p>
      <Link to="/join" className="button primary">
        {t('join.title')}
      </Link>
    </section>
  )
}

function Totals({ devices }: { devices: DeviceRow[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  const { data: balance } = useQuery({
    queryKey: ['balance', 'volunteer'],
    queryFn: () => readBalance('volunteer'),
    enabled: may('ledger:read'),
    refetchInterval: EVERY_MS,
  })
  const sum = (count: (device: DeviceRow) => number): number =>
    devices.reduce((total, device) => total + count(device), 0)
  return (
    <FiguresList
      className="tiles"
      figures={[
        { label: t('devices.count'), value: format.count(devices.length) },
        {
          label: t('device.state.working'),
          value: format.count(sum((device) => (stateOf(device).word === 'working' ? 1 : 0))),
        },
        { label: t('figure.bytes'), value: format.bytes(sum(({ counters }) => counters.bytes)) },
        ...(balance === undefined
          ? []
          : [{ label: t('money.earned'), value: format.money(balance.balanceMicros) }]),
        { label: t('device.held'), value: format.money(sum(({ heldMicros }) => heldMicros)) },
      ]}
    />
  )
}

function useColumns(hasOwners: boolean): Column<DeviceRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const count = (label: string, of: (device: DeviceRow) => number): Column<DeviceRow> => ({
    label,
    isNumber: true,
    cell: (device) => format.count(of(device)),
  })
  return [
    { label: t('device.name'), isAddress: true, cell: (device) => <Name device={device} /> },
    ...(hasOwners
      ? [{ label: t('device.owner'), isAddress: true, cell: ({ owner }: DeviceRow) => owner }]
      : []),
    { label: t('device.stateLabel'), cell: (device) => <StateMark device={device} /> },
    { label: t('device.trust'), cell: (device) => <StandingMark device={device} /> },
    { label: t('device.system'), isAddress: true, cell: (device) => <System device={device} /> },
    {
      label: t('device.country'),
      cell: ({ country }) => (country === null ? t('figure.unknown') : format.country(country)),
    },
    { label: t('device.seen'), cell: ({ seenAt }) => <Ago at={seenAt} /> },
    count('2xx', ({ counters }) => counters.n_2xx),
    count('3xx', ({ counters }) => counters.n_3xx),
    count('4xx', ({ counters }) => counters.n_4xx),
    count('5xx', ({ counters }) => counters.n_5xx),
    count(t('device.errors'), errorsOfDevice),
    {
      label: t('figure.bytes'),
      isNumber: true,
      cell: ({ counters }) => format.bytes(counters.bytes),
    },
    {
      label: t('device.held'),
      isNumber: true,
      cell: ({ heldMicros }) => format.money(heldMicros),
    },
  ]
}

function Name({ device }: { device: DeviceRow }) {
  return (
    <>
      <Link to="/devices/$id" params={{ id: device.id }}>
        {device.name}
      </Link>
      <span>{device.hostName}</span>
    </>
  )
}

function System({ device }: { device: DeviceRow }) {
  return (
    <>
      {device.os} {device.osVersion}
      <span>{device.software}</span>
    </>
  )
}

export function StateMark({ device }: { device: DeviceRow }) {
  const { t } = useTranslation()
  const { kind, word } = stateOf(device)
  return <Mark kind={kind} text={t(`device.state.${word}`)} />
}

/** With the reason, when it may not work. */
export function StandingMark({ device }: { device: DeviceRow }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { kind, word } = trustMarkOf(device.trust)
  const { reason = null, blockedUntil = null } = device.trust?.standing ?? {}
  return (
    <>
      <Mark kind={kind} text={t(`trust.state.${word}`)} />
      {reason === null ? null : <p className="quiet reason">{t(`trust.reason.${reason}`)}</p>}
      {blockedUntil === null ? null : (
        <p className="quiet reason">{t('trust.until', { time: format.moment(blockedUntil) })}</p>
      )}
    </>
  )
}
