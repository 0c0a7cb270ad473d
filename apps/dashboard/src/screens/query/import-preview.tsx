/** What an import would do, tried on the first rows of its file after every change of a rule. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ImportPreview, ImportReject, InputSource } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { ApiFailure, isTriedAgain } from '../../api/call.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { AnswerTable } from './answer-table.tsx'
import type { Rules } from './import-form.ts'

/** Several changes of rules within this time cause one request. */
const SETTLED_MS = 500
const BUSY_TRIES = 5

const KINDS = { dropped: 'bad', emptied: 'warn', mended: 'info' } as const satisfies Record<
  ImportReject['outcome'],
  StatusKind
>

export function ImportPreviewed({ input, rules }: { input: InputSource; rules: Rules }) {
  const { t } = useTranslation()
  const tried = useSettled(rules)
  const preview = useQuery({
    queryKey: ['import-preview', input, tried],
    queryFn: () => station('POST /tables/preview', { body: { input, rules: { columns: tried } } }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: (failures, error) =>
      isBusy(error) ? failures < BUSY_TRIES : isTriedAgain(failures, error),
  })
  const isOld = tried !== rules || preview.isFetching
  return (
    <section className="import-preview" aria-busy={isOld}>
      <header>
        <h3>{t('tables.preview.title')}</h3>
        <p role="status" className="quiet">
          {isOld ? t('tables.preview.trying') : ''}
        </p>
      </header>
      <Loaded query={preview}>{(shown) => <Previewed preview={shown} />}</Loaded>
    </section>
  )
}

const isBusy = (error: Error): boolean =>
  error instanceof ApiFailure && error.code === 'MINGA_PREVIEW_BUSY'

/** The value once it has not changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

function Previewed({ preview }: { preview: ImportPreview }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { columns, rows, rowsRead, rowsKept, isWhole, rejects } = preview
  const answer = useMemo(
    () => ({ columns: columns.map(({ name }) => name), rows }),
    [columns, rows],
  )
  const counts = { count: rowsRead, number: format.count(rowsRead), kept: format.count(rowsKept) }
  return (
    <>
      <p>
        {isWhole ? t('tables.preview.whole', counts) : t('tables.preview.part', counts)}{' '}
        {rejects.length === 0 ? t('tables.preview.clean') : ''}
      </p>
      {rejects.length === 0 ? null : <Rejects preview={preview} />}
      <details>
        <summary>{t('tables.preview.rows')}</summary>
        <AnswerTable
          answer={answer}
          caption={t('tables.preview.rows')}
          fileName="preview"
          name="preview"
        />
      </details>
    </>
  )
}

function Rejects({ preview }: { preview: ImportPreview }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <DataTable<ImportReject>
      caption={t('tables.preview.rejects')}
      columns={[
        { label: t('query.reason'), isAddress: true, cell: ({ reason }) => <code>{reason}</code> },
        {
          label: t('tables.preview.outcomeLabel'),
          cell: ({ outcome }) => (
            <StatusBadge kind={KINDS[outcome]} text={t(`tables.preview.outcome.${outcome}`)} />
          ),
        },
        { label: t('errors.count'), isNumber: true, cell: ({ count }) => format.count(count) },
        {
          label: t('tables.preview.examples'),
          isAddress: true,
          cell: ({ examples }) => <Examples examples={examples} format={preview.format} />,
        },
      ]}
      rows={preview.rejects}
      keyOf={({ reason }) => reason}
    />
  )
}

interface ExamplesProps {
  examples: ImportReject['examples']
  /** Of the file. */
  format: string
}

function Examples({ examples, format: kind }: ExamplesProps) {
  const { t } = useTranslation()
  const format = useFormat()
  if (examples.length === 0) return <span className="quiet">–</span>
  const place = (line: number): string => {
    const number = format.count(line)
    return kind === 'parquet' || kind === 'warc'
      ? t('tables.preview.record', { number })
      : t('tables.preview.line', { number })
  }
  return (
    <ul className="reject-examples">
      {examples.map(({ line, text }, at) => (
        <li key={`${line ?? 'none'}-${at}`}>
          {line === null ? null : <small className="quiet">{place(line)}</small>}{' '}
          {text === '' ? (
            <span className="quiet">{t('tables.preview.nothing')}</span>
          ) : (
            <code>{text}</code>
          )}
        </li>
      ))}
    </ul>
  )
}
