/** One stage of a plan: what it reads, what its tasks do, what they wrote. */
import { useTranslation } from 'react-i18next'
import type { QueryStageView } from '@minga/protocol'
import { FiguresList } from '../../components/figures-list.tsx'
import { useFormat } from '../../components/use-format.ts'

export function PlanStage({ stage }: { stage: QueryStageView }) {
  const { t } = useTranslation()
  const { id, about, inputs, after, outputs, program } = stage
  return (
    <section className="plan-stage" aria-label={t('planGraph.stage', { id })}>
      <h3>
        {t('planGraph.stage', { id })} <small lang="en">{about}</small>
      </h3>
      <StageFigures stage={stage} />
      <ul>
        {inputs.map(({ name, columns }) => (
          <li key={name}>
            {t('planGraph.reads', { name })} <code>{columns.join(', ')}</code>
          </li>
        ))}
        {after.map(({ stage: from, part }, place) => (
          <li key={`${from} ${place}`}>{t(`planGraph.from.${part}`, { id: from })}</li>
        ))}
        {outputs.map(({ name, partitions, partitionBy }) => (
          <li key={name}>
            {t('planGraph.writes', { name, count: partitions })}{' '}
            {partitionBy.length === 0 ? null : <code>{partitionBy.join(', ')}</code>}
          </li>
        ))}
      </ul>
      <details open>
        <summary>{t('planGraph.sql')}</summary>
        <pre className="sql-text" lang="en" tabIndex={0}>
          {program.join(';\n\n')}
        </pre>
      </details>
    </section>
  )
}

function StageFigures({ stage }: { stage: QueryStageView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { tasks, done, running = 0, rows = 0, bytes = 0, spentMs = 0 } = stage
  const known =
    done === undefined
      ? []
      : [
          { label: t('planGraph.figure.done'), value: format.count(done) },
          { label: t('query.running'), value: format.count(running) },
          { label: t('planGraph.figure.rows'), value: format.count(rows) },
          { label: t('figure.bytes'), value: format.bytes(bytes) },
          { label: t('planGraph.figure.spent'), value: format.delay(spentMs) },
        ]
  return (
    <FiguresList
      figures={[{ label: t('planGraph.figure.tasks'), value: format.count(tasks) }, ...known]}
    />
  )
}
