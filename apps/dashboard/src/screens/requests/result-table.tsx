import type { BatchView, ResultLine } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { readable } from '../../live/error-meaning.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Outcome } from '../../components/outcome.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'

const OUTCOMES = [
  'captured',
  'failed',
  'denied',
  'cancelled',
] as const satisfies readonly ResultLine['outcome'][]

const EVERY_MS = 2_000

/** In the order in which they came. */
export function ResultTable({ batch }: { batch: BatchView }) {
  const { t } = useTranslation()
  const columns = useColumns(batch)
  const isOpen = batch.state === 'running' || batch.state === 'filling'
  return (
    <ListCard
      caption={t('batch.results')}
      columns={columns}
      keyOf={({ no }) => no}
      searchLabel={t('batch.searchResults')}
      firstSort="no"
      fileName={batch.id}
      empty={<EmptyState title={t('batch.noResults')} />}
      pages={{
        // The last results of one that has ended are read once more.
        key: ['results', batch.id, isOpen],
        read: sortedPages((query) =>
          station('GET /batches/{id}/results/page', { params: { id: batch.id }, query }),
        ),
        ...(isOpen ? { everyMs: EVERY_MS } : {}),
      }}
    />
  )
}

function useColumns(batch: BatchView): ListColumn<ResultLine>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  const columns: ListColumn<ResultLine>[] = [
    useNumberColumn(),
    {
      id: 'outcome',
      label: t('captures.status'),
      canSort: true,
      filter: choiceOf(OUTCOMES, (value) => t(`outcome.${value}`)),
      cell: ({ outcome, status }) => <Outcome outcome={outcome} status={status} />,
      value: ({ outcome, status }) => (status === null ? outcome : `${outcome} ${status}`),
    },
    {
      id: 'url',
      label: t('captures.page'),
      isAddress: true,
      canSort: true,
      cell: ({ url, finalUrl, code }) => (
        <>
          {url}
          {finalUrl === null || finalUrl === url ? null : <span>→ {finalUrl}</span>}
          {code === null ? null : <span title={code}>{readable(code)}</span>}
        </>
      ),
    },
    { id: 'bytes', label: t('figure.bytes'), as: 'bytes', canSort: true },
    {
      id: 'isVerified',
      label: t('batch.checked'),
      filter: {
        kind: 'choice',
        choices: [
          { value: 'true', label: t('batch.verified') },
          { value: 'false', label: t('batch.unverified') },
        ],
      },
      cell: (line) => <Checked line={line} />,
      value: ({ verified }) => verified,
    },
  ]
  if (!may('requests:send')) return columns
  return [
    ...columns,
    {
      id: 'change',
      label: t('join.change'),
      content: (line) => <Complaint batchId={batch.id} line={line} />,
    },
  ]
}

/** In which order they came. */
function useNumberColumn(): ListColumn<ResultLine> {
  const { t } = useTranslation()
  return { id: 'no', label: t('batch.no'), as: 'count', canSort: true, isHidden: true }
}

function Checked({ line }: { line: ResultLine }) {
  const { t } = useTranslation()
  if (line.outcome !== 'captured') return t('figure.unknown')
  return (
    <>
      <StatusBadge
        kind={line.verified ? 'info' : 'quiet'}
        text={t(line.verified ? 'batch.verified' : 'batch.unverified')}
      />
      {line.fromCache ? <p className="quiet reason">{t('batch.fromCache')}</p> : null}
    </>
  )
}

function Complaint({ batchId, line }: { batchId: string; line: ResultLine }) {
  const { t } = useTranslation()
  const send = useChange(
    (note: string) =>
      station('POST /batches/{id}/results/{seq}/complaint', {
        params: { id: batchId, seq: line.seq },
        body: { note: note === '' ? null : note },
      }),
    [],
  )
  if (line.outcome !== 'captured') return t('figure.unknown')
  if (send.data !== undefined) {
    return <span role="status">{t(send.data.isNew ? 'complaint.taken' : 'complaint.known')}</span>
  }
  return (
    <>
      <ConfirmButton
        label={t('complaint.complain')}
        title={t('complaint.title')}
        text={t('complaint.text')}
        yes={t('complaint.send')}
        noteLabel={t('complaint.note')}
        isDanger={false}
        isDisabled={send.isPending}
        onConfirm={(note) => send.mutate(note)}
      />
      <Failure error={send.error} />
    </>
  )
}
