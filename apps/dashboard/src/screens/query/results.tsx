/** What a query found: its rows as they come, then in order, as a table, a plot and a file. */
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { QueryView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { AnswerView } from './answer-view.tsx'
import { ROWS_MOST } from './use-query-news.ts'

export function Results({ view, rows }: { view: QueryView; rows: Record<string, unknown[][]> }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState('')
  const { results, state } = view
  const result = results.find(({ name }) => name === chosen) ?? results[0]
  if (result === undefined || (state !== 'running' && state !== 'done')) return null
  return (
    <section className="card">
      <h2>{state === 'running' ? t('query.rowsSoFar') : t('query.results')}</h2>
      {results.length < 2 ? null : (
        <div className="switch" role="group" aria-label={t('query.results')}>
          {results.map(({ name }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === result.name}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      {state === 'running' ? (
        <RowsSoFar result={result} rows={rows[result.name] ?? []} />
      ) : (
        <Whole key={result.name} view={view} result={result} />
      )}
    </section>
  )
}

type Result = QueryView['results'][number]

function RowsSoFar({ result, rows }: { result: Result; rows: unknown[][] }) {
  const { t } = useTranslation()
  const answer = useMemo(() => ({ columns: result.columns, rows }), [result.columns, rows])
  if (rows.length === 0) return <p className="quiet">{t('query.noRowsYet')}</p>
  return (
    <>
      <p className="quiet">{t('query.unsorted')}</p>
      <AnswerView answer={answer} caption={result.name} fileName={result.name} />
    </>
  )
}

function Whole({ view, result }: { view: QueryView; result: Result }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { id } = view
  const { name, columns, rows, bytes } = result
  const read = useStation(['query-rows', id, name], 'GET /queries/{id}/results/{name}/rows', {
    params: { id, name },
    query: { limit: ROWS_MOST },
    staleTime: Number.POSITIVE_INFINITY,
  })
  const answer = useMemo(() => ({ columns, rows: read.data?.rows ?? [] }), [read.data, columns])
  const isCut = rows !== null && rows > answer.rows.length && read.data !== undefined
  return (
    <>
      <p className="actions">
        <DownloadLink
          path={`/queries/${id}/results/${encodeURIComponent(name)}`}
          fileName={`${name}.${result.format}`}
          isLarge
        >
          {t('query.download', {
            format: result.format.toUpperCase(),
            rows: format.count(rows ?? 0),
            bytes: format.bytes(bytes ?? 0),
          })}
        </DownloadLink>
      </p>
      {isCut ? <p className="quiet">{t('query.cut', { count: answer.rows.length })}</p> : null}
      <Loaded query={read}>
        {() => <AnswerView answer={answer} caption={name} fileName={name} />}
      </Loaded>
    </>
  )
}
