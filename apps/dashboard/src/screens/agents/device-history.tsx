/** What a device fetched last, and what was decided about it. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { DeviceRequestRow } from '../../api/api-types.ts'
import { readDeviceRequests, readTrustLog } from '../../api/devices.ts'
import { readable } from '../../live/error-meaning.ts'
import { Ago } from '../../parts/ago.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import type { ListColumn } from '../../parts/list/list-column.ts'
import { pagesAfter } from '../../parts/list/list-rows.ts'
import { List } from '../../parts/list/list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Outcome } from '../../parts/outcome.tsx'
import { useFormat } from '../../parts/use-format.ts'

const ROWS = 50
const EVERY_MS = 5_000

export function DeviceRequests({ id }: { id: string }) {
  const { t } = useTranslation()
  const read = pagesAfter<DeviceRequestRow, number>(
    (beforeId, limit) => readDeviceRequests(id, beforeId, limit),
    (last) => last.id,
  )
  return (
    <section className="card">
      <h2>{t('device.requests')}</h2>
      <p className="quiet">{t('device.requestsNote')}</p>
      <List
        caption={t('device.requests')}
        columns={useColumns()}
        keyOf={(row) => row.id}
        fileName="requests"
        empty={<EmptyState title={t('device.noRequests')} />}
        pages={{ key: ['device', id, 'requests'], everyMs: EVERY_MS, limit: ROWS, read }}
      />
    </section>
  )
}

function useColumns(): ListColumn<DeviceRequestRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      id: 'status',
      label: t('captures.status'),
      value: ({ outcome, status }) => status ?? outcome,
      cell: ({ outcome, status }) => <Outcome outcome={outcome} status={status} />,
    },
    {
      id: 'url',
      label: t('captures.page'),
      isAddress: true,
      value: ({ url }) => url,
      cell: ({ url, code }) => (
        <>
          {url ?? t('figure.unknown')}
          {code === null ? null : <span title={code}>{readable(code)}</span>}
        </>
      ),
    },
    {
      id: 'bytes',
      label: t('figure.bytes'),
      isNumber: true,
      value: ({ responseBytes }) => responseBytes,
      cell: ({ responseBytes }) => format.bytes(responseBytes),
    },
    {
      id: 'took',
      label: t('device.took'),
      isNumber: true,
      value: ({ elapsedMs }) => elapsedMs,
      cell: ({ elapsedMs }) => format.delay(elapsedMs),
    },
    {
      id: 'at',
      label: t('captures.when'),
      isNumber: true,
      isTime: true,
      value: ({ at }) => at,
      cell: ({ at }) => <Ago at={at} />,
    },
  ]
}

export function TrustLog({ id }: { id: string }) {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const query = useQuery({ queryKey: ['trust', id], queryFn: () => readTrustLog(id, ROWS) })
  const reasonOf = (reason: string): string =>
    i18n.exists(`trust.reason.${reason}`) ? t(`trust.reason.${reason}`) : reason
  return (
    <Loaded query={query}>
      {(rows) => (
        <ul className="log">
          {rows.map((row) => (
            <li key={row.id}>
              <b>{t(`trust.action.${row.action}`)}</b>{' '}
              <span className="quiet">{format.moment(row.at)}</span>
              {row.reason === null ? null : <p>{reasonOf(row.reason)}</p>}
              {row.note === null ? null : <p>“{row.note}”</p>}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}
