/** What a device fetched last, and what was decided about it. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { DeviceRequestRow } from '../../api/api-types.ts'
import { readDeviceRequests, readTrustLog } from '../../api/devices.ts'
import { readable } from '../../live/error-meaning.ts'
import { Ago } from '../../parts/ago.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Outcome } from '../../parts/outcome.tsx'
import { useFormat } from '../../parts/use-format.ts'

const ROWS = 50
const EVERY_MS = 5_000

export function DeviceRequests({ id }: { id: string }) {
  const { t } = useTranslation()
  const query = useQuery({
    queryKey: ['device', id, 'requests'],
    queryFn: () => readDeviceRequests(id, ROWS),
    refetchInterval: EVERY_MS,
  })
  const columns = useColumns()
  return (
    <section className="card">
      <h2>{t('device.requests')}</h2>
      <p className="quiet">{t('device.requestsNote')}</p>
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="quiet">{t('device.noRequests')}</p>
          ) : (
            <DataTable
              caption={t('device.requests')}
              columns={columns}
              rows={rows}
              keyOf={(row) => row.id}
            />
          )
        }
      </Loaded>
    </section>
  )
}

function useColumns(): Column<DeviceRequestRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      label: t('captures.status'),
      cell: ({ outcome, status }) => <Outcome outcome={outcome} status={status} />,
    },
    {
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, code }) => (
        <>
          {url ?? t('figure.unknown')}
          {code === null ? null : <span title={code}>{readable(code)}</span>}
        </>
      ),
    },
    {
      label: t('figure.bytes'),
      isNumber: true,
      cell: ({ responseBytes }) => format.bytes(responseBytes),
    },
    {
      label: t('device.took'),
      isNumber: true,
      cell: ({ elapsedMs }) => format.delay(elapsedMs),
    },
    { label: t('captures.when'), isNumber: true, cell: ({ at }) => <Ago at={at} /> },
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
