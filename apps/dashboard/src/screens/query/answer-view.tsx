/** An answer as a table or as a plot. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AnswerPlot } from './answer-plot.tsx'
import { AnswerTable } from './answer-table.tsx'
import type { Answer } from './quick-plot.ts'

interface AnswerViewProps {
  answer: Answer
  caption: string
  fileName: string
  name?: string
}

const VIEWS = ['table', 'plot'] as const

export function AnswerView({ answer, ...table }: AnswerViewProps) {
  const { t } = useTranslation()
  const [view, setView] = useState<(typeof VIEWS)[number]>('table')
  return (
    <>
      <div className="switch" role="group" aria-label={t('query.view.label')}>
        {VIEWS.map((one) => (
          <button key={one} type="button" aria-pressed={one === view} onClick={() => setView(one)}>
            {t(`query.view.${one}`)}
          </button>
        ))}
      </div>
      {view === 'table' ? (
        <AnswerTable answer={answer} {...table} />
      ) : (
        <AnswerPlot answer={answer} />
      )}
    </>
  )
}
