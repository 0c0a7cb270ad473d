import { useTranslation } from 'react-i18next'
import { queryOf } from '../../api/call.ts'
import { useStation } from '../../api/use-station.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { LoadPlot } from './load-plot.tsx'
import { useFormat } from '../../components/use-format.ts'
import { StepTable } from './step-table.tsx'
import type { LoadTestReport as Report } from '../../api/station-api.ts'

/** What a test that is over has shown. */
export function LoadReport({ id }: { id: string }) {
  const { t } = useTranslation()
  const query = useStation(['load-report', id], 'GET /load-tests/{id}/report', {
    params: { id },
    query: { as: 'json' },
  })
  return (
    <Loaded query={query}>
      {(report) => (
        <>
          <CapacityCard report={report} />
          <section className="card">
            <h2>{t('load.steps')}</h2>
            {report.steps.length === 0 ? (
              <p className="quiet">{t('load.nothingMeasured')}</p>
            ) : (
              <>
                <Plot report={report} />
                <StepTable steps={report.steps} />
              </>
            )}
          </section>
        </>
      )}
    </Loaded>
  )
}

/** One point is no curve. */
function Plot({ report: { steps, capacity, plan } }: { report: Report }) {
  if (steps.length < 2) return null
  return <LoadPlot steps={steps} capacity={capacity} limitMs={plan.bears.p95Ms} />
}

function CapacityCard({ report }: { report: Report }) {
  const { t } = useTranslation()
  const { id, notes } = report
  return (
    <section className="card">
      <h2>{t('load.report')}</h2>
      <Estimate report={report} />
      <Totals report={report} />
      {notes.length === 0 ? null : (
        <ul className="log" lang="en">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <div className="actions">
        <DownloadLink path={loadReportPath(id, 'json')} fileName={`${id}.json`}>
          {t('load.json')}
        </DownloadLink>
        <DownloadLink path={loadReportPath(id, 'text')} fileName={`${id}.txt`}>
          {t('load.text')}
        </DownloadLink>
      </div>
    </section>
  )
}

/** The number with its interval, and the measure by which it holds. */
function Estimate({ report: { capacity, plan } }: { report: Report }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (capacity === null) return <p>{t('load.nothingMeasured')}</p>
  const { visitors, isAtLeast, low, high } = capacity
  const criterion = t('load.criterion', {
    p95: format.delay(plan.bears.p95Ms),
    errors: format.percent(plan.bears.errorRate),
  })
  if (visitors === 0) {
    return (
      <p>
        <b>{t('load.bearsNone')}</b> {criterion}
      </p>
    )
  }
  const said = { count: visitors, visitors: format.count(visitors) }
  return (
    <>
      <p className="estimate-figure">
        {isAtLeast ? t('load.atLeast', said) : t('load.about', said)}
      </p>
      <p>
        {t('load.surely', { low: format.count(low) })}{' '}
        {high === null ? t('load.neverTooMany') : t('load.tooMany', { high: format.count(high) })}{' '}
        {criterion}
      </p>
    </>
  )
}

function Totals({ report: { totals, machines } }: { report: Report }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (totals === null || machines === null) return null
  return (
    <FiguresList
      figures={[
        { label: t('load.requests'), value: format.count(totals.requests) },
        { label: t('figure.bytes'), value: format.bytes(totals.bytes) },
        { label: t('load.machines'), value: format.count(machines.joined) },
        ...(machines.lost === 0
          ? []
          : [{ label: t('load.machinesLost'), value: format.count(machines.lost) }]),
      ]}
    />
  )
}

/** Below /api. */
const loadReportPath = (id: string, as: 'json' | 'text'): string =>
  `/load-tests/${id}/report${queryOf({ as })}`
