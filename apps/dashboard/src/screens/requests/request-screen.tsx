import { useEffect } from 'react'
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { BatchView } from '@minga/protocol'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { events } from '../../api/event-stream.ts'
import { station } from '../../api/station.ts'
import { BatchMark, BatchProgress } from '../../components/batch-progress.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { DownloadLink } from '../../components/download-link.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { ResultTable } from './result-table.tsx'

export const RequestScreen = permitted('requests:read', 'batch.title', Batch)

function Batch() {
  const { t } = useTranslation()
  const { id = '' } = useParams({ strict: false })
  const query = useBatch(id)
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('batch.title')}</h1> : null}
      <Loaded query={query}>
        {(batch) => (
          <>
            <Summary batch={batch} />
            <ResultTable key={id} batch={batch} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Summary({ batch }: { batch: BatchView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { id, endedAt } = batch
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/requests">{t('batch.title')}</Link>
          </p>
          <h1>{id}</h1>
        </div>
        <BatchMark batch={batch} />
      </header>
      <BatchProgress batch={batch} />
      <FiguresList
        figures={[
          { label: t('outcome.captured'), value: format.count(batch.captured) },
          { label: t('batch.fromCache'), value: format.count(batch.fromCache) },
          { label: t('outcome.failed'), value: format.count(batch.failed) },
          { label: t('outcome.denied'), value: format.count(batch.denied) },
          { label: t('outcome.cancelled'), value: format.count(batch.cancelled) },
          { label: t('figure.bytes'), value: format.bytes(batch.bytes) },
          { label: t('batch.priority'), value: t(`batch.priorities.${batch.priority}`) },
          { label: t('collection.begun'), value: format.moment(batch.createdAt) },
          ...(endedAt === null
            ? []
            : [{ label: t('collection.ended'), value: format.moment(endedAt) }]),
        ]}
      />
      <BatchActions batch={batch} />
    </section>
  )
}

function BatchActions({ batch }: { batch: BatchView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { id, state } = batch
  const cancel = useChange(
    () => station('POST /batches/{id}/cancel', { params: { id }, body: {} }),
    ['batch', 'batches', 'results'],
  )
  const isOpen = state === 'running' || state === 'filling'
  return (
    <div className="actions">
      <DownloadLink path={`/batches/${id}/results`} fileName={`${id}.jsonl`} isLarge>
        {t('batch.ndjson')}
      </DownloadLink>
      <DownloadLink path={`/batches/${id}/warc`} fileName={`${id}.warc.gz`} isLarge>
        {t('batch.warc')}
      </DownloadLink>
      {isOpen && may('requests:send') ? (
        <ConfirmButton
          label={t('batch.cancel')}
          title={t('batch.cancelTitle')}
          text={t('batch.cancelText')}
          yes={t('batch.cancelYes')}
          no={t('batch.cancelNo')}
          onConfirm={() => cancel.mutate(undefined)}
        />
      ) : null}
      <Failure error={cancel.error} />
    </div>
  )
}

/** When the stream broke, or before it opened. */
const POLL_MS = 5_000

/** A batch as it is now: by its stream of events while that holds, by asking when it does not. */
function useBatch(id: string): UseQueryResult<BatchView> {
  const queries = useQueryClient()
  const isOver = (batch: BatchView | undefined): boolean =>
    batch !== undefined && batch.open === 0 && batch.state !== 'filling'
  const query = useQuery({
    queryKey: ['batch', id],
    queryFn: () => station('GET /batches/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : POLL_MS),
  })
  const ended = isOver(query.data)
  useEffect(() => {
    if (ended) return
    const gone = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const { event, data } of events(`/batches/${id}/events`, gone.signal)) {
        if (event === 'result') continue
        queries.setQueryData(['batch', id], JSON.parse(data) as BatchView)
      }
    }
    // Without the stream the batch is asked for every few seconds.
    follow().catch(() => undefined)
    return () => gone.abort()
  }, [queries, id, ended])
  return query
}
