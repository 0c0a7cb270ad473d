/** Tells screen readers when a collection changes its state: rare news, unlike the counts. */
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CollectionState } from '../api/api-types.ts'
import { useLive } from '../live/live-provider.tsx'
import { nameOf } from './collection-name.tsx'

export function Announcer() {
  const { t } = useTranslation()
  const { state } = useLive()
  const known = useRef(new Map<number, CollectionState>())
  const [news, setNews] = useState('')
  useEffect(() => {
    const changed = (state?.snapshot.collections ?? []).filter((collection) => {
      const former = known.current.get(collection.id)
      known.current.set(collection.id, collection.state)
      return former !== undefined && former !== collection.state
    })
    if (changed.length === 0) return
    const sentences = changed.map((collection) =>
      t('live.finished', { name: nameOf(collection, t), state: t(`state.${collection.state}`) }),
    )
    setNews(sentences.join('. '))
  }, [state, t])
  return (
    <p className="unseen" role="status">
      {news}
    </p>
  )
}
