/** What a device fetched last, and what was decided about it. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { readable } from '../../live/error-meaning.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { List, ListCard } from '../../components/list/list.tsx'
import { Outcome } from '../../components/outcome.tsx'
import type { DetailView, DeviceTrust } from '../../api/station-api.ts'

const readTrustLog = async (id: string, limit: number): Promise<DeviceTrust['log'][number][]> => {
  const { log } = await station('GET /devices/{id}/trust', { params: { id }, query: { limit } })
  return log
}

const ROWS = 50
/** Decisions about one device; the foot says when there were more. */
const DECISIONS_MAX = 1_000
const EVERY_MS = 5_000

export function DeviceRequests({ id }: { id: string }) {
  const { t } = useTranslation()
  const read = pagesAfter<DetailView, number>(
    (beforeId, limit) =>
      station('GET /devices/{id}/requests', { params: { id }, query: { beforeId, limit } }),
    (last) => last.id,
  )
  return (
    <ListCard
      caption={t('device.requests')}
      lead={t('device.requestsNote')}
      columns={useColumns()}
      keyOf={(row) => row.id}
      fileName="requests"
      empty={<EmptyState title={t('device.noRequests')} />}
      pages={{ key: ['device', id, 'requests'], everyMs: EVERY_MS, limit: ROWS, read }}
    />
  )
}

function useColumns(): ListColumn<DetailView>[] {
  const { t } = useTranslation()
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
      as: 'bytes',
      value: ({ responseBytes }) => responseBytes,
    },
    { id: 'took', label: t('device.took'), as: 'delay', value: ({ elapsedMs }) => elapsedMs },
    { id: 'at', label: t('captures.when'), as: 'ago', isNumber: true },
  ]
}

export function TrustLog({ id }: { id: string }) {
  const { t } = useTranslation()
  const query = useQuery({
    queryKey: ['trust', id],
    queryFn: () => readTrustLog(id, DECISIONS_MAX),
  })
  return (
    <List
      name="trust"
      caption={t('trust.log')}
      columns={useTrustColumns()}
      rows={{ ...query, hasUnread: query.data?.length === DECISIONS_MAX }}
      keyOf={(row) => row.id}
      firstSort="-at"
      fileName="decisions"
      empty={<p className="quiet">{t('trust.noLog')}</p>}
    />
  )
}

function useTrustColumns(): ListColumn<DeviceTrust['log'][number]>[] {
  const { t, i18n } = useTranslation()
  const reasonOf = (reason: string): string =>
    i18n.exists(`trust.reason.${reason}`) ? t(`trust.reason.${reason}`) : reason
  return [
    { id: 'at', label: t('captures.when'), as: 'moment', filter: { kind: 'time' } },
    {
      id: 'action',
      label: t('trust.what'),
      cell: ({ action }) => <b>{t(`trust.action.${action}`)}</b>,
    },
    {
      id: 'reason',
      label: t('trust.why'),
      isAddress: true,
      value: ({ reason, note }) => [reason, note].filter((text) => text !== null).join(': '),
      cell: ({ reason, note }) => (
        <>
          {reason === null ? null : reasonOf(reason)}
          {note === null ? null : <span>“{note}”</span>}
          {reason === null && note === null ? t('figure.unknown') : null}
        </>
      ),
    },
  ]
}
