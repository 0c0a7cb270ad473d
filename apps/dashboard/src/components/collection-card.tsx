import type { Sample } from '@minga/protocol'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'
import { rateOf, secondsLeft } from '../live/figures.ts'
import { CollectionName } from './collection-name.tsx'
import { FailedCount } from './failed-count.tsx'
import { FiguresList } from './figures-list.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { StatePill } from './state-pill.tsx'
import { useFormat } from './use-format.ts'

export function CollectionCard(props: { collection: Collection; history: readonly Sample[] }) {
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
