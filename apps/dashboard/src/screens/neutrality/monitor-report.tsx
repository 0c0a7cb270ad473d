/** What one run of a monitor found: where an address looks otherwise, and how every address fared. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { queryOf } from '../../api/call.ts'
import { station } from '../../api/station.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List, ListCard } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { flagsByUrl, type UrlFlags } from './monitor-form.ts'
import type { Operations, UrlFinding, MonitorView, PlaceFlag } from '../../api/station-api.ts'

type Report = Operations['GET /neutrality/{id}/report']['answer']

const VERDICTS = [
  'same',
  'differs',
  'varies',
  'too-few',
] as const satisfies readonly UrlFinding['verdict'][]

export function MonitorReport({ monitor, run }: { monitor: MonitorView; run: number }) {
  const { t } = useTranslation()
  const { id, by } = monitor
  const query = useQuery({
    queryKey: ['monitor-report', id, run],
    queryFn: () =>
      station('GET /neutrality/{id}/report', { params: { id }, query: { as: 'json', run } }),
    placeholderData: (former) => former,
  })
  return (
    <>
      <section className="card">
        <h2>{t('monitor.foundBy', { run })}</h2>
        <Loaded query={query}>
          {(report) => (
            <>
              <Verdicts findings={report.findings} />
              <Flags report={report} by={by} />
            </>
          )}
        </Loaded>
        <p className="quiet">{t('monitor.limits')}</p>
        <Downloads id={id} run={run} />
      </section>
      {query.data === undefined ? null : <EveryAddress findings={query.data.findings} />}
    </>
  )
}

function Downloads({ id, run }: { id: string; run: number }) {
  const { t } = useTranslation()
  return (
    <div className="actions">
      <DownloadLink path={monitorReportPath(id, { as: 'csv', run })} fileName={`${id}-${run}.csv`}>
        {t('monitor.csv')}
      </DownloadLink>
      <DownloadLink
        path={monitorReportPath(id, { as: 'json', run })}
        fileName={`${id}-${run}.json`}
      >
        {t('load.json')}
      </DownloadLink>
      <DownloadLink path={monitorReportPath(id, { as: 'text', run })} fileName={`${id}-${run}.txt`}>
        {t('load.text')}
      </DownloadLink>
    </div>
  )
}

function Verdicts({ findings }: { findings: readonly UrlFinding[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const count = (asked: UrlFinding['verdict']): number =>
    findings.filter(({ verdict }) => verdict === asked).length
  return (
    <FiguresList
      figures={VERDICTS.map((verdict) => ({
        label: t(`monitor.verdict.${verdict}`),
        value: format.count(count(verdict)),
      }))}
    />
  )
}

function Flags({ report: { flags }, by }: { report: Report; by: MonitorView['by'] }) {
  const { t } = useTranslation()
  if (flags.length === 0) return <p>{t('monitor.noFlags')}</p>
  return (
    <>
      <div className="flagged">
        {flagsByUrl(flags).map((flagged) => (
          <FlaggedUrl key={flagged.url} flagged={flagged} by={by} />
        ))}
      </div>
      <details>
        <summary>{t('plot.table')}</summary>
        <FlagTable flags={flags} by={by} />
      </details>
    </>
  )
}

function FlaggedUrl({ flagged: { url, kinds }, by }: { flagged: UrlFlags; by: MonitorView['by'] }) {
  const { t } = useTranslation()
  const placeName = usePlaceName(by)
  return (
    <article aria-label={url}>
      <h3 className="address">{url}</h3>
      {kinds.map(({ kind, places }) => (
        <p key={kind}>
          <b>{t(`monitor.kind.${kind}`)}</b>{' '}
          {places.map(({ place, isConfirmed }) => (
            <StatusBadge
              key={place}
              kind={markOf(kind, isConfirmed)}
              text={
                isConfirmed ? placeName(place) : t('monitor.perhaps', { place: placeName(place) })
              }
            />
          ))}
        </p>
      ))}
    </article>
  )
}

/** Another language is what sites do for their visitors: no alarm. */
function markOf(kind: string, isConfirmed: boolean): StatusKind {
  if (kind === 'variant') return 'info'
  return isConfirmed ? 'bad' : 'warn'
}

