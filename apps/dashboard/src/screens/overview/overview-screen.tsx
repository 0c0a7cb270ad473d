import type { Sample, Snapshot } from '@minga/protocol'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../components/use-format.ts'
import { StatePill } from '../../components/state-pill.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { FailedCount } from '../../components/failed-count.tsx'
import { CollectionName } from '../../components/collection-name.tsx'
import { rateOf, secondsLeft } from '../../live/figures.ts'
import type { Collection, Capture } from '../../api/api-types.ts'
import { useLive } from '../../live/live-provider.tsx'
import type { LiveState } from '../../live/live-state.ts'
import { Ago } from '../../components/ago.tsx'
import { Failure } from '../../components/failure.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { ProgressBar } from '../../components/charts/progress-bar.tsx'
import { ReadOnlyNote } from '../../components/read-only-note.tsx'
import { ThroughputPlot, ThroughputTitle } from '../../components/charts/throughput-plot.tsx'
import { meaningKeyOf, readable } from '../../live/error-meaning.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { AttentionBlock } from './attention-block.tsx'
import { DayThroughput } from './day-throughput.tsx'
import { FirstRun } from './first-run.tsx'
import { StationTiles } from './station-tiles.tsx'

export function OverviewScreen() {
  const { t } = useTranslation()
  const live = useLive()
  if (live.isRefused) return <Closed />
  if (live.state === undefined) {
    return (
      <>
        <h1 className="unseen">{t('overview.title')}</h1>
        <Loaded query={{ data: undefined, error: live.error, refetch: live.readAgain }}>
          {() => null}
        </Loaded>
      </>
    )
  }
  return <Overview state={live.state} />
}

function Overview({ state }: { state: LiveState }) {
  const { t } = useTranslation()
  const { snapshot, history } = state
  if (snapshot.collections.length === 0) {
    return (
      <>
        <h1 className="unseen">{t('overview.title')}</h1>
        <ReadOnlyNote />
        <FirstRun />
      </>
    )
  }
  return (
    <>
      <h1 className="unseen">{t('overview.title')}</h1>
      <ReadOnlyNote />
      <AttentionBlock />
      <StationTiles figures={snapshot.station} history={history} />
      <section className="card">
        <h2>{t('overview.together')}</h2>
        <ProgressBar counts={snapshot.station.urls} />
      </section>
      <div className="columns">
        <div>
          <Running collections={snapshot.collections} history={history} />
          <LastCaptures snapshot={snapshot} />
        </div>
        <div>
          <section className="card">
            <ThroughputTitle history={history} />
            <ThroughputPlot history={history} id={null} />
          </section>
          <section className="card">
            <DayThroughput />
          </section>
          <LastError error={snapshot.station.lastError} />
        </div>
      </div>
      <FirstRun />
    </>
  )
}

/** Beyond its own machine a station is read by those who may. */
function Closed() {
  const { t } = useTranslation()
  const { error, readAgain } = useLive()
  return (
    <RequirePermission may="collections:read" title={t('overview.title')}>
      <h1 className="unseen">{t('overview.title')}</h1>
      <Failure error={error} onRetry={readAgain} />
    </RequirePermission>
  )
}

/** More are in the list. */
const CARDS_MOST = 6

interface RunningProps {
  collections: readonly Collection[]
  history: readonly Sample[]
}

function Running({ collections, history }: RunningProps) {
  const { t } = useTranslation()
  const running = collections.filter(({ state }) => state === 'running').toReversed()
  const shown = running.slice(0, CARDS_MOST)
  return (
    <section>
      <header className="heading-line">
        <h2>{t('overview.running')}</h2>
        <Link to="/collections">{t('overview.all')}</Link>
      </header>
      {running.length === 0 ? <p className="quiet">{t('overview.nothingRuns')}</p> : null}
      {shown.map((collection) => (
        <CollectionCard key={collection.id} collection={collection} history={history} />
      ))}
    </section>
  )
}

