import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { BatchView } from '../../api/api-types.ts'
import { cancelBatch } from '../../api/requests.ts'
import { useBatch } from '../../live/use-batch.ts'
import { BatchMark, BatchProgress } from '../../parts/batch-progress.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { DownloadLink } from '../../parts/download-link.tsx'
import { Failure } from '../../parts/failure.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { ResultTable } from './result-table.tsx'

export function RequestScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="requests:read" title={t('batch.title')}>
      <Batch />
    </ForThoseWho>
  )
}

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
  const cancel = useChange(() => cancelBatch(id), ['batch', 'batches', 'results'])
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