function FlagTable({ flags, by }: { flags: readonly PlaceFlag[]; by: MonitorView['by'] }) {
  const { t } = useTranslation()
  const placeName = usePlaceName(by)
  const consensusText = useConsensusText()
  const columns: ListColumn<PlaceFlag>[] = [
    { id: 'url', label: t('captures.page'), as: 'text', isAddress: true },
    words('place', t(`monitor.place.${by}`), ({ place }) => placeName(place)),
    words('kind', t('errors.kind'), ({ kind }) => t(`monitor.kind.${kind}`)),
    words('confirmed', t('monitor.confirmed'), ({ isConfirmed }) =>
      t(isConfirmed ? 'monitor.byTwo' : 'monitor.byOne'),
    ),
    {
      id: 'sees',
      label: t('monitor.sees'),
      cell: ({ says }) => <span lang="en">{says}</span>,
      value: ({ says }) => says,
    },
    words('elsewhere', t('monitor.elsewhere'), ({ consensus }) => consensusText(consensus)),
    { id: 'since', label: t('monitor.since'), as: 'count', value: ({ sinceRun }) => sinceRun },
  ]
  return (
    <List
      name="flags"
      caption={t('monitor.found')}
      columns={columns}
      rows={{ data: flags, error: null }}
      keyOf={({ url, place, kind }) => `${url} ${place} ${kind}`}
      fileName="deviations"
      empty={null}
    />
  )
}

/** A column whose cells are plain words. */
function words<Row>(id: string, label: string, value: (row: Row) => string): ListColumn<Row> {
  return { id, label, cell: value, value }
}

const VERDICT_KINDS: Record<UrlFinding['verdict'], StatusKind> = {
  same: 'good',
  differs: 'bad',
  varies: 'warn',
  'too-few': 'quiet',
}

function EveryAddress({ findings }: { findings: readonly UrlFinding[] }) {
  const { t } = useTranslation()
  const consensusText = useConsensusText()
  const columns: ListColumn<UrlFinding>[] = [
    { id: 'url', label: t('captures.page'), as: 'text', isAddress: true },
    {
      id: 'verdict',
      label: t('monitor.verdictLabel'),
      cell: ({ verdict }) => (
        <StatusBadge kind={VERDICT_KINDS[verdict]} text={t(`monitor.verdict.${verdict}`)} />
      ),
      filter: choiceOf(VERDICTS, (value) => t(`monitor.verdict.${value}`)),
    },
    words('mostSee', t('monitor.mostSee'), ({ consensus }) => consensusText(consensus)),
    { id: 'places', label: t('monitor.places'), as: 'count' },
  ]
  return (
    <ListCard
      name="addresses"
      caption={t('monitor.addresses')}
      columns={columns}
      rows={{ data: findings, error: null }}
      keyOf={({ url }) => url}
      fileName="addresses"
      empty={null}
    />
  )
}

function usePlaceName(by: MonitorView['by']): (place: string) => string {
  const format = useFormat()
  return (place) => (by === 'country' ? format.country(place) : place)
}

/** `ok`, `status 403`, `redirect example.org/`, `failed reset`, in the reader's language. */
function useConsensusText(): (consensus: string | null) => string {
  const { t } = useTranslation()
  return (consensus) => {
    const [what = '', ...rest] = (consensus ?? '').split(' ')
    const detail = rest.join(' ')
    if (what === 'ok') return t('monitor.ok')
    if (what === 'status') return `HTTP ${detail}`
    if (what === 'redirect') return t('monitor.leadsTo', { place: detail })
    return what === 'failed' ? t(`monitor.kind.${detail}`) : t('figure.unknown')
  }
}

const monitorReportPath = (
  id: string,
  asked: { as: 'json' | 'csv' | 'text'; run: number | null },
): string => `/neutrality/${id}/report${queryOf(asked)}`