function LastCaptures({ snapshot }: { snapshot: Snapshot }) {
  const { t } = useTranslation()
  const { captures, now } = snapshot
  return (
    <section className="card">
      <h2>{t('overview.captures')}</h2>
      {captures.length === 0 ? (
        <p className="quiet">{t('overview.noCaptures')}</p>
      ) : (
        <CaptureTable captures={captures} now={now} caption={t('overview.captures')} />
      )}
    </section>
  )
}

function LastError({ error }: { error: Snapshot['station']['lastError'] }) {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('overview.lastError')}</h2>
      {error === null ? (
        <p className="quiet">{t('errors.none')}</p>
      ) : (
        <>
          <p>
            <b>{readable(error.code)}</b> <code>{error.code}</code>
            <span className="quiet">
              {' '}
              · <Ago at={error.at} />
            </span>
          </p>
          <p className="quiet">{t(meaningKeyOf(error.code))}</p>
          {error.url === null ? null : <p className="address">{error.url}</p>}
          <Link to="/collections/$id" params={{ id: String(error.collectionId) }} hash="errors">
            {t('overview.errorsOf', { id: error.collectionId })}
          </Link>
        </>
      )}
    </section>
  )
}

function CollectionCard(props: { collection: Collection; history: readonly Sample[] }) {
  const { collection, history } = props
  const { t } = useTranslation()
  const format = useFormat()
  const rates = rateOf(history, collection.id)
  const left = secondsLeft(collection, rates)
  const isRunning = collection.state === 'running'
  const figures = [
    ...(isRunning
      ? [
          {
            label: t('figure.rate'),
            value: t('figure.perSecond', { rate: format.rate(rates.urls) }),
          },
          {
            label: t('figure.left'),
            value:
              left === null
                ? t('figure.unknown')
                : t('figure.leftAbout', { time: format.span(left * 1_000) }),
          },
        ]
      : []),
    { label: t('figure.pages'), value: format.count(collection.pages) },
    { label: t('figure.bytes'), value: format.bytes(collection.bytes) },
    { label: t('figure.failed'), value: <FailedCount collection={collection} /> },
    { label: t('figure.denied'), value: format.count(collection.denied) },
  ]
  return (
    <article className="card collection-card">
      <header>
        <h3>
          <Link to="/collections/$id" params={{ id: String(collection.id) }}>
            <CollectionName collection={collection} />
          </Link>
        </h3>
        <StatePill collection={collection} />
      </header>
      <ProgressBar counts={collection} />
      <FiguresList figures={figures} />
    </article>
  )
}

interface CaptureTableProps {
  captures: readonly Capture[]
  /** The station's clock. */
  now: number
  caption: string
}

function CaptureTable({ captures, now, caption }: CaptureTableProps) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <table className="capture-table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{t('captures.status')}</th>
          <th scope="col">{t('captures.page')}</th>
          <th scope="col" className="wide-only">
            {t('captures.type')}
          </th>
          <th scope="col" className="number wide-only">
            {t('captures.size')}
          </th>
          <th scope="col" className="number">
            {t('captures.when')}
          </th>
        </tr>
      </thead>
      <tbody>
        {captures.map((capture) => (
          <tr key={capture.id}>
            <td>
              <span className={`http s${Math.floor(capture.status / 100)}`}>{capture.status}</span>
            </td>
            <td className="address" title={capture.url}>
              {capture.title === null ? null : <b>{capture.title}</b>}
              <span>{capture.url.replace(/^https?:\/\//, '')}</span>
            </td>
            <td className="wide-only quiet">
              {capture.kind === 'revisit' ? t('captures.revisit') : capture.mime}
            </td>
            <td className="number wide-only">{format.bytes(capture.length)}</td>
            <td className="number quiet">
              <time
                dateTime={new Date(capture.capturedAt).toISOString()}
                title={format.moment(capture.capturedAt)}
              >
                {t('captures.ago', { age: format.span(now - capture.capturedAt) })}
              </time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
