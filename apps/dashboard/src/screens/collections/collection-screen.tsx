import type { Sample } from '@minga/protocol'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { meaningKeyOf } from '../../live/error-meaning.ts'
import { useStation } from '../../api/use-station.ts'
import type { Collection } from '../../api/api-types.ts'
import { rateOf } from '../../live/figures.ts'
import { useLive } from '../../live/live-provider.tsx'
import { CollectionActions } from './collection-actions.tsx'
import { CollectionName } from '../../components/collection-name.tsx'
import { FailedCount } from '../../components/failed-count.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { ProgressBar } from '../../components/charts/progress-bar.tsx'
import { ReadOnlyNote } from '../../components/read-only-note.tsx'
import { StatePill } from '../../components/state-pill.tsx'
import { ThroughputPlot, ThroughputTitle } from '../../components/charts/throughput-plot.tsx'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { CollectionCurve } from './collection-curve.tsx'
import { CollectionHostList } from './collection-hosts.tsx'
import { CollectionMix } from './collection-mix.tsx'
import { CollectionSettings } from './collection-settings.tsx'
import { CollectionSharing } from './collection-sharing.tsx'
import { CollectionTail } from './collection-tail.tsx'

export function CollectionScreen() {
  const { t } = useTranslation()
  const { id } = useParams({ strict: false })
  const { state, isRefused } = useLive()
  const { collection, error, readAgain } = useCollection(Number(id))
  if (isRefused) {
    return (
      <RequirePermission may="collections:read" title={t('collection.number', { id })}>
        <h1>{t('collection.number', { id })}</h1>
        <Failure error={error} onRetry={readAgain} />
      </RequirePermission>
    )
  }
  if (collection === undefined) {
    return (
      <section className="card">
        <h1>{t('collection.number', { id })}</h1>
        {error === null ? (
          <p className="quiet skeleton" role="status">
            {t('loading')}
          </p>
        ) : (
          <Failure error={error} onRetry={readAgain} />
        )}
        <Link to="/collections">{t('collection.back')}</Link>
      </section>
    )
  }
  return <Whole collection={collection} history={state?.history ?? []} />
}

interface Known {
  collection: Collection | undefined
  error: Error | null
  readAgain: () => void
}

/** From the live picture while it is part of that; the older ones are asked for. */
function useCollection(id: number): Known {
  const { state, error, readAgain } = useLive()
  const live = state?.snapshot.collections.find((one) => one.id === id)
  const query = useStation(['collection', id], 'GET /collections/{id}', {
    params: { id },
    enabled: state !== undefined && live === undefined,
  })
  const asked = query.data && { ...query.data, seedCount: query.data.spec.seeds.length }
  if (state === undefined) return { collection: asked, error, readAgain }
  return { collection: live ?? asked, error: query.error, readAgain: () => void query.refetch() }
}

interface CollectionProps {
  collection: Collection
  history: readonly Sample[]
}

function Whole({ collection, history }: CollectionProps) {
  const { t } = useTranslation()
  return (
    <>
      <ReadOnlyNote />
      <Summary collection={collection} history={history} />
      <div className={collection.state === 'running' ? 'columns' : ''}>
        <section className="card">
          <h2>{t('curve.title')}</h2>
          <CollectionCurve collection={collection} />
        </section>
        {collection.state === 'running' ? (
          <section className="card">
            <ThroughputTitle history={history} />
            <ThroughputPlot history={history} id={collection.id} />
          </section>
        ) : null}
      </div>
      <CollectionSettings collection={collection} />
      <CollectionSharing collection={collection} />
      <section className="card">
        <h2>{t('hosts.title')}</h2>
        <p className="quiet">{t('hosts.note')}</p>
        <CollectionHostList collection={collection} />
      </section>
      <CollectionMix collection={collection} />
      <section className="card">
        <CollectionTail collection={collection} />
      </section>
    </>
  )
}

function Summary({ collection, history }: CollectionProps) {
  const { t, i18n } = useTranslation()
  const { reason, state, id } = collection
  const hasReason = state !== 'running' && reason !== null && i18n.exists(`reason.${reason}`)
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/collections">{t('collections.title')}</Link> /{' '}
            {t('collection.number', { id })}
          </p>
          <h1>
            <CollectionName collection={collection} />
          </h1>
        </div>
        <StatePill collection={collection} />
      </header>
      {hasReason && state === 'finished' ? (
        <p>{t('collection.because', { reason: t(`reason.${reason}`) })}</p>
      ) : null}
      <CollectionProblem collection={collection} />
      <ProgressBar counts={collection} />
      <SummaryFigures collection={collection} history={history} />
      <CollectionActions collection={collection} />
      <OthersRunning id={id} />
    </section>
  )
}

/** From one that runs to the next, without the list between. */
function OthersRunning({ id }: { id: number }) {
  const { t } = useTranslation()
  const { state } = useLive()
  const running = state?.snapshot.collections.filter((one) => one.state === 'running') ?? []
  const others = running.filter((one) => one.id !== id)
  const next = others.find((one) => one.id > id) ?? others[0]
  if (next === undefined) return null
  return (
    <p className="jump">
      <Link to="/collections/$id" params={{ id: String(next.id) }}>
        {t('collection.nextRunning')} <CollectionName collection={next} />
      </Link>
    </p>
  )
}

type CountName = 'pages' | 'captures' | 'denied' | 'duplicates' | 'filtered' | 'linksDropped'

function SummaryFigures({ collection, history }: CollectionProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const rates = rateOf(history, collection.id)
  const { endedAt } = collection
  const rate = {
    label: t('figure.rate'),
    value: t('figure.perSecond', { rate: format.rate(rates.urls) }),
  }
  const count = (name: CountName) => ({
    label: t(`figure.${name}`),
    value: format.count(collection[name]),
  })
  return (
    <FiguresList
      figures={[
        ...(collection.state === 'running' ? [rate] : []),
        count('pages'),
        count('captures'),
        { label: t('figure.bytes'), value: format.bytes(collection.bytes) },
        { label: t('figure.failed'), value: <FailedCount collection={collection} /> },
        count('denied'),
        count('duplicates'),
        ...(collection.filtered > 0 ? [count('filtered')] : []),
        ...(collection.linksDropped > 0 ? [count('linksDropped')] : []),
        { label: t('collection.begun'), value: format.moment(collection.createdAt) },
        ...(endedAt === null
          ? []
          : [{ label: t('collection.ended'), value: format.moment(endedAt) }]),
      ]}
    />
  )
}

/** Why a collection failed or finished with errors, and what to do about it. */
function CollectionProblem({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const { id, problem, outcome } = collection
  if (problem === null) return null
  const { code, url, advice } = problem
  // The general sentence about refused addresses names a flag that does not help against this one.
  const meaning = advice === 'other-address' ? 'problem.forbidden' : meaningKeyOf(code)
  return (
    <div className={outcome === 'failed' ? 'problem failed' : 'problem'}>
      <p>
        <b>{t(outcome === 'failed' ? 'problem.failed' : 'problem.withErrors')}</b> {t(meaning)}
      </p>
      {url === null ? null : <p className="address">{url}</p>}
      <p>
        {t(`problem.advice.${advice}`)}{' '}
        <Link to="/collections/$id" params={{ id: String(id) }} hash="errors">
          {t('problem.all')}
        </Link>
      </p>
    </div>
  )
}
