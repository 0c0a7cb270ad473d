import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'

/** A collection has no name of its own; its first seed tells it apart. */
function seedOf({ spec }: Collection): string {
  const [seed = ''] = spec.seeds
  return seed.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** The station's own have no seeds; what they hold is their name. */
export function nameOf(collection: Collection, t: TFunction): string {
  const { kind } = collection.spec
  return kind === 'crawl' || kind === 'watch' ? seedOf(collection) : t(`collection.own.${kind}`)
}

export function CollectionName({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const more = collection.seedCount - 1
  return (
    <>
      {nameOf(collection, t)}
      {more > 0 ? <small> {t('seedsMore', { count: more })}</small> : null}
    </>
  )
}
