import { useTranslation } from 'react-i18next'
import type { Collection, Sample } from '../../api/api-types.ts'
import { errorsOf, rateOf } from '../../live/figures.ts'
import { useLive } from '../../live/live-provider.tsx'
import { CaptureTable } from '../../parts/capture-table.tsx'
import { CollectionCard } from '../../parts/collection-card.tsx'
import { ErrorTable } from '../../parts/error-table.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { FirstSteps } from '../../parts/first-steps.tsx'
import { ReadOnlyNote } from '../../parts/read-only-note.tsx'
import { ThroughputPlot } from '../../parts/throughput-plot.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'

export function OverviewScreen() {
  const { t } = useTranslation()
  const { state, isRefused } = useLive()
  if (isRefused) return <Closed />
  if (state === undefined) return <p className="quiet">{t('live.waiting')}</p>
  const { snapshot, history } = state
  const { collections, captures, now } = snapshot
  if (collections.length === 0) {
    return (
      <>
        <h1 className="unseen">{t('overview.title')}</h1>
        <ReadOnlyNote />
        <FirstSteps />
      </>
    )
  }
  return (
    <>
      <h1 className="unseen">{t('overview.title')}</h1>
      <ReadOnlyNote />
      <Totals collections={collections} history={history} />
      <div className="columns">
        <div>
          <Collections collections={collections} history={history} />
          <section className="card">
            <h2>{t('overview.captures')}</h2>
            {captures.length === 0 ? (
              <p className="quiet">{t('overview.noCaptures')}</p>
            ) : (
              <CaptureTable captures={captures} now={now} caption={t('overview.captures')} />
            )}
          </section>
        </div>
        <div>
          <section className="card">
            <h2>{t('plot.title')}</h2>
            <ThroughputPlot history={history} id={null} />
          </section>
          <section className="card">
            <h2>{t('overview.errors')}</h2>
            <ErrorTable errors={errorsOf(collections)} />
          </section>
        </div>
      </div>
    </>
  )
}

/** Beyond its own machine a station is read by those who may. */
function Closed() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="collections:read" title={t('overview.title')}>
      <p className="quiet">{t('live.waiting')}</p>
    </ForThoseWho>
  )
}

interface CollectionsProps {
  collections: readonly Collection[]
  history: readonly Sample[]
}

function Totals({ collections, history }: CollectionsProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const sum = (count: (collection: Collection) => number): number =>
    collections.reduce((total, collection) => total + count(collection), 0)
  const running = sum(({ state }) => (state === 'running' ? 1 : 0))
  const rates = rateOf(history, null)
  return (
    <FiguresList
      className="tiles"
      figures={[
        { label: t('figure.running'), value: format.count(running) },
        {
          label: t('figure.rate'),
          value: t('figure.perSecond', { rate: format.rate(rates.urls) }),
        },
        { label: t('figure.pages'), value: format.count(sum(({ pages }) => pages)) },
        { label: t('figure.captures'), value: format.count(sum(({ captures }) => captures)) },
        { label: t('figure.bytes'), value: format.bytes(sum(({ bytes }) => bytes)) },
      ]}
    />
  )
}

function Collections({ collections, history }: CollectionsProps) {
  const { t } = useTranslation()
  const newestFirst = collections.toSorted((a, b) => b.id - a.id)
  const running = newestFirst.filter(({ state }) => state === 'running')
  const others = newestFirst.filter(({ state }) => state !== 'running')
  return (
    <>
      <section>
        <h2>{t('overview.running')}</h2>
        {running.length === 0 ? <p className="quiet">{t('overview.nothingRuns')}</p> : null}
        {running.map((collection) => (
          <CollectionCard key={collection.id} collection={collection} history={history} />
        ))}
      </section>
      {others.length === 0 ? null : (
        <section>
          <h2>{t('overview.others')}</h2>
          {others.map((collection) => (
            <CollectionCard key={collection.id} collection={collection} history={history} />
          ))}
        </section>
      )}
    </>
  )
}
