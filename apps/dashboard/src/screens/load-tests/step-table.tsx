import { useTranslation } from 'react-i18next'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import type { StepSummary } from '../../api/station-api.ts'

/** By the number of visitors: a test goes back to fewer of them to find the edge. */
export function StepTable({ steps }: { steps: readonly StepSummary[] }) {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <List
      name="steps"
      caption={t('load.steps')}
      columns={columns}
      rows={{ data: steps, error: null }}
      keyOf={({ visitors }) => visitors}
      firstSort="visitors"
      fileName="load-steps"
      searchLabel={null}
      empty={null}
    />
  )
}

function useColumns(): ListColumn<StepSummary>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const latency = (id: 'p50Ms' | 'p90Ms' | 'p95Ms' | 'p99Ms'): ListColumn<StepSummary> => ({
    id,
    label: id.slice(0, 3),
    isNumber: true,
    value: ({ [id]: ms }) => ms,
    cell: ({ [id]: ms }) => (ms === null ? t('figure.unknown') : format.delay(Math.round(ms))),
  })
  return [
    { id: 'visitors', label: t('load.visitors'), cell: ({ visitors }) => format.count(visitors) },
    { id: 'requests', label: t('load.requests'), as: 'count' },
    { id: 'perSecond', label: t('load.perSecond'), as: 'rate' },
    latency('p50Ms'),
    latency('p90Ms'),
    latency('p95Ms'),
    latency('p99Ms'),
    {
      id: 'errorRate',
      label: t('load.errors'),
      isNumber: true,
      cell: (step) => <Errors step={step} />,
    },
    {
      id: 'borne',
      label: t('load.borne'),
      value: ({ doesBear }) => doesBear,
      cell: (step) => <Borne step={step} />,
      filter: {
        kind: 'choice',
        choices: [
          { value: 'true', label: t('load.yes') },
          { value: 'false', label: t('load.no') },
        ],
      },
    },
  ]
}

function Errors({ step: { errorRate, errors } }: { step: StepSummary }) {
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

function Borne({ step: { doesBear, isHeldBack } }: { step: StepSummary }) {
  const { t } = useTranslation()
  return (
    <>
      <StatusBadge kind={doesBear ? 'good' : 'bad'} text={t(doesBear ? 'load.yes' : 'load.no')} />
      {isHeldBack ? <p className="quiet reason">{t('load.heldBack')}</p> : null}
    </>
  )
}
