import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { BatchView, ResultLine } from '../../api/api-types.ts'
import { complain, readResults } from '../../api/requests.ts'
import { readable } from '../../live/error-meaning.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Outcome } from '../../parts/outcome.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { useMe } from '../../people/use-me.ts'

const ROWS = 50

/** In the order in which they came; each page begins after the last result of the one before. */
export function ResultTable({ batch }: { batch: BatchView }) {
  const { t } = useTranslation()
  const [starts, setStarts] = useState([0])
  const after = starts.at(-1)!
  const done = batch.total - batch.open
  const query = useQuery({
    // A page that is not full is read again when more has come.
    queryKey: ['results', batch.id, after, Math.min(done, after + ROWS)],
    queryFn: () => readResults(batch.id, { after, limit: ROWS }),
    placeholderData: (former) => former,
  })
  const columns = useColumns(batch)
  return (
    <section className="card">
      <h2>{t('batch.results')}</h2>
      <Loaded query={query}>
        {(results) =>
          results.length === 0 ? (
            <p className="quiet">{t('batch.noResults')}</p>
          ) : (
            <DataTable
              caption={t('batch.results')}
              columns={columns}
              rows={results}
              keyOf={({ no }) => no}
            />
          )
        }
      </Loaded>
      <div className="pager">
        <Button isDisabled={starts.length === 1} onPress={() => setStarts(starts.slice(0, -1))}>
          {t('batch.back')}
        </Button>
        <span className="quiet">{t('captures.pageNumber', { page: starts.length })}</span>
        <Button
          isDisabled={query.data === undefined || query.data.length < ROWS}
          onPress={() => setStarts([...starts, query.data!.at(-1)!.no])}
        >
          {t('batch.next')}
        </Button>
      </div>
    </section>
  )
}

function useColumns(batch: BatchView): Column<ResultLine>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  return [
    {
      label: t('captures.status'),
      cell: ({ outcome, status }) => <Outcome outcome={outcome} status={status} />,
    },
    {
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, finalUrl, code }) => (
        <>
          {url}
          {finalUrl === null || finalUrl === url ? null : <span>→ {finalUrl}</span>}
          {code === null ? null : <span title={code}>{readable(code)}</span>}
        </>
      ),
    },
    {
      label: t('figure.bytes'),
      isNumber: true,
      cell: ({ bytes }) => (bytes === null ? t('figure.unknown') : format.bytes(bytes)),
    },
    { label: t('batch.checked'), cell: (line) => <Checked line={line} /> },
    ...(may('requests:send')
      ? [
          {
            label: t('join.change'),
            cell: (line: ResultLine) => <Complaint batchId={batch.id} line={line} />,
          },
        ]
      : []),
  ]
}

function Checked({ line }: { line: ResultLine }) {
  const { t } = useTranslation()
  if (line.outcome !== 'captured') return t('figure.unknown')
  return (
    <>
      <Mark
        kind={line.verified ? 'info' : 'quiet'}
        text={t(line.verified ? 'batch.verified' : 'batch.unverified')}
      />
      {line.fromCache ? <p className="quiet reason">{t('batch.fromCache')}</p> : null}
    </>
  )
}

function Complaint({ batchId, line }: { batchId: string; line: ResultLine }) {
  const { t } = useTranslation()
  const send = useChange((note: string) => complain(batchId, line.seq, note), [])
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
