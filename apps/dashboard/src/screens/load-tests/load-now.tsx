import { useTranslation } from 'react-i18next'
import { FiguresList } from '../../components/figures-list.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { AbortButton } from './abort-button.tsx'
import { StepTable } from './step-table.tsx'
import type { LoadTestView } from '../../api/station-api.ts'

/** While it runs: what the site handles at this moment, and the button to stop it. */
export function LoadNow({ test }: { test: LoadTestView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { live, steps } = test
  return (
    <>
      {may('load-tests:write') ? (
        <div className="actions abort-row">
          <AbortButton id={test.id} />
        </div>
      ) : null}
      {live === null ? (
        <p className="quiet">{t('load.preparing')}</p>
      ) : (
        <LiveFigures live={live} criterion={test.plan.bears} />
      )}
      <section className="card">
        <h2>{t('load.steps')}</h2>
        {steps.length === 0 ? (
          <p className="quiet">{t('load.noSteps')}</p>
        ) : (
          <StepTable steps={steps} />
        )}
      </section>
    </>
  )
}

interface LiveFiguresProps {
  live: NonNullable<LoadTestView['live']>
  criterion: LoadTestView['plan']['bears']
}

function LiveFigures({ live, criterion }: LiveFiguresProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { visitors, perSecond, p95Ms, errorRate } = live
  return (
    <FiguresList
      className="tiles"
      figures={[
        { label: t('load.visitors'), value: format.count(visitors) },
        { label: t('load.perSecond'), value: format.rate(perSecond) },
        {
          label: t('load.p95Of', { limit: format.delay(criterion.p95Ms) }),
          value: p95Ms === null ? t('figure.unknown') : format.delay(Math.round(p95Ms)),
        },
        {
          label: t('load.errorsOf', { limit: format.percent(criterion.errorRate) }),
          value: format.percent(errorRate),
        },
      ]}
    />
  )
}
