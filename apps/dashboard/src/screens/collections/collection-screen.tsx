import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Collection, Sample } from '../../api/api-types.ts'
import { errorsOf, rateOf, secondsLeft } from '../../live/figures.ts'
import { useLive } from '../../live/live-provider.tsx'
import { CapturesOfCollection } from '../../parts/captures-of-collection.tsx'
import { CollectionActions } from '../../parts/collection-actions.tsx'
import { CollectionName } from '../../parts/collection-name.tsx'
import { ErrorTable } from '../../parts/error-table.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { HostTable, useHosts } from '../../parts/host-table.tsx'
import { ProgressBar } from '../../parts/progress-bar.tsx'
import { ReadOnlyNote } from '../../parts/read-only-note.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { ThroughputPlot } from '../../parts/throughput-plot.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'

export function CollectionScreen() {
  const { t } = useTranslation()
  const { id } = useParams({ strict: false })
  const { state, isRefused } = useLive()
  const collection = state?.snapshot.collections.find((one) => one.id === Number(id))
  const hosts = useHosts(collection)
  if (isRefused) {
    return (
      <ForThoseWho may="collections:read" title={t('collection.number', { id })}>
        <p className="quiet">{t('live.waiting')}</p>
      </ForThoseWho>
    )
  }
  if (state === undefined) return <p className="quiet">{t('live.waiting')}</p>
  if (collection === undefined) {
    return (
      <section className="card">
        <h1>{t('collection.number', { id })}</h1>
        <p>{t('collection.missing')}</p>
        <Link to="/">{t('collection.back')}</Link>
      </section>
    )
  }
  const { history } = state
  return (
    <>
      <ReadOnlyNote />
      <Summary collection={collection} history={history} />
      <section className="card">
        <h2>{t('hosts.title')}</h2>
        <p className="quiet">{t('hosts.note')}</p>
        <HostTable hosts={hosts} />
      </section>
      <div className="columns">
        <section className="card">
          <h2>{t('captures.title')}</h2>
          <p className="quiet">{t('captures.note')}</p>
          <CapturesOfCollection key={collection.id} id={collection.id} />
        </section>
        <div>
          {collection.state === 'running' ? (
            <section className="card">
              <h2>{t('plot.title')}</h2>
              <ThroughputPlot history={history} id={collection.id} />
            </section>
          ) : null}
          <section className="card">
            <h2>{t('overview.errors')}</h2>
            <ErrorTable errors={errorsOf([collection])} />
          </section>
        </div>
      </div>
    </>
  )
}

function Summary(props: { collection: Collection; history: readonly Sample[] }) {
  const { collection, history } = props
  const { t, i18n } = useTranslation()
  const { reason, state } = collection
  const hasReason = state !== 'running' && reason !== null && i18n.exists(`reason.${reason}`)
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/">{t('nav.overview')}</Link> /{' '}
            {t('collection.number', { id: collection.id })}
          </p>
          <h1>
            <CollectionName collection={collection} />
          </h1>
        </div>
        <StatePill state={state} />
      </header>
      {hasReason && state === 'finished' ? (
        <p>{t('collection.because', { reason: t(`reason.${reason}`) })}</p>
      ) : null}
      <ProgressBar collection={collection} />
      <SummaryFigures collection={collection} history={history} />
      <CollectionActions collection={collection} />
    </section>
  )
}

function SummaryFigures(props: { collection: Collection; history: readonly Sample[] }) {
  const { collection, history } = props
  const { t } = useTranslation()
  const format = useFormat()
  const rates = rateOf(history, collection.id)
  const left = secondsLeft(collection, rates)
  const { spec, endedAt } = collection
  const time = left === null ? null : format.span(left * 1_000)
  const running = [
    { label: t('figure.rate'), value: t('figure.perSecond', { rate: format.rate(rates.urls) }) },
    {
      label: t('figure.left'),
      value: time === null ? t('figure.unknown') : t('figure.leftAbout', { time }),
    },
  ]
  return (
    <FiguresList
      figures={[
        ...(collection.state === 'running' ? running : []),
        { label: t('figure.pages'), value: format.count(collection.pages) },
        { label: t('figure.captures'), value: format.count(collection.captures) },
        { label: t('figure.bytes'), value: format.bytes(collection.bytes) },
        { label: t('figure.failed'), value: format.count(collection.failed) },
        { label: t('figure.denied'), value: format.count(collection.denied) },
        { label: t('figure.duplicates'), value: format.count(collection.duplicates) },
        ...(collection.filtered > 0
          ? [{ label: t('figure.filtered'), value: format.count(collection.filtered) }]
          : []),
        { label: t('collection.scope'), value: t(`scopeShort.${spec.scope}`) },
        { label: t('collection.delay'), value: format.delay(spec.delayMs) },
        { label: t('collection.begun'), value: format.moment(collection.createdAt) },
        ...(endedAt === null
          ? []
          : [{ label: t('collection.ended'), value: format.moment(endedAt) }]),
      ]}
    />
  )
}
