/** The columns of the list of devices. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { linePath, perSecond } from './sparkline-path.ts'
import { Ago, useStationNow } from '../../components/ago.tsx'
import { type Choice, type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { useFormat } from '../../components/use-format.ts'
import { answersOf, DOING_WORDS, errorsOfDevice } from './device-marks.ts'
import { StandingMark, StateMark, WhyIdle } from './device-state.tsx'
import type { SeenDevice, Rates } from '../../api/station-api.ts'

export function useDeviceColumns(
  hasOwners: boolean,
  countries: readonly Choice[],
): ListColumn<SeenDevice>[] {
  const first = useIdentityColumns(hasOwners, countries)
  const work = useWorkColumns()
  const counts = useCountColumns()
  return [...first, ...work, ...counts]
}

function useIdentityColumns(
  hasOwners: boolean,
  countries: readonly Choice[],
): ListColumn<SeenDevice>[] {
  const { t } = useTranslation()
  const owner: ListColumn<SeenDevice> = {
    id: 'owner',
    label: t('device.owner'),
    as: 'text',
    value: ({ ownerName }) => ownerName,
    isAddress: true,
    canSort: true,
    isHidden: true,
  }
  return [
    {
      id: 'name',
      label: t('device.name'),
      isAddress: true,
      canSort: true,
      cell: (device) => <Name device={device} hasOwner={hasOwners} />,
    },
    ...(hasOwners ? [owner] : []),
    {
      id: 'doing',
      label: t('device.stateLabel'),
      canSort: true,
      filter: choiceOf(DOING_WORDS, (value) => t(`device.state.${value}`)),
      cell: (device) => (
        <>
          <StateMark device={device} />
          <WhyIdle device={device} />
        </>
      ),
    },
    {
      id: 'whyIdle',
      label: t('fleet.whyIdle'),
      isHidden: true,
      cell: (device) =>
        device.whyIdle === null ? t('figure.unknown') : <WhyIdle device={device} />,
    },
    useCountryColumn(countries),
    {
      id: 'software',
      label: t('fleet.version'),
      canSort: true,
      // All of them run the same program: only its number tells.
      cell: ({ software }) => <span title={software}>{software.split('/').at(-1)}</span>,
    },
    {
      id: 'system',
      label: t('device.system'),
      as: 'text',
      value: ({ os, osVersion }) => `${os} ${osVersion}`,
      isHidden: true,
    },
  ]
}

function useCountryColumn(countries: readonly Choice[]): ListColumn<SeenDevice> {
  const { t } = useTranslation()
  const format = useFormat()
  return {
    id: 'country',
    label: t('device.country'),
    canSort: true,
    filter: { kind: 'choice', choices: countries },
    cell: ({ country }) => (country === null ? t('figure.unknown') : format.country(country)),
  }
}

function useWorkColumns(): ListColumn<SeenDevice>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'lease',
      label: t('fleet.lease'),
      isNumber: true,
      isTime: true,
      value: ({ lease }) => lease?.openedAt ?? null,
      cell: ({ lease }) => (lease === null ? t('figure.unknown') : <Ago at={lease.openedAt} />),
    },
    {
      id: 'rates',
      label: t('fleet.downUp'),
      value: ({ rates }) => rates.downBytes.at(-1) ?? 0,
      cell: ({ rates }) => (
        <div className="sparklines">
          <Sparkline rates={rates} way="downBytes" />
          <Sparkline rates={rates} way="upBytes" />
        </div>
      ),
    },
    {
      id: 'trust',
      label: t('device.trust'),
      value: ({ trust }) => trust?.standing.state ?? null,
      cell: (device) => <StandingMark device={device} />,
    },
    {
      id: 'seenAt',
      label: t('device.seen'),
      isNumber: true,
      isTime: true,
      // Those that are connected were seen a moment ago, and the others say that they are away.
      isHidden: true,
      canSort: true,
      cell: ({ seenAt, agent }) => <Ago at={agent?.lastBeatAt ?? seenAt} />,
    },
  ]
}

function useCountColumns(): ListColumn<SeenDevice>[] {
  const { t } = useTranslation()
  const count = (
    id: string,
    label: string,
    value: (device: SeenDevice) => number,
  ): ListColumn<SeenDevice> => ({ id, label, as: 'count', isHidden: true, value })
  const bytes = ({ counters }: SeenDevice): number => counters.bytes
  return [
    { ...count('requests', t('fleet.answers'), answersOf), canSort: true },
    { id: 'bytes', label: t('figure.bytes'), as: 'bytes', value: bytes, canSort: true },
    count('n2xx', '2xx', ({ counters }) => counters.n_2xx),
    count('n3xx', '3xx', ({ counters }) => counters.n_3xx),
    count('n4xx', '4xx', ({ counters }) => counters.n_4xx),
    count('n5xx', '5xx', ({ counters }) => counters.n_5xx),
    count('errors', t('device.errors'), errorsOfDevice),
    {
      id: 'held',
      label: t('device.held'),
      as: 'money',
      isHidden: true,
      value: ({ heldMicros }) => heldMicros,
    },
    { id: 'enrolledAt', label: t('device.enrolled'), as: 'moment', isHidden: true, canSort: true },
  ]
}

function Name({ device, hasOwner }: { device: SeenDevice; hasOwner: boolean }) {
  return (
    <>
      <Link to="/devices/$id" params={{ id: device.id }}>
        {device.name}
      </Link>
      <span>{hasOwner ? `${device.ownerName} · ${device.hostName}` : device.hostName}</span>
    </>
  )
}

const BOX = { width: 72, height: 20 }

/** A rate in words, with half an hour of it as a small line. */
function Sparkline({ rates, way }: { rates: Rates; way: 'downBytes' | 'upBytes' }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  const values = rates[way]
  const rate = perSecond(values, rates, now)
  const isQuiet = values.every((value) => value === 0)
  return (
    <span className={`sparkline ${way === 'upBytes' ? 'up' : 'down'}`}>
      <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} aria-hidden="true">
        <path d={linePath(values, BOX)} className={isQuiet ? 'flat' : ''} />
      </svg>
      <span>{t('fleet.perSecond', { bytes: format.bytes(Math.round(rate)) })}</span>
    </span>
  )
}
