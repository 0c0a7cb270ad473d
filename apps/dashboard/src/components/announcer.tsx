/** Tells screen readers when a collection changes its state: rare news, unlike the counts. */
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../live/live-provider.tsx'
import { shownState, type ShownState } from '../live/shown-state.ts'
import { nameOf } from './collection-name.tsx'

export function Announcer() {
  const { t } = useTranslation()
  const { state } = useLive()
  const known = useRef(new Map<number, ShownState>())
  const [news, setNews] = useState('')
  useEffect(() => {
    const changed = (state?.snapshot.collections ?? []).filter((collection) => {
      const former = known.current.get(collection.id)
      const shown = shownState(collection)
      known.current.set(collection.id, shown)
      return former !== undefined && former !== shown
    })
    if (changed.length === 0) return
    const sentences = changed.map((collection) =>
      t('live.finished', {
        name: nameOf(collection, t),
        state: t(`state.${shownState(collection)}`),
      }),
    )
    setNews(sentences.join('. '))
  }, [state, t])
  return (
    <p className="unseen" role="status">
      {news}
    </p>
  )
}
