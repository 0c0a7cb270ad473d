import { useTranslation } from 'react-i18next'
import type { LoadStepView } from '@minga/protocol'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Mark } from '../../parts/mark.tsx'
import { useFormat } from '../../parts/use-format.ts'

/** By the number of visitors: a test goes back to fewer of them to find the edge. */
export function StepTable({ steps }: { steps: readonly LoadStepView[] }) {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <DataTable
      caption={t('load.steps')}
      columns={columns}
      rows={steps.toSorted((a, b) => a.visitors - b.visitors)}
      keyOf={({ visitors }) => visitors}
    />
  )
}

function useColumns(): Column<LoadStepView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const latency = (name: 'p50Ms' | 'p90Ms' | 'p95Ms' | 'p99Ms'): Column<LoadStepView> => ({
    label: name.slice(0, 3),
    isNumber: true,
    cell: ({ [name]: ms }) => (ms === null ? t('figure.unknown') : format.delay(Math.round(ms))),
  })
  return [
    { label: t('load.visitors'), cell: ({ visitors }) => format.count(visitors) },
    {
      label: t('load.requests'),
      isNumber: true,
      cell: ({ requests }) => format.count(requests),
    },
    {
      label: t('load.perSecond'),
      isNumber: true,
      cell: ({ perSecond }) => format.rate(perSecond),
    },
    latency('p50Ms'),
    latency('p90Ms'),
    latency('p95Ms'),
    latency('p99Ms'),
    { label: t('load.errors'), isNumber: true, cell: (step) => <Errors step={step} /> },
    { label: t('load.borne'), cell: (step) => <Borne step={step} /> },
  ]
}

function Errors({ step: { errorRate, errors } }: { step: LoadStepView }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <>
      {format.percent(errorRate)}
      {Object.entries(errors).map(([kind, count]) => (
        <p key={kind} className="quiet reason">
          {format.count(count)} × {t(`load.error.${kind}`)}
        </p>
      ))}
    </>
  )
}

function Borne({ step: { doesBear, isHeldBack } }: { step: LoadStepView }) {
  const { t } = useTranslation()
  return (
    <>
      <Mark kind={doesBear ? 'good' : 'bad'} text={t(doesBear ? 'load.yes' : 'load.no')} />
      {isHeldBack ? <p className="quiet reason">{t('load.heldBack')}</p> : null}
    </>
  )
}
