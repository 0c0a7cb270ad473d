/** Figures before and after, each with whether it became better. */
import { useTranslation } from 'react-i18next'
import { DataTable } from '../../components/data-table.tsx'
import { useFormat } from '../../components/use-format.ts'
import type { ComparedFigure, FigureChange } from './epoch-changes.ts'

interface FigureChangesProps {
  changes: readonly FigureChange[]
  before: string
  after: string
}

export function FigureChanges({ changes, before, after }: FigureChangesProps) {
  const { t } = useTranslation()
  const shown = useShown()
  return (
    <DataTable
      caption={t('place.beforeAfter')}
      rows={changes}
      keyOf={({ figure }) => figure}
      fileName="before-and-after"
      columns={[
        {
          label: t('place.figureLabel'),
          value: ({ figure }) => figure,
          cell: ({ figure }) => t(`place.figure.${figure}`),
        },
        {
          label: before,
          isNumber: true,
          value: (row) => row.before,
          cell: (row) => shown(row.figure, row.before),
        },
        {
          label: after,
          isNumber: true,
          value: (row) => row.after,
          cell: (row) => shown(row.figure, row.after),
        },
        {
          label: t('place.change'),
          isNumber: true,
          value: ({ change }) => change,
          cell: ({ figure, change }) => <Change figure={figure} change={change} />,
        },
      ]}
    />
  )
}

function useShown(): (figure: ComparedFigure, value: number | null) => string {
  const { t } = useTranslation()
  const format = useFormat()
  return (figure, value) => {
    if (value === null) return t('figure.unknown')
    if (figure === 'cut') return format.count(value)
    return figure === 'latencyMs' ? format.delay(Math.round(value)) : format.percent(value)
  }
}

/** Less is better for all of them: an arrow, a word and a colour say it. */
function Change({ figure, change }: Pick<FigureChange, 'figure' | 'change'>) {
  const { t } = useTranslation()
  const shown = useShown()
  if (change === null) return t('figure.unknown')
  if (change === 0) return t('place.same')
  const isBetter = change < 0
  return (
    <span className={isBetter ? 'better' : 'worse'}>
      {isBetter ? '▼' : '▲'} {shown(figure, Math.abs(change))}{' '}
      <span className="unseen">{t(isBetter ? 'place.better' : 'place.worse')}</span>
    </span>
  )
}
