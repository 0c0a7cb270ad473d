/** The answer to a question in SQL, or what was wrong with it. */
import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ResultFormat } from '@minga/protocol'
import { ApiFailure } from '../../api/call.ts'
import { askSqlFile } from '../../api/queries.ts'
import { Failure } from '../../components/failure.tsx'
import { saveFile } from '../../components/list/save-file.ts'
import { useFormat } from '../../components/use-format.ts'
import { AnswerView } from './answer-view.tsx'
import { RESULT_FORMATS_SHOWN } from './formats.ts'
import type { Asking } from './sql-screen.tsx'

export function SqlAnswerView({ asking }: { asking: Asking }) {
  const { t } = useTranslation()
  const { error, answer, isStopped, isPending } = asking
  if (isStopped && !isPending) {
    return (
      <p className="banner info" role="status">
        {t('sql.stopped')}
      </p>
    )
  }
  if (error !== null) return <Wrong error={error} />
  return answer === null ? null : <Right answer={answer} />
}

/** DuckDB draws an arrow below the place: lines must stay as they are. */
function Wrong({ error }: { error: Error }) {
  const { t } = useTranslation()
  if (!(error instanceof ApiFailure) || error.message === '') return <Failure error={error} />
  return (
    <section className="card" role="alert">
      <h2>{t('sql.wrong')}</h2>
      <pre className="sql-problem" lang="en" tabIndex={0}>
        {error.message}
      </pre>
      <code>{error.code}</code>
    </section>
  )
}

function Right({ answer }: { answer: NonNullable<Asking['answer']> }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { sql, said, tookMs } = answer
  const table = useMemo(
    () => ({ columns: said.columns.map(({ name }) => name), rows: said.rows }),
    [said],
  )
  const file = useMutation({
    mutationFn: async (as: ResultFormat) => saveFile(await askSqlFile(sql, as), `answer.${as}`),
  })
  return (
    <section className="card">
      <h2>{t('sql.answer')}</h2>
      <p role="status" className="quiet">
        {t('sql.rows', {
          count: said.rows.length,
          number: format.count(said.rows.length),
          time: format.delay(Math.round(tookMs)),
        })}
        {said.isCut ? ` ${t('sql.cut')}` : ''}
      </p>
      <AnswerView answer={table} caption={t('sql.answer')} fileName="answer" />
      <p className="actions">
        {RESULT_FORMATS_SHOWN.map((as) => (
          <Button key={as} isDisabled={file.isPending} onPress={() => file.mutate(as)}>
            {t('sql.export', { format: as.toUpperCase() })}
          </Button>
        ))}
      </p>
      <Failure error={file.error} />
    </section>
  )
}
