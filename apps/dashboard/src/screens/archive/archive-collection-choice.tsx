import { useTranslation } from 'react-i18next'
import { useLive } from '../../live/live-provider.tsx'

interface CollectionChoiceProps {
  /** Empty: all. */
  chosen: string
  onChoose: (id: string) => void
}

/** A collection that the page does not know (an old one, or a watch) stays chosen anyway. */
export function CollectionChoice({ chosen, onChoose }: CollectionChoiceProps) {
  const { t } = useTranslation()
  const { state } = useLive()
  const collections = state?.snapshot.collections ?? []
  const isKnown = chosen === '' || collections.some(({ id }) => String(id) === chosen)
  return (
    <label className="choice">
      <b>{t('archive.collection')}</b>
      <select value={chosen} onChange={(event) => onChoose(event.target.value)}>
        <option value="">{t('archive.allCollections')}</option>
        {isKnown ? null : <option>{chosen}</option>}
        {collections.map(({ id, spec }) => (
          <option key={id} value={id}>
            {id} · {spec.seeds[0] ?? ''}
          </option>
        ))}
      </select>
    </label>
  )
}
