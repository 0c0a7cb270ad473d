import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'

/** A collection has no name of its own; its first seed tells it apart. */
export function nameOf({ spec }: Collection): string {
  const [seed = ''] = spec.seeds
  return seed.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

export function CollectionName({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const more = collection.seedCount - 1
  return (
    <>
      {nameOf(collection)}
      {more > 0 ? <small> {t('seedsMore', { count: more })}</small> : null}
    </>
  )
}
